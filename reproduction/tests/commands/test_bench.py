"""`first-occupancy bench`, with small scripts in place of the real ones."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from first_occupancy.cli.main import main
from first_occupancy_paper.commands import bench

COMPARED = {
    "question": "adding",
    "size": "two numbers",
    "ours": "plus",
    "seconds": 0.002,
    "peer": "abacus",
    "peer_seconds": 4.0,
    "ratio": 2000.0,
    "unit": "x faster",
    "target": ">= 3000",
    "met": False,
}
CURVE = [{"axis": "S", "at": at, "method": "plus", "seconds": at * 1e-3} for at in (10, 100)]


@pytest.fixture(name="checkout")
def a_checkout(tmp_path, monkeypatch):
    (tmp_path / "benchmarks").mkdir()
    script = "import sys; open(sys.argv[2], 'w').write({!r})"
    rows = json.dumps([COMPARED, *CURVE])
    (tmp_path / "benchmarks" / "adding.py").write_text(script.format(rows))
    (tmp_path / "benchmarks" / "broken.py").write_text("import sys; sys.exit('no abacus')")
    (tmp_path / "benchmarks" / "measuring.py").write_text("raise RuntimeError")
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    return tmp_path


def test_rows_are_kept_with_their_provenance_and_shown_on_a_page(checkout):
    assert main(["bench", "adding", "--out", str(checkout / "output")]) == 0
    folder = checkout / "output" / "bench"
    stored = json.loads((folder / "adding.json").read_text())
    assert stored["rows"] == [COMPARED, *CURVE]
    assert {"jax", "numpy", "cores", "quick", "commit"} <= stored["provenance"].keys()
    page = (folder / "index.html").read_text()
    assert "abacus: 4 s" in page
    assert "2e+03 x faster" in page
    assert '<td class="verdict fails">&gt;= 3000' in page
    assert "data:image/svg+xml" in page


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"rows": [{}]}', '{"rows": 3}'])
def test_rows_that_are_damaged_are_one_line(checkout, capsys, content):
    folder = checkout / "output" / "bench"
    folder.mkdir(parents=True)
    (folder / "other.json").write_text(content)
    assert main(["bench", "adding", "--out", str(checkout / "output")]) == 2
    assert capsys.readouterr().err == (
        f"first-occupancy bench: {folder}/other.json: must hold the rows of a benchmark, "
        "but is damaged\n"
    )


def test_a_benchmark_that_fails_does_not_stop_the_others(checkout, capsys):
    assert main(["bench", "--out", str(checkout / "output")]) == 1
    assert "failed: broken" in capsys.readouterr().err
    assert (checkout / "output" / "bench" / "adding.json").exists()
    assert not (checkout / "output" / "bench" / "broken.json").exists()


@pytest.mark.usefixtures("checkout")
def test_an_unknown_benchmark_is_refused(capsys):
    assert main(["bench", "multiplying"]) == 2
    expected = "bench: unknown benchmark 'multiplying', choose from adding, broken"
    assert expected in capsys.readouterr().err


def test_without_a_checkout_it_says_where_benchmarks_are(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    assert main(["bench"]) == 2
    assert "in a checkout of the project, run: pip install" in capsys.readouterr().err


@pytest.fixture(scope="module")
def measuring():
    path = Path(__file__).parents[3] / "benchmarks" / "measuring.py"
    spec = spec_from_file_location("measuring", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("width", [80, 120, None])
def test_a_row_is_printed_in_one_line_that_fits(measuring, width):
    long = {**COMPARED, "size": "two numbers of very many digits, " * 3, "met": True}
    other = {**COMPARED, "question": "counting", "peer": "", "target": None, "met": None}
    lines = list(measuring.lines([COMPARED, long, other, *CURVE], width))
    assert len(lines) == 5 + 3  # one for each row, and one for each question and the curve
    assert all(len(line) <= (width or 1000) for line in lines)
    assert lines[0] == "adding"
    assert lines[1].split()[:6] == ["2e+03", "2", "ms", "4", "s", ">="]
    assert lines[1].startswith("  2e+03  ")
    assert "NO  x faster; two numbers: plus" in lines[1]
    assert lines[2].endswith("…") == (width is not None)
    assert "yes" in lines[2]
