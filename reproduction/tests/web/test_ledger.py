"""The ledger's page in a real browser: every kept line of it, on a phone and on larger screens."""

import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from first_occupancy_paper.experiments import Experiment, Finding, Verdict
from first_occupancy_paper.ledger import ledger

KEPT = Path(__file__).parents[2] / "results" / "ledger.json"


def wide_figure(rows):
    figure = Figure(figsize=(12, 3))
    figure.subplots().plot([len(rows), 1])
    return {"wide": figure}


def kept(part):
    """Return an experiment of the kept ledger with its findings."""
    about = {name: part[name] for name in ("name", "question", "paper", "beyond")}
    experiment = Experiment(**about, run=wide_figure, settings=lambda quick: [], plot=wide_figure)
    findings = [
        Finding(
            line["claim"],
            line["paper"],
            line["ours"],
            Verdict[line["kind"].upper()],
            line["why"],
            figure="wide",
            given=line["given"],
            again=line["again"],
            id=line["id"],
        )
        for line in part["lines"]
    ]
    return experiment, findings


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ledger")
    (first, findings), *others = map(kept, json.loads(KEPT.read_text("utf-8"))["experiments"])
    figures = ledger.draw(first, [], folder, quick=True)
    parts = [ledger.Part(first, findings, figures), *(ledger.Part(*each, {}) for each in others)]
    return ledger.write(folder, parts, quick=True)


@pytest.fixture(params=[(390, 844), (768, 1024), (1280, 800)], ids=str)
def page(request, browser, path):
    width, height = request.param
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"file://{path}")
    yield page
    page.close()


def test_nothing_sticks_out(page):
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".filter").bounding_box()["width"] <= width
    assert page.locator("figure img").bounding_box()["width"] <= width


LINES = """
rows => rows.map((row) => row.offsetHeight / parseFloat(getComputedStyle(row).lineHeight))
"""
CUT = """
row => [...row.querySelectorAll('td > div')]
  .some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
"""


def test_rows_are_low_and_whole_once_their_box_is_ticked(page):
    rows = page.locator(".lines tbody tr")
    most = 15 if page.viewport_size["width"] < 700 else 12
    assert rows.count() > 150
    assert max(rows.evaluate_all(LINES)) < most
    cut = [row for row in rows.all() if row.evaluate(CUT)]
    assert len(cut) > 50
    for row in cut:
        assert row.locator(".more").is_visible()
    row = cut[0]
    row.locator(".more").click()
    assert not row.evaluate(CUT)
    row.locator(".more").click()
    assert row.evaluate(CUT)


def test_a_filter_leaves_the_lines_of_one_verdict(page):
    before = page.locator(".lines tbody tr:visible").count()
    page.locator("label", has_text="does not hold").click()
    shown = page.locator(".lines tbody tr:visible")
    assert 0 < shown.count() < before
    assert shown.count() == page.locator(".lines tbody tr.fails").count()


def test_in_print_every_text_is_whole(page):
    page.emulate_media(media="print")
    rows = page.locator(".lines tbody tr")
    assert not any(row.evaluate(CUT) for row in rows.all())
    assert page.locator(".more:visible").count() == 0
