"""Make the kept rows: `python -m first_occupancy_paper.experiments.tartarus FOLDER FILE`.

FOLDER holds the recordings. Rows that FILE has are not made again, so a run that was killed
continues. Words after them choose configs by the species or the model.
"""

import sys
from pathlib import Path

import jax

from first_occupancy_paper.experiments.recordings import keep_rows
from first_occupancy_paper.experiments.tartarus.run import all_configs, run


def main(arguments: list[str]) -> None:
    """Make the rows that are not there yet, and print a line for each config."""
    jax.config.update("jax_enable_x64", True)
    folder, file, *words = arguments
    chosen = [
        config
        for config in all_configs(folder)
        if all(
            word in (config.species, getattr(config, "model", "disagreements")) for word in words
        )
    ]
    for line in keep_rows(Path(file), chosen, run):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
