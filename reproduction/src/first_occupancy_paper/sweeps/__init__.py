"""From experiments to stored rows: jobs, the store, workers and the runner.

grid, sweep     any experiment over configs and seeds
summarise       the table of a sweep: means by setting, with intervals
Processes       workers on this machine
RayWorkers      workers on a cluster, with the extra `cluster`
"""

from .grid import grid
from .processes import Processes
from .ray_workers import RayWorkers
from .sweep import sweep
from .sweep_tables import SweepTable, summarise
from .workers import Here, Workers

__all__ = ["Here", "Processes", "RayWorkers", "SweepTable", "Workers", "grid", "summarise", "sweep"]
