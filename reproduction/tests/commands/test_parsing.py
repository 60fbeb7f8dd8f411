"""The commands of the reproduction, which `first-occupancy` finds by their entry point."""

import argparse
import subprocess
import sys

from first_occupancy.cli.parsing import OF_THE_PAPER, command_parser
from first_occupancy_paper.commands import parsing


def parser_with_ours():
    parser = argparse.ArgumentParser("first-occupancy")
    parsing.add(parser.add_subparsers())
    return parser


def test_the_installed_package_adds_its_commands_to_the_help():
    text = command_parser().format_help()
    listed = {line.split()[0] for line in text.splitlines() if line.strip()}
    assert set(OF_THE_PAPER) <= listed


def test_the_library_knows_the_names_of_all_our_commands():
    (action,) = [a for a in parser_with_ours()._actions if isinstance(a.choices, dict)]
    assert set(action.choices) == set(OF_THE_PAPER)


def test_parsing_imports_no_jax():
    code = "import sys; from first_occupancy.cli import parsing\n"
    code += "parsing.command_parser().parse_args(['list']); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_bash_completes_them():
    from first_occupancy.cli.completion import script

    text = script(command_parser(), "bash")
    ask = "COMP_WORDS=(first-occupancy re); COMP_CWORD=1; _first_occupancy; echo ${COMPREPLY[@]}"
    done = subprocess.run(
        ["bash", "-c", f"{text}\n{ask}"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "reproduce\n"
    assert "--parquet" in text
