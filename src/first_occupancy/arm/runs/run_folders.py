"""What is in a run's folder, and how it gets there and back.

    rows.jsonl         what happened, with where it comes from in the first line
    pretraining.npz    the last checkpoint of pre-training, until that is done
    pretrained.npz     what the runs had learned by then, to fine-tune from as often as one likes
    finetuning.npz     the last checkpoint of fine-tuning
    timing.jsonl       how fast it was; apart, since rows are the same each time

Fine-tuning has worlds and keys of its own, so what was learned is all it needs of pre-training: the
learners without replay and optimisers, at the paper's size 27 MB a run instead of 374.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from first_occupancy.arm.learner import agent_state as learners
from first_occupancy.arm.learner.agent_state import AgentConfig, AgentNetworks
from first_occupancy.arm.runs import row_files
from first_occupancy.arm.runs.run_config import FINETUNING, PRETRAINING, RunConfig, pretraining_data
from first_occupancy.arm.runs.stage import Stage
from first_occupancy.arm.training import lockstep
from first_occupancy.core.errors import InputError
from first_occupancy.storage import checkpoints
from first_occupancy.storage.whole_files import drop_unfinished

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None

ROWS, TIMING, PRETRAINED = "rows.jsonl", "timing.jsonl", "pretrained.npz"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let no other process train in a folder meanwhile: the rows of both would be mixed.

    The system lets go of it however a process ends. Systems and disks without locks have none.
    """
    with (folder / TIMING).open("a") as file:  # the one file that is never replaced
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"{folder}: another process is training here: wait for it, or choose another by "
                "--out"
            ) from None
        except OSError:  # a disk of the network that knows no locks
            pass
        yield


def checkpoint(folder: Path, phase: str) -> Path:
    """Return where the checkpoint of a phase is."""
    return folder / f"{phase}.npz"


def furthest(folder: Path) -> Path | None:
    """Return the file from which a run goes on, if there is any yet."""
    before, after = checkpoint(folder, PRETRAINING), checkpoint(folder, FINETUNING)
    found = [path for path in (after, folder / PRETRAINED, before) if path.exists()]
    return found[0] if found else None


def save(folder: Path, stage: Stage, num_rows: int) -> None:
    """Write a checkpoint of a phase, and how many rows there are."""
    path, state = checkpoint(folder, stage.name), stage.get_state()
    state = {**state, "num_rows": np.int64(num_rows)}
    drop_unfinished(path)  # gigabytes that a kill has left
    checkpoints.save(path, state, facts=_facts(stage))
    if stage.name == FINETUNING:
        _drop_pretraining(folder)


def restore(folder: Path, stage: Stage) -> int:
    """Put a stage at its checkpoint; return how many rows there were by then."""
    like = {**stage.get_state(), "num_rows": np.int64(0)}
    state = checkpoints.load(checkpoint(folder, stage.name), like, facts=_facts(stage))
    stage.set_state(state)
    return int(state["num_rows"])


def save_networks(
    folder: Path,
    config: RunConfig,
    networks: Mapping[str, AgentNetworks],
    num_rows: int,
    *,
    versions: Mapping[str, str],
) -> None:
    """Write what was learned without rewards, and by which versions of packages.

    No checkpoint of pre-training is needed from then on.
    """
    state = {"learned": dict(networks), "num_rows": np.int64(num_rows)}
    checkpoints.save(folder / PRETRAINED, state, facts=_facts_of_networks(config, versions))
    _drop_pretraining(folder)


def load_networks(folder: Path) -> tuple[dict[str, AgentNetworks], int]:
    """Return what the runs of a folder had learned without rewards, and after how many rows."""
    config = row_files.config_of(folder / ROWS)
    origin, _ = row_files.read(folder / ROWS)
    versions = row_files.making_of_pretraining(origin)["versions"]
    like = {"learned": _shapes_of_networks(config), "num_rows": np.int64(0)}
    facts = _facts_of_networks(config, versions)
    state = checkpoints.load(folder / PRETRAINED, like, facts=facts)
    return jax.tree.map(jnp.asarray, state["learned"]), int(state["num_rows"])


def _shapes_of_networks(config: RunConfig) -> dict[str, PyTree]:
    def untrained(settings: AgentConfig) -> AgentNetworks:
        return learners.networks_of(lockstep.init(settings, keys))

    with jax.enable_x64(False):  # as `train` does
        keys = jax.random.split(jax.random.key(0), len(config.seeds))
        return {
            agent: jax.eval_shape(partial(untrained, config.agent_config(agent)))
            for agent in config.agents_in(PRETRAINING)
        }


def _drop_pretraining(folder: Path) -> None:
    """Remove a checkpoint of gigabytes that nobody goes on from."""
    checkpoint(folder, PRETRAINING).unlink(missing_ok=True)


def _facts(stage: Stage) -> dict[str, Any]:
    return {"phase": stage.name, **row_files.identity(stage.config)}


def _facts_of_networks(config: RunConfig, versions: Mapping[str, str]) -> dict[str, Any]:
    # What comes after pre-training is left out: it may be done in many ways.
    return {"phase": "pretrained", "config": pretraining_data(config), "versions": dict(versions)}
