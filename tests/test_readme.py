"""The README is short, its code runs and prints what it says, and its links and numbers stand."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
LINKS = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", TEXT)
LEDGER = json.loads((ROOT / "reproduction" / "results" / "ledger.json").read_text(encoding="utf-8"))
LINES = {
    part["name"]: {line["id"]: line for line in part["lines"]} for part in LEDGER["experiments"]
}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def section(title: str) -> str:
    return TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]


def bullets(title: str) -> list[str]:
    return re.findall(r"^- (.*)$", section(title), re.MULTILINE)


def shown(markdown: str) -> str:
    """Return what a reader sees of a line: links without their targets, no marks."""
    return re.sub(r"[*`]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown))


def slugs(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MyST name them."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_it_is_read_in_a_minute():
    assert len(TEXT.splitlines()) <= 90
    assert len(TEXT.split()) <= 800
    assert len(bullets("What is in it")) == 9
    assert all(len(shown(line).split()) <= 15 for line in bullets("What is in it"))


def test_every_result_links_to_its_caveats():
    assert len(bullets("Results")) == 5
    assert all(re.search(r"\]\(docs/results\.md#", line) for line in bullets("Results"))


def test_the_one_minute_example_prints_what_the_readme_says(capsys):
    (code,), (expected,) = blocks("python"), blocks("text")
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out == expected


def test_the_shell_example_works(monkeypatch, tmp_path, capsys):
    from first_occupancy.cli.main import main

    (command,) = re.findall(r"^first-occupancy (.*)$", TEXT, re.MULTILINE)
    arguments = command.replace("plan.png", str(tmp_path / "plan.png")).split()
    monkeypatch.chdir(ROOT)
    assert main(arguments) == 0
    assert (tmp_path / "plan.png").exists()
    assert "goal" in capsys.readouterr().out


def test_commands_of_make_are_targets():
    asked = set(re.findall(r"make (\w[\w-]*)  ", TEXT)) | set(re.findall(r"`make ([\w-]+)`", TEXT))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"lab", "reproduce", "test", "docs"} <= asked
    assert asked <= set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))


@pytest.mark.parametrize("link", [one or other for one, other in LINKS])
def test_links_lead_somewhere(link):
    name, _, anchor = link.partition("#")
    path = ROOT / name
    assert path.exists()
    assert not anchor or anchor in slugs(path)


def test_numbers_of_speed_are_those_of_the_benchmarks():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    measured = [set(numbers(line)) for line in page.splitlines() if line.startswith("| a plan")]
    rows = section("Speed").strip().splitlines()[2:]
    assert len(rows) == 3
    for row in rows:
        assert any(set(numbers(row)) <= line for line in measured), row


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,.]*\d|\d", text)


def test_the_bonus_gives_what_the_ledger_says():
    line = LINES["exploration"]["cell:Sarsa+FR on RiverSwim-6"]
    (said,) = [text for text in bullets("Results") if "RiverSwim-6" in text]
    ours, printed = re.findall(r"\d[\d,]+\d", shown(said))
    assert line["ours"].startswith(f"{ours} ±")
    assert line["paper"].startswith(f"{printed} ±")
    assert line["verdict"] == "differs"


def test_the_escape_reproduces_as_many_lines_as_is_said():
    verdicts = [line["verdict"] for line in LINES["escape"].values()]
    counts = verdicts.count("reproduced"), len(verdicts)
    assert counts == (6, 11)
    assert "of eleven claims about an animal that escapes around a barrier, [six reproduce]" in TEXT
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert "Of eleven lines six are reproduced" in page


@pytest.mark.parametrize(
    ("experiment", "id"),
    [
        ("four_rooms", "three_sweeps"),
        ("mountain_car", "suboptimal"),
        ("tartarus", "planning:rats"),
        ("tartarus", "planning:humans"),
    ],
)
def test_what_the_readme_calls_reproduced_has_that_verdict(experiment, id):
    assert LINES[experiment][id]["verdict"] in ("reproduced", "holds")


def test_the_page_of_results_has_the_numbers_of_the_control():
    line = LINES["offline_goals"]["control"]
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert line["ours"].split(" against ")[0] in page
