"""`first-occupancy bench`: run the benchmarks of a checkout, and write a page of their results.

Each script runs in a process of its own, so that none inherits another's memory or caches.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.rows import provenance

from .bench_page import write_page

CHECKOUT = Path(__file__).parents[4]
NOT_HERE = (
    "measuring",
    "worlds",
    "trials",
    "peers",
    "gpu_planning",
    "jaco_updates",
    "jaco_training",
)
"""Modules shared by the scripts, and scripts that need a GPU and are run by hand."""

ON_REQUEST = ("collecting", "interval_coverage", "lab", "tours")
"""Scripts that need many minutes, a browser, or OR-tools and an hour, and run only when named."""


def run(options: argparse.Namespace) -> int:
    """Run the named benchmarks (default: all) and print their tables; return 1 if one failed."""
    scripts = _scripts(options.names)
    folder = Path(options.out) / ("quick/bench" if options.quick else "bench")
    folder.mkdir(parents=True, exist_ok=True)
    failed = [script.stem for script in scripts if not _run(script, folder, options.quick)]
    page = write_page(folder, sorted((CHECKOUT / "reproduction" / "results").glob("gpu*.json")))
    print(f"rows: {folder}/*.json\npage: {page}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _scripts(names: list[str]) -> list[Path]:
    known = {
        path.stem: path
        for path in sorted((CHECKOUT / "benchmarks").glob("*.py"))
        if path.stem not in NOT_HERE
    }
    if not known:
        raise InputError(
            "bench: the benchmarks are not part of the installed package; "
            "in a checkout of the project, run: pip install -e . -e './reproduction[bench]'"
        )
    for name in names:
        if name not in known:
            raise InputError(f"bench: unknown benchmark {name!r}, choose from {', '.join(known)}")
    wanted = names or [name for name in known if name not in ON_REQUEST]
    return [known[name] for name in dict.fromkeys(wanted)]


def _run(script: Path, folder: Path, quick: bool) -> bool:
    """Run one script and store its rows with their provenance; return whether it succeeded."""
    print(f"\n{script.stem}", flush=True)
    rows = folder / f".{script.stem}.rows.json"
    command = [sys.executable, str(script), "--json", str(rows), *(["--quick"] * quick)]
    if subprocess.run(command, check=False).returncode:
        return False
    content = {"provenance": _provenance(quick), "rows": json.loads(rows.read_text())}
    write_whole(folder / f"{script.stem}.json", (json.dumps(content, indent=1) + "\n").encode())
    rows.unlink()
    return True


def _provenance(quick: bool) -> dict[str, object]:
    packages = provenance.versions("first-occupancy", "jax", "numpy", "scipy")
    return {"quick": quick, "commit": provenance.commit(), **provenance.hardware(), **packages}
