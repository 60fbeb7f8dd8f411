import subprocess
import sys
from types import SimpleNamespace

import pytest

from first_occupancy.cli import parsing
from first_occupancy.cli.main import main
from first_occupancy.cli.parsing import OF_THE_PAPER, command_parser

COMMANDS = ("plan", "lab", "completion")


def test_parsing_imports_no_jax():
    code = "import sys; from first_occupancy.cli import parsing, main\n"
    code += "parsing.command_parser(); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_command_is_listed_in_the_help():
    text = command_parser().format_help()
    listed = {line.split()[0] for line in text.splitlines() if line.strip()}
    assert set(COMMANDS) <= listed


@pytest.mark.parametrize("words", [[], ["plane"], ["plan", "--gaol", "1,2"]])
def test_unknown_commands_and_options_end_with_code_two(words, capsys):
    with pytest.raises(SystemExit) as ended:
        command_parser().parse_args(words)
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_without_arguments_the_help_is_printed_with_examples(capsys):
    assert main([]) == 0
    text = capsys.readouterr().out
    assert text.startswith("usage: first-occupancy")
    assert "\n  first-occupancy plan maze.txt --noise 0.1" in text


@pytest.mark.parametrize(
    ("words", "meant"), [(["lst"], "lab"), (["plam", "x"], "plan"), (["completion", "bsh"], "bash")]
)
def test_a_word_that_is_nearly_right_is_answered_with_the_right_one(
    words, meant, monkeypatch, capsys
):
    monkeypatch.setattr(parsing, "entry_points", lambda group: ())
    with pytest.raises(SystemExit):
        main(words)
    said = capsys.readouterr().err
    assert said.endswith(f"; did you mean {meant!r}?\n") == (words != ["lst"])


def test_examples_of_the_help_can_be_parsed():
    for text in (parsing.EXAMPLES, parsing.PLAN_EXAMPLES, parsing.LAB_EXAMPLES):
        for line in text.splitlines()[1:]:
            words = line.split("  ")[1].split()
            assert words[0] == "first-occupancy"
            command_parser().parse_args(words[1:])


@pytest.mark.parametrize("command", OF_THE_PAPER)
@pytest.mark.parametrize("rest", [[], ["--quick"], ["--help"], ["shorter_paths", "--jobs", "0"]])
def test_commands_of_a_package_that_is_missing_say_what_to_install(
    command, rest, monkeypatch, capsys
):
    monkeypatch.setattr(parsing, "entry_points", lambda group: ())
    assert main([command, *rest]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"first-occupancy {command}: belongs to the reproduction of the paper")
    assert said.endswith(f"run: pip install -e . -e {OF_THE_PAPER[command]}\n")
    assert said.count("\n") == 1


def test_a_package_that_cannot_be_imported_adds_no_commands(monkeypatch):
    def load():
        raise ImportError

    monkeypatch.setattr(parsing, "entry_points", lambda group: [SimpleNamespace(load=load)])
    assert "plan" in command_parser().format_help()


def test_other_packages_can_add_commands(monkeypatch, capsys):
    def add(commands):
        commands.add_parser("greet", help="say hello").set_defaults(run=("this", "greet"))

    found = SimpleNamespace(load=lambda: add)
    monkeypatch.setattr(parsing, "entry_points", lambda group: [found])
    monkeypatch.setitem(sys.modules, "this", SimpleNamespace(greet=lambda options: 7))
    assert main(["greet"]) == 7
    assert "greet" in command_parser().format_help()
