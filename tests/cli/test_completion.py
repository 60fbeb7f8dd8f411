"""Completion scripts, run by the shells they are for."""

import shutil
import subprocess

import pytest

from first_occupancy.cli.completion import script
from first_occupancy.cli.main import main
from first_occupancy.cli.parsing import command_parser


def completed(*words):
    """Return what bash offers for the last of some words."""
    line = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _first_occupancy; "
    ask += 'printf "%s\\n" "${COMPREPLY[@]}"'
    text = script(command_parser(), "bash") + "\n" + ask
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_options_and_choices():
    assert completed("first-occupancy", "pl") == ["plan"]
    assert completed("first-occupancy", "plan", "--sw") == ["--switches"]
    assert completed("first-occupancy", "plan", "m.txt", "--corners", "s") == ["strict"]
    assert completed("first-occupancy", "completion", "f") == ["fish"]
    assert "--version" in completed("first-occupancy", "--")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_in_every_script(shell, capsys):
    assert main(["completion", shell]) == 0
    printed = capsys.readouterr().out
    for word in ("plan", "lab", "corners", "threshold"):
        assert word in printed
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=printed, text=True, check=True)
