"""The paper's questions, one folder each: `run` yields rows, `plot` and `find` read them.

All of them are listed in `registry`, which is not loaded here: one of them can be run where the
others, or their plots, lack something.
"""

from first_occupancy.experiments.experiment import Experiment, Finding, Verdict
from first_occupancy.experiments.row import Row

__all__ = ["Experiment", "Finding", "Row", "Verdict"]
