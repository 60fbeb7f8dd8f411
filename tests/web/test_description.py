"""The OpenAPI description, tried out by Schemathesis: whatever it allows is answered as it says."""

import subprocess
import sys
from pathlib import Path

LEAN = 10
"""Examples of each question; by hand there is time for hundreds, and for the coverage phase."""


def test_schemathesis_finds_nothing(address, tmp_path):
    # The escape takes seconds a story, and has tests of its own.
    command = [Path(sys.executable).parent / "schemathesis", "run", f"{address}/openapi.json"]
    options = ["--exclude-path", "/api/escape", "--max-examples", str(LEAN), "--seed", "1"]
    more = ["--phases", "fuzzing", "--suppress-health-check", "all", "--no-color"]
    result = subprocess.run(
        [*command, *options, *more, "--request-timeout", "60"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    assert "Tested: 5" in result.stdout
