"""Make the kept rows: `python -m first_occupancy_paper.experiments.labyrinth FOLDER FILE`."""

import json
import sys
from pathlib import Path

import jax

from first_occupancy.storage.whole_files import write_whole
from first_occupancy_paper.experiments.labyrinth.run import SESSIONS, Config, run


def main(arguments: list[str]) -> None:
    """Write the rows of all sessions to a file."""
    jax.config.update("jax_enable_x64", True)
    folder, file = arguments
    rows = [json.dumps(row) for session in SESSIONS for row in run(Config(session, folder), 0)]
    write_whole(Path(file), "".join(f"{row}\n" for row in rows).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
