import subprocess
import sys

import pytest

from first_occupancy.cli.arguments import command_parser

COMMANDS = ("plan", "lab", "completion")


def test_parsing_imports_no_jax():
    code = "import sys; from first_occupancy.cli import arguments, main\n"
    code += "arguments.command_parser(); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_command_is_listed_in_the_help():
    text = command_parser().format_help()
    listed = {line.split()[0] for line in text.splitlines() if line.strip()}
    assert set(COMMANDS) <= listed


@pytest.mark.parametrize("arguments", [[], ["plane"], ["plan", "--gaol", "1,2"]])
def test_unknown_commands_and_options_end_with_code_two(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command_parser().parse_args(arguments)
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err
