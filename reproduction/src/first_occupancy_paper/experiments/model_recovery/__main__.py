"""Make the kept rows: `python -m first_occupancy_paper.experiments.model_recovery FILE`."""

import json
import sys
from pathlib import Path

import jax

from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.experiments.model_recovery.run import Config, run


def main(arguments: list[str]) -> None:
    """Write the rows of the standard settings to a file."""
    jax.config.update("jax_enable_x64", True)
    rows = [json.dumps(row) for row in run(Config(), 0)]
    write_whole(Path(arguments[0]), "".join(f"{row}\n" for row in rows).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
