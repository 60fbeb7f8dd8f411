"""From experiments to stored rows: jobs, the store, workers, the runner, and the ledger page.

grid, sweep     any experiment over configs and seeds
Processes       workers on this machine
RayWorkers      workers on a cluster, with the extra `cluster`
"""

from first_occupancy.sweeps.grid import grid
from first_occupancy.sweeps.processes import Processes
from first_occupancy.sweeps.ray_workers import RayWorkers
from first_occupancy.sweeps.sweep import sweep
from first_occupancy.sweeps.workers import Here, Workers

__all__ = ["Here", "Processes", "RayWorkers", "Workers", "grid", "sweep"]
