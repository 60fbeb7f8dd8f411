"""Would a comparison of models find the model that made the choices?

| looking for | module |
| --- | --- |
| simulated subjects, and fits of all models to them | `run` |
| the ledger's lines, and the figure | `find`, `plot` |
"""

from functools import partial

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.model_recovery.find import find
from first_occupancy_paper.experiments.model_recovery.plot import plot
from first_occupancy_paper.experiments.model_recovery.run import run
from first_occupancy_paper.rows.kept import read_kept

MODEL_RECOVERY = Experiment(
    name="model_recovery",
    question="Is the model that made the choices of simulated subjects found again?",
    paper="Beyond the paper: a check of the comparisons of recorded subjects",
    run=run,
    plot=plot,
    find=find,
    beyond=True,
    kept=partial(read_kept, "model_recovery"),
)
