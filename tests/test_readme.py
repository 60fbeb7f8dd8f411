"""The README's code runs, and prints what the README says it prints."""

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_one_minute_example_prints_what_the_readme_says(capsys):
    (code,), (expected,) = blocks("python"), blocks("text")
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out == expected


def test_the_shell_example_works(monkeypatch, tmp_path, capsys):
    from first_occupancy.cli.main import main

    (command,) = re.findall(r"^first-occupancy (.*)$", README.read_text(), re.MULTILINE)
    arguments = command.replace("plan.png", str(tmp_path / "plan.png")).split()
    monkeypatch.chdir(README.parent)
    assert main(arguments) == 0
    assert (tmp_path / "plan.png").exists()
    assert "goal" in capsys.readouterr().out
