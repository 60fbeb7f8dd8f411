"""The rules of the protocol, on rows made up for them."""

import json
from pathlib import Path

from first_occupancy_paper.worlds.logged_judge import covered, holds, verdicts


def interval(low, high, realised):
    return {"low": low, "high": high, "realised": realised}


def test_intervals_allow_for_the_error_of_twenty_rollouts():
    assert covered(interval(0.7, 1.0, 0.6))
    assert not covered(interval(0.8, 1.0, 0.5))
    assert not covered(interval(0.0, 0.0, 0.1))


def test_lower_bounds_allow_for_two_standard_errors():
    assert holds({"low": 0.5, "realised": 0.45, "error": 0.03})
    assert not holds({"low": 0.5, "realised": 0.45, "error": 0.02})


def written(path, rows):
    lines = [json.dumps(row) + "\n" for row in [*rows, {"finished_in": 1.0}]]
    path.write_text("".join(lines), encoding="utf-8")


def test_verdicts_follow_the_rules(tmp_path):
    pair = {"world": "moon", "probability": 0.95, **interval(0.8, 1.0, 0.93)}
    written(tmp_path / "success-moon-10.jsonl", [pair] * 1000 + [{"refused": True}])
    bound = {"thickness": 1, "pushing": True, "high": 1.0, "error": 0.01}
    written(tmp_path / "bounds-1-10.jsonl", [{**bound, "low": 0.3, "realised": 0.6}] * 100)
    lines = list(verdicts(tmp_path))
    assert any(line.startswith("rule 1 met: of 1000 pairs") for line in lines)
    assert any(line.startswith("rule 2 met: 1000 pairs, 1.000 covered") for line in lines)
    assert any(line.startswith("rule 3 met: 100 pairs") for line in lines)
    written(tmp_path / "success-moon-10.jsonl", [{**pair, "realised": 0.5}] * 1000)
    written(tmp_path / "bounds-1-10.jsonl", [{**bound, "low": 0.7, "realised": 0.6}] * 100)
    assert sum("NOT MET" in line for line in verdicts(tmp_path)) == 3


def test_the_kept_rows_meet_all_three_rules():
    lines = list(verdicts(Path(__file__).parents[2] / "results" / "logged_goals"))
    assert [line[:10] for line in lines if line.startswith("rule")] == [
        "rule 1 met",
        "rule 2 met",
        "rule 3 met",
    ]
    page = Path(__file__).parents[2] / "protocols" / "logged_goals.md"
    text = page.read_text(encoding="utf-8")
    arrive = {line.split(":")[0]: line.split(" pairs, ")[1][:5] for line in lines[:8]}
    assert f"| car with heading | 168 | {arrive['car']} |" in text
    assert f"| slippery floor | 168 | {arrive['slippery floor']} |" in text
    assert f"| all | 1,176 | {arrive['all']} |" in text
