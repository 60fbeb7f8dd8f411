"""Mice in a labyrinth: turning biases, Markov chains, and plans to the exit or to water."""

from functools import partial

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.labyrinth.find import find
from first_occupancy_paper.experiments.labyrinth.plot import plot
from first_occupancy_paper.experiments.labyrinth.run import run
from first_occupancy_paper.rows.kept import read_kept

LABYRINTH = Experiment(
    name="labyrinth",
    question="What predicts where mice turn in a labyrinth: habits, or plans to a goal?",
    paper="Beyond the paper: recordings of Rosenberg et al. (2021)",
    run=run,
    plot=plot,
    find=find,
    beyond=True,
    kept=partial(read_kept, "labyrinth"),
)
