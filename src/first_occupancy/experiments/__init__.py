"""The paper's questions, one folder each: `run` yields rows, `plot` and `find` read them."""

from first_occupancy.experiments.experiment import Experiment, Finding, Row, Verdict
from first_occupancy.experiments.registry import EXPERIMENTS, experiment

__all__ = ["EXPERIMENTS", "Experiment", "Finding", "Row", "Verdict", "experiment"]
