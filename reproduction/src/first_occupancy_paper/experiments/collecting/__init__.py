"""Rewards that can be taken once: orders of visits against GPI, greedy rules and the optimum."""

from first_occupancy_paper.experiments import Experiment
from first_occupancy_paper.experiments.collecting.find import find
from first_occupancy_paper.experiments.collecting.plot import plot
from first_occupancy_paper.experiments.collecting.run import run, settings

COLLECTING = Experiment(
    name="collecting",
    question="How much of the rewards that can be taken once does each way to plan collect?",
    paper="beyond the paper (its motivation: rewards that are consumed at the first visit)",
    settings=settings,
    run=run,
    plot=plot,
    find=find,
    beyond=True,
)
