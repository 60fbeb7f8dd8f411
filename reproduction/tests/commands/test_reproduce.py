import re
from collections import Counter
from dataclasses import replace
from functools import wraps

import pytest

from first_occupancy.cli.main import main
from first_occupancy_paper.commands import reproduce
from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment

SHORTER_PATHS = experiment("shorter_paths")


def test_an_unknown_name_lists_the_known_ones(capsys, tmp_path):
    assert main(["reproduce", "nothing", "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "NAME must be one of shorter_paths, exploration, " in error
    assert error.endswith("got 'nothing'\n")


def test_no_processes_is_an_error(capsys, tmp_path):
    assert main(["reproduce", "shorter_paths", "--jobs", "0", "--out", str(tmp_path)]) == 2
    assert "--jobs must be at least 1, got 0" in capsys.readouterr().err


def test_a_file_where_the_folder_should_be_is_an_error(capsys, tmp_path):
    (tmp_path / "output").write_text("in the way")
    code = main(["reproduce", "shorter_paths", "--jobs", "1", "--out", str(tmp_path / "output")])
    assert code == 2
    assert capsys.readouterr().err.strip().endswith("Not a directory")


def test_a_job_that_breaks_is_told_of_in_a_line_below_where(capsys, tmp_path, monkeypatch):
    def breaks(config, seed):
        raise RuntimeError("no luck")

    broken = replace(SHORTER_PATHS, run=breaks)
    monkeypatch.setattr(reproduce, "experiment", lambda name: broken)
    assert main(["reproduce", "shorter_paths", "--jobs", "1", "--out", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert 'raise RuntimeError("no luck")' in error
    last = error.splitlines()[-1]
    assert last.startswith("first-occupancy reproduce: shorter_paths with ")
    assert last.endswith("seed 0: RuntimeError: no luck")


def test_list_shows_every_experiment_and_its_state(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["list", "--out", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    for each in EXPERIMENTS:
        assert each.name in output
    main(["reproduce", "planning_in_a_room", "--jobs", "1", "--out", str(tmp_path)])
    output = capsys.readouterr().out
    assert "  reproduced                   planning_in_a_room: GPI follows pi_1" in output
    assert "quick" not in output
    assert "(stored)" not in output
    assert re.search(r"^took \d+\.\d min$", output, re.MULTILINE)
    main(["reproduce", "planning_in_a_room", "--jobs", "1", "--out", str(tmp_path)])
    output = capsys.readouterr().out
    assert "  reproduced                   planning_in_a_room (stored): GPI follows" in output
    assert "(stored): nothing was run, the rows were stored before or are kept" in output
    assert "took" not in output
    main(["list", "--out", str(tmp_path)])
    (line,) = [
        line for line in capsys.readouterr().out.splitlines() if "planning_in_a_room" in line
    ]
    assert "done" in line


def test_small_runs_say_so_find_once_and_draw_once(capsys, tmp_path, monkeypatch):
    done = []

    def noted(name: str):
        function = getattr(SHORTER_PATHS, name)
        return wraps(function)(lambda rows: done.append(name) or function(rows))

    counted = replace(SHORTER_PATHS, find=noted("find"), plot=noted("plot"))
    monkeypatch.setattr(reproduce, "EXPERIMENTS", (counted,))
    for turn in range(2):
        assert main(["reproduce", "--quick", "--jobs", "1", "--out", str(tmp_path)]) == 0
        output = capsys.readouterr().out
        assert "verdicts need the full size\n" in output
        assert (f"with --quick all experiments take {reproduce.QUICK}" in output) == (turn == 0)
    assert Counter(done) == {"find": 2, "plot": 1}


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> str:
    out = tmp_path_factory.mktemp("ledger")
    assert main(["reproduce", "shorter_paths", "--jobs", "1", "--out", str(out)]) == 0
    return (out / "ledger.html").read_text()


def test_the_ledger_holds_its_figures_and_needs_nothing_from_outside(page):
    assert "data:image/svg+xml;base64," in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<script" not in page


def test_the_ledger_says_verdict_value_and_reason(page):
    # These lines come from kept rows, so their verdicts change as runs are added.
    expected = Counter({"reproduced": 2})
    for each in EXPERIMENTS:
        lines = each.findings(each.kept()) if each.kept is not None else []
        expected.update(line.verdict.value for line in lines if line.counted)
    (text,) = re.findall(r"<p>Claims: ([^<.]*)\.", page)
    plural = {"differs": "differ", "holds": "hold", "does not hold": "do not hold"}
    assert dict(each.split(" ", 1)[::-1] for each in text.split(", ")) == {
        plural.get(verdict, verdict): str(number) for verdict, number in expected.items()
    }
    assert "SR-GPI: pi_1, FR-GPI: pi_2" in page


def test_the_ledger_can_be_filtered_by_verdict_and_labels_its_columns(page):
    """On a phone the header is gone, so each cell has its label; filters need no script."""
    assert 'id="verdict-unsettled"' in page
    assert ".lines tbody tr:not(.unsettled) { display: none; }" in page
    assert page.count('data-label="Verdict"') == page.count('data-label="Why"') > 2
    assert "prefers-color-scheme: dark" in page


def test_the_first_screen_says_how_many_claims_stand_and_fall(page):
    (brief,) = re.findall(r'<table class="brief">.*?</table>', page)
    (shorter,) = re.findall(r"<tr><td><a href=\"#shorter_paths\">.*?</tr>", brief)
    assert '<td class="good">2<td class="bad">&ndash;<td class="open">&ndash;' in shorter


def test_conditions_stand_beside_the_verdict(page):
    assert "not settled by our runs, 4 seeds, exploratory" in page
    assert '<span class="again">(again)</span>' in page


def test_figures_of_kept_rows_are_drawn_only_on_request_and_no_link_leads_nowhere(page):
    assert "drawn by <code>first-occupancy reproduce jaco_reaching</code>" in page
    assert "drawn by <code>first-occupancy reproduce shorter_paths</code>" not in page
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))
