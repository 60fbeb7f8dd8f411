"""From experiments to stored rows: jobs, the store, workers and the runner.

grid, sweep     any experiment over configs and seeds
summarise       the table of a sweep: means by setting, with intervals
Processes       workers on this machine
RayWorkers      workers on a cluster, with the extra `cluster`
"""

from first_occupancy_paper.sweeps.grid import grid
from first_occupancy_paper.sweeps.processes import Processes
from first_occupancy_paper.sweeps.ray_workers import RayWorkers
from first_occupancy_paper.sweeps.sweep import sweep
from first_occupancy_paper.sweeps.sweep_tables import SweepTable, summarise
from first_occupancy_paper.sweeps.workers import Here, Workers

__all__ = ["Here", "Processes", "RayWorkers", "SweepTable", "Workers", "grid", "summarise", "sweep"]
