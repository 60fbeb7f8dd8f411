"""Keep the ledger's lines of a finished `first-occupancy reproduce` in reproduction/results.

    first-occupancy reproduce
    python -m first_occupancy_paper.ledger.keep output

or, where nothing but rows that the project keeps has changed,

    python -m first_occupancy_paper.ledger.keep --kept

The page of the documentation is made from that file, so that it says what was run, and when.
"""

import json
import sys
from pathlib import Path

from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.registry import EXPERIMENTS
from first_occupancy_paper.rows.kept import RESULTS
from first_occupancy_paper.sweeps.jobs import jobs_of
from first_occupancy_paper.sweeps.store import Store

TARGET = RESULTS / "ledger.json"


def main(folder: str) -> int:
    """Read all rows of full size, and write what they say."""
    store, origins = Store(Path(folder) / "results"), {}
    parts = []
    for experiment in EXPERIMENTS:
        rows = list(experiment.kept()) if experiment.kept is not None else []
        for job in jobs_of(experiment, quick=False, seed=0):
            rows.extend(store.read(job))
            with store.path(job).open(encoding="utf-8") as file:
                origin = json.loads(file.readline())
            origins[origin["commit"]] = origin["versions"]
        parts.append(part(experiment, rows))
    versions = {json.dumps(dict(each)) for each in origins.values()}
    if len(versions) != 1:
        print(f"{folder}: rows must have one set of versions, got {versions}", file=sys.stderr)
        return 2
    # Stored rows are those of today's code, whichever commit ran it: other rows are not read.
    commits = {"commit": ", ".join(sorted(origins))}
    _write({"provenance": commits | json.loads(versions.pop()), "experiments": parts})
    return 0


def renew_kept() -> int:
    """Write anew what rows say that the project keeps, and leave the other lines."""
    content = json.loads(TARGET.read_text(encoding="utf-8"))
    kept = {
        each.name: part(each, list(each.kept())) for each in EXPERIMENTS if each.kept is not None
    }
    known = [kept.pop(old["name"], old) for old in content["experiments"]]
    _write({**content, "experiments": [*known, *kept.values()]})
    return 0


def _write(content: dict[str, object]) -> None:
    write_whole(TARGET, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())
    print(TARGET)


def part(experiment: Experiment, rows: list) -> dict[str, object]:
    """Return what rows say of an experiment's claims."""
    texts = ("id", "claim", "paper", "ours", "verdict", "given", "again")
    lines = [
        {name: getattr(finding, name) for name in texts}
        | {"kind": finding.verdict.kind, "why": finding.why}
        for finding in experiment.findings(rows)
    ]
    about = {"name": experiment.name, "question": experiment.question, "paper": experiment.paper}
    return {**about, "beyond": experiment.beyond, "lines": lines}


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "output"
    sys.exit(renew_kept() if asked == "--kept" else main(asked))
