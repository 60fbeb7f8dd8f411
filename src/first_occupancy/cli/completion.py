"""Completion in shells: scripts that know the commands, their options and the options' choices."""

import argparse
from collections.abc import Mapping

PROGRAM = "first-occupancy"

Words = Mapping[str, Mapping[str, list[str]]]
"""For each command its options, and for each option its choices, if it has any."""


def run(options: argparse.Namespace) -> int:
    """Print the script of the named shell; return the exit code."""
    print(script(options.parser, options.shell))
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the completion script of a shell."""
    words = _words(parser)
    if shell == "fish":
        return _fish(words)
    # Zsh reads completions of bash, once it is told to.
    return _bash(words, *["autoload -U +X bashcompinit && bashcompinit"] * (shell == "zsh"))


def _words(parser: argparse.ArgumentParser) -> Words:
    (commands,) = [
        action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
    ]
    return {name: _options(each) for name, each in commands.choices.items()}


def _options(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return long options with their choices; the choices of a positional argument are under ""."""
    found: dict[str, list[str]] = {}
    for action in parser._actions:
        choices = [str(choice) for choice in action.choices or ()]
        names = [name for name in action.option_strings if name.startswith("--")]
        for name in names or ([""] if choices else []):
            found[name] = choices
    return found


def _bash(words: Words, *before: str) -> str:
    cases = []
    for command, options in words.items():
        for option, choices in options.items():
            if option and choices:
                cases.append(f'    "{command} {option}") words="{" ".join(choices)}" ;;')
    for command, options in words.items():
        listed = " ".join([option for option in options if option] + options.get("", []))
        cases.append(f'    "{command} "*) words="{listed}" ;;')
    return "\n".join(
        [
            *before,
            "_first_occupancy() {",
            "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words",
            '  case "${COMP_WORDS[1]} $before" in',
            *cases,
            f'    *) words="{" ".join(words)} --help --version" ;;',
            "  esac",
            '  if [ "$COMP_CWORD" -eq 1 ]; then',
            f'    words="{" ".join(words)} --help --version"',
            "  fi",
            '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "}",
            f"complete -o default -F _first_occupancy {PROGRAM}",
        ]
    )


def _fish(words: Words) -> str:
    lines = [f"complete -c {PROGRAM} -n __fish_use_subcommand -f -a '{' '.join(words)}'"]
    lines.append(f"complete -c {PROGRAM} -n __fish_use_subcommand -l version -l help")
    for command, options in words.items():
        here = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {command}'"
        for option, choices in options.items():
            given = f" -x -a '{' '.join(choices)}'" if choices else ""
            lines.append(f"{here} -l {option[2:]}{given}" if option else f"{here} -f{given[3:]}")
    return "\n".join(lines)
