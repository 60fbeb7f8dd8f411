"""The commands and their options. Nothing heavy is imported, so that `--help` is fast."""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any, NoReturn

DESCRIPTION = "First-occupancy representations: how soon states are reached, and how to plan there."
EXAMPLES = """examples:
  first-occupancy lab                                        draw a maze and watch plans
  first-occupancy plan maze.txt --noise 0.1 --out plan.png   plan through a drawing
"""
PLAN_EXAMPLES = """examples:
  first-occupancy plan maze.txt --moves 8 --out plan.png     from S to G, with a picture
  first-occupancy plan map.png --start 0,0 --goal 9,4 --goal 3,7 --return --json
  first-occupancy plan maze.txt --collect --goal 1,5=0.4 --goal 3,1=2
"""
LAB_EXAMPLES = """examples:
  first-occupancy lab
  first-occupancy lab --save lab.html      one file that opens without a server
"""
SCHEMA = Path(__file__).parents[1] / "planning" / "tour.schema.json"
"""What `plan --json` prints, as a JSON schema."""

GROUP = "first_occupancy.commands"
"""Entry points of packages that add commands: functions that take the action of `add_subparsers`.
The `run` that a command sets is a module and a function of the options, imported when it runs."""

OF_THE_PAPER = {
    "list": "./reproduction",
    "reproduce": "./reproduction",
    "sweep": "./reproduction",
    "run": "'./reproduction[robotics]'",
    "bench": "'./reproduction[bench]'",
}
"""Commands that another package of this project adds, and what pip installs for each."""


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; `run` of its result is a module and a function."""
    parser: argparse.ArgumentParser = Parser(
        "first-occupancy", description=DESCRIPTION, epilog=EXAMPLES
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_plan(commands)
    _add_lab(commands)
    for other in entry_points(group=GROUP):
        with suppress(ImportError):  # half installed, it must not take our commands with it
            other.load()(commands)
    _add_completion(commands, parser)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser that says which command or choice was meant, and keeps the lines of examples."""

    def __init__(self, *names: str, **options: object) -> None:
        super().__init__(*names, formatter_class=argparse.RawDescriptionHelpFormatter, **options)  # pyrefly: ignore
        if isinstance(self.description, str):
            formatter = argparse.HelpFormatter(self.prog)
            formatter.add_text(self.description)
            self.description = formatter.format_help().strip()

    def error(self, message: str) -> NoReturn:
        """End with one line, code 2 and, if a known word is similar, what was probably meant."""
        if "invalid choice: '" in message and "(choose from" in message:
            given = message.split("invalid choice: '", 1)[1].split("'", 1)[0]
            known = message.split("(choose from", 1)[1].replace(")", "").replace("'", "")
            close = get_close_matches(given, [word.strip() for word in known.split(",")], 1)
            if close:
                message = f"no command or choice {given!r}; did you mean {close[0]!r}?"
        super().error(message)


def missing_package(parser: argparse.ArgumentParser, words: Sequence[str]) -> str | None:
    """Return how to install the package of the first word's command; None if it is not missing."""
    command = words[0] if words else ""
    (commands,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if command not in OF_THE_PAPER or command in commands.choices:
        return None
    return (
        "belongs to the reproduction of the paper, which is not installed; in a checkout of the "
        f"project, run: pip install -e . -e {OF_THE_PAPER[command]}"
    )


def _version() -> str:
    try:
        return version("first-occupancy")
    except PackageNotFoundError:  # run from source, not installed
        return "unknown"


class _Schema(argparse.Action):
    """Print the schema of tours and exit, as `--help` does."""

    def __init__(self, *names: Any, **options: Any) -> None:
        super().__init__(*names, **options, nargs=0)

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> None:
        print(SCHEMA.read_text(encoding="utf-8"), end="")
        parser.exit()


def _add_plan(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    plan = commands.add_parser(
        "plan",
        help="plan a path through a drawn maze",
        description="Plan a path from S through every G of a drawing: '#' is a wall, '.' or ' ' "
        "is free, '^', '>', 'v' and '<' can be left only that way, and a digit from 1 to 9 is the "
        "cost of entering a cell. Each base policy repeats one move.",
        epilog=PLAN_EXAMPLES,
    )
    add = plan.add_argument
    add(
        "maze",
        metavar="MAZE.txt",
        help="file with the drawing, - for stdin, an image (.png) with a pixel for each cell, or "
        "a ROS map (.yaml)",
    )
    add("--start", metavar="ROW,COLUMN", help="start here instead of at the S")
    add(
        "--goal",
        metavar="ROW,COLUMN",
        action="append",
        help="go here instead of to the G; may be repeated; with --collect also "
        "ROW,COLUMN=VALUE, what the goal is worth",
    )
    add(
        "--collect",
        action="store_true",
        help="goals are rewards that can be taken once, worth 1 each or as --goal says: take them "
        "in the order of the highest discounted sum; --last and --return say where to end",
    )
    switches = "maximum number of policy switches; 0 is GPI (default: no limit)"
    add("--switches", metavar="K", type=int, help=switches)
    moves = "number of directions (default: %(default)s)"
    add("--moves", type=int, choices=(4, 8), default=4, help=moves)
    discount = "discount factor per step (default: %(default)s)"
    add("--discount", type=float, default=0.95, help=discount)
    noise = "probability of a random move (default: %(default)s)"
    add("--noise", type=float, default=0.0, help=noise)
    add(
        "--corners",
        choices=("forbid", "strict", "allow"),
        default="forbid",
        help="diagonal moves: forbid those between two walls, with strict those past any wall, or "
        "allow all (default: %(default)s)",
    )
    returns = "go back to the start in the end"
    add("--return", dest="returns", action="store_true", help=returns)
    add("--last", metavar="ROW,COLUMN", help="visit this goal last")
    add(
        "--tolerance",
        type=float,
        metavar="T",
        help="under noise, stop improving a plan as soon as none can gain more than this; "
        "faster (default: no plan can gain anything)",
    )
    seconds = "time limit of the search for the order of more than 16 goals (extra 'tours')"
    add("--seconds", type=float, metavar="S", help=seconds)
    threshold = "brightness from which a pixel of an image is free (default: %(default)s)"
    add("--threshold", type=float, default=0.5, metavar="B", help=threshold)
    add("--json", action="store_true", help="print the tour as JSON, for programs")
    add("--schema", action=_Schema, help="print the JSON schema of --json, and exit")
    add("--out", metavar="FILE", help="save a figure as .png, .svg or .pdf")
    plans = "save the plans to all goals; load_plans looks them up from any cell"
    add("--plans", metavar="FILE.npz", help=plans)
    plan.set_defaults(run=("first_occupancy.cli.plan_command", "run"))


def _add_lab(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    lab = commands.add_parser(
        "lab",
        help="open the lab: a web page to draw mazes and explore plans",
        description="Serve the lab on this machine (127.0.0.1) and open it in the browser. "
        "The page computes by itself: --save writes it as one file that opens without a server.",
        epilog=LAB_EXAMPLES,
    )
    port = "port to serve on; 0 picks a free one (default: %(default)s)"
    lab.add_argument("--port", type=int, default=8421, metavar="N", help=port)
    lab.add_argument("--no-browser", action="store_true", help="do not open a browser")
    lab.add_argument("--save", metavar="FILE", help="write the page as one HTML file, and end")
    lab.set_defaults(run=("first_occupancy.cli.lab_command", "run"))


def _add_completion(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", parser: argparse.ArgumentParser
) -> None:
    completion = commands.add_parser(
        "completion",
        help="print a script that completes commands and options in a shell",
        description="Print a completion script. For bash, add to ~/.bashrc: "
        'eval "$(first-occupancy completion bash)"; for zsh the same in ~/.zshrc, after compinit; '
        "for fish: first-occupancy completion fish > ~/.config/fish/completions/"
        "first-occupancy.fish",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")
    completion.set_defaults(run=("first_occupancy.cli.completion", "run"), parser=parser)
