"""Rats and humans in the Tartarus maze: which model describes their choices?

| looking for | module |
| --- | --- |
| the recordings, from a folder that the user names | `recorded` |
| the models | `candidates` |
| fits, held-out likelihoods and disagreements | `run` |
| phases of learning; simulated trials beside recorded ones | `phases`, `simulated` |
| the ledger's lines, and the figures | `find`, `find_moves`, `plot` |
"""

from functools import partial

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.tartarus.find import find
from first_occupancy_paper.experiments.tartarus.plot import plot
from first_occupancy_paper.experiments.tartarus.run import run
from first_occupancy_paper.rows.kept import read_kept

TARTARUS = Experiment(
    name="tartarus",
    question="Which model describes the choices of rats and humans in a maze that changes?",
    paper="Beyond the paper: recordings of de Cothi et al. (2022)",
    run=run,
    plot=plot,
    find=find,
    beyond=True,
    kept=partial(read_kept, "tartarus"),
)
