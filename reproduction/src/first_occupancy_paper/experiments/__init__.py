"""The paper's questions, one folder each: `run` yields rows, `plot` and `find` read them.

`registry` lists all experiments. It is not imported here, so that one experiment can run where
dependencies of the others, or of plots, are missing.
"""

from first_occupancy_paper.rows.row import Row, grouped, where

from .experiment import Experiment
from .findings import Finding, Line, Verdict, line

__all__ = ["Experiment", "Finding", "Line", "Row", "Verdict", "grouped", "line", "where"]
