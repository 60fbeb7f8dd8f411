"""How fast is training on the Jaco arm as a whole, and who waits for whom?

For R runs of each agent it goes through the loop of `training.advance` three times:

    updates_per_second            with the arms, learning and simulating at once
    without_simulation            in a world that stands still: what the device alone takes
    without_learning              arms that move but nobody learns: what the host alone takes

An update of all runs counts once. `waiting_for_simulation` is the share of time in which the
device has nothing to do because the host still simulates, that is
1 - updates_per_second / without_simulation; `simulating` is the share that the host spends in the
simulator, whether the device waits or not. Looks (rows, with an evaluation where there is a task)
and checkpoints are timed apart; `hours_per_million` steps of each run includes the looks:

    python benchmarks/jaco_training.py --runs 10 --environments 2 --json training.json

On one H200 (16 cores, JAX 0.11, bfloat16) the device was waiting for the host. Ten runs, two
environments each, one update a step, took 8.0 ms a step, of which the kernels were 3.1:

    5.1 ms   telling the device to act (1.0), to learn (2.5) and to remember (1.7): ten calls, each
             of which walks through some 80 arrays, and launches of 430 kernels
    1.7 ms   simulating, after all that
    0.7 ms   waiting for the actions

Since then there are three calls a step for all groups of runs, and a thread simulates while the
device is told to learn; the rows are the same to the byte. What is left to tell takes the host
4 ms a step, however many runs there are, so that it should have several updates in it: six runs
with 8 environments each, 4 updates a step, take 8.2 ms, which is what their kernels take (2.05 an
update); with 4 environments and 2 updates 6.2. XLA's command buffers change nothing here.

A whole run of ten, 8 environments each: pre-training at 310 updates a second, the GPU busy (one
reading); fine-tuning at 288, between two looks at most 358, with the GPU busy for 50 to 74% of the
time (three readings). An update of fine-tuning is shorter, and arms that touch something take half
as long again to simulate (.6 instead of .4 ms a step on one core), so there the host may be what is
waited for; what it does in that time was not measured. Evaluations, 4 s each, go on beside it.

The same ten as two processes, one for each agent, on one H200 under NVIDIA's Multi-Process Service:
pre-training at 334 updates a second on average, fine-tuning at 376, and with other seeds at 367 and
380.

Twenty, ten of each agent, 8 environments each, timed by this script on one H200: in one process
pre-training at 185 updates a second and fine-tuning at 237, as two processes (begun at once, not
otherwise in step) at 209 (APF) and 204 (APS), and at 264 and 259. The host simulates for 28 to 52%
of the time while the device learns; the device waits for it, in two processes, for .3 to 2.7%.

Small enough for a CPU: --runs 1 --width 32 --batch 64 --steps 100 --first-steps 50.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np

from first_occupancy_paper.arm.runs import checkpoints
from first_occupancy_paper.arm.runs.run_config import FINETUNING, PHASES, RunConfig
from first_occupancy_paper.arm.runs.stage import Stage, begin
from first_occupancy_paper.arm.world import EPISODE_STEPS, JacoBatch
from first_occupancy_paper.rows import provenance


class TimedWorld:
    """Arms, and the time they took."""

    seconds = 0.0

    def __init__(self, task: str, seeds: list[int]) -> None:
        self._arms = JacoBatch(task, seeds)
        self.num, self.get_state, self.set_state = (
            self._arms.num,
            self._arms.get_state,
            self._arms.set_state,
        )
        self.reset = self._arms.reset

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return self._arms.ended

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the arms sense and earn."""
        begin = time.perf_counter()
        result = self._arms.step(actions)
        TimedWorld.seconds += time.perf_counter() - begin
        return result


class StillWorld(TimedWorld):
    """Arms that are never moved: the same observations in no time, with episodes as long."""

    def __init__(self, task: str, seeds: list[int]) -> None:
        super().__init__(task, seeds)
        self._seen, self._clock = self._arms.reset(), EPISODE_STEPS
        self.reset = self._reset

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return self._clock >= EPISODE_STEPS

    def _reset(self) -> np.ndarray:
        self._clock = 0
        return self._seen

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same as before, at once."""
        self._clock += 1
        return self._seen, np.zeros(self.num, np.float32)


def rate(stage: Stage, steps: int, *, warm: int) -> float:
    """Return steps of all environments a second, the first ones not counted."""
    for _ in range(warm):
        stage.advance()
    jax.block_until_ready(stage.groups)
    TimedWorld.seconds = 0.0
    began = time.perf_counter()
    for _ in range(steps):
        stage.advance()
    jax.block_until_ready(stage.groups)
    return steps / (time.perf_counter() - began)


def measure(config: RunConfig, phase: str, steps: int, *, saves: bool) -> dict[str, object]:
    """Return a row about one phase."""
    warm = config.first_steps // config.environments + 20
    still = begin(config, phase, {}, make_world=StillWorld)
    alone = rate(still, steps, warm=warm)
    still.close()
    never = replace(config, first_steps=10**8 * config.environments)
    idle = begin(never, phase, {}, make_world=TimedWorld)
    host = rate(idle, steps, warm=20)
    idle.close()
    stage = begin(config, phase, {}, make_world=TimedWorld)
    whole = rate(stage, steps, warm=warm)
    simulating = TimedWorld.seconds * whole / steps
    updates = config.environments / config.steps_per_update
    row = {
        "phase": phase,
        "agents": list(stage.agents),
        "runs": stage.num_runs,
        "environments": config.environments,
        "width": config.width,
        "batch": config.batch,
        "precision": config.precision,
        "updates_per_second": round(whole * updates, 2),
        "without_simulation": round(alone * updates, 2),
        "without_learning": round(host * updates, 2),
        "waiting_for_simulation": round(1 - whole / alone, 3),
        "simulating": round(simulating, 3),
        "environment_steps_per_second": round(whole * config.environments * stage.num_runs),
        "look_seconds": timed(lambda: stage.look().result()),
    }
    row["second_look_seconds"] = timed(lambda: stage.look().result())
    if saves:
        row |= saving(stage)
    stage.close()
    every = config.evaluate_every / config.environments / whole
    look = row["second_look_seconds"] if phase == FINETUNING else 0.0
    row["hours_per_million"] = round(1e6 / config.evaluate_every * max(every, look) / 3600, 3)
    return row


def saving(stage: Stage) -> dict[str, float]:
    """Return how large a checkpoint is, and how long it takes to write."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = Path(folder) / "checkpoint.npz"
        seconds = timed(lambda: checkpoints.save(path, stage.get_state(), facts={}))
        return {"save_seconds": seconds, "checkpoint_gb": round(path.stat().st_size / 1e9, 3)}


def timed(call) -> float:
    """Return the seconds that a call takes."""
    began = time.perf_counter()
    call()
    return round(time.perf_counter() - began, 3)


def main() -> None:
    """Measure what the command line asks for and print it, a line of JSON for each row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", default="apf,aps")
    parser.add_argument("--runs", type=int, nargs="+", default=[10], help="of each agent")
    parser.add_argument("--environments", type=int, nargs="+", default=[2])
    parser.add_argument("--phases", nargs="+", default=list(PHASES))
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--precision", default="tensorfloat32")
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--replay", type=int, default=1_000_000)
    parser.add_argument("--first-steps", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=1000, help="of each environment, timed")
    parser.add_argument("--no-saving", dest="saves", action="store_false", help="no checkpoint")
    parser.add_argument("--json", type=Path, help="write all rows here as well")
    options = parser.parse_args()
    rows: list[dict] = [provenance.hardware() | provenance.versions("jax", "mujoco|mujoco-core")]
    print(json.dumps(rows[0]), flush=True)
    for runs in options.runs:
        for environments in options.environments:
            config = RunConfig(
                agents=tuple(options.agents.split(",")),
                seeds=tuple(range(runs)),
                environments=environments,
                width=options.width,
                batch=options.batch,
                precision=options.precision,
                episodes=options.episodes,
                replay=options.replay,
                first_steps=options.first_steps,
            )
            for phase in options.phases:
                rows.append(measure(config, phase, options.steps, saves=options.saves))
                print(json.dumps(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
