"""The files in a run's folder, and how they are written and read.

| file | contents |
| --- | --- |
| rows.jsonl | the results, with their origin in the first line |
| pretraining.npz | the last checkpoint of pre-training, until it is finished |
| pretrained.npz | the networks after pre-training, which can be fine-tuned any number of times |
| finetuning.npz | the last checkpoint of fine-tuning |
| timing.jsonl | times taken; a separate file, since rows are the same in every run |

Fine-tuning has worlds and keys of its own, so it needs only the networks of pre-training, without
replay and optimisers: at the paper's size 27 MB per run instead of 374.
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

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import drop_unfinished

from ..learner.agent_state import AgentNetworks, networks_of
from ..training import lockstep
from . import checkpoints, row_files
from .run_config import FINETUNING, PRETRAINING, RunConfig, pretraining_data
from .stage import Stage

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None

ROWS, TIMING, PRETRAINED = "rows.jsonl", "timing.jsonl", "pretrained.npz"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock a folder, so that no other process trains in it and mixes its rows with ours.

    The system releases the lock however the process ends. Without file locks (on systems other
    than POSIX, and some network disks) nothing is locked.
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
        except OSError:  # a network disk without locks
            pass
        yield


def checkpoint(folder: Path, phase: str) -> Path:
    """Return the path of a phase's checkpoint."""
    return folder / f"{phase}.npz"


def furthest(folder: Path) -> Path | None:
    """Return the file from which a run is resumed, if there is one."""
    before, after = checkpoint(folder, PRETRAINING), checkpoint(folder, FINETUNING)
    return next((path for path in (after, folder / PRETRAINED, before) if path.exists()), None)


def save(folder: Path, stage: Stage, num_rows: int) -> None:
    """Write a checkpoint.

    Args:
        folder: folder of the run.
        stage: the stage to save.
        num_rows: number of rows written so far.
    """
    path, state = checkpoint(folder, stage.name), stage.get_state()
    state = {**state, "num_rows": np.int64(num_rows)}
    drop_unfinished(path)  # gigabytes left by a killed process
    checkpoints.save(path, state, facts=_facts(stage))
    if stage.name == FINETUNING:
        checkpoint(folder, PRETRAINING).unlink(missing_ok=True)  # it takes gigabytes


def restore(folder: Path, stage: Stage) -> int:
    """Restore a stage from its checkpoint.

    Args:
        folder: folder of the run.
        stage: the stage to restore, which is changed in place.

    Returns:
        Number of rows written before the checkpoint.
    """
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
    """Write the networks after pre-training, and drop its checkpoint, which is no longer needed.

    Args:
        folder: folder of the run.
        config: its settings.
        networks: pre-trained networks of each agent's runs.
        num_rows: number of rows of pre-training.
        versions: versions of the packages that pre-trained them.
    """
    state = {"learned": dict(networks), "num_rows": np.int64(num_rows)}
    checkpoints.save(folder / PRETRAINED, state, facts=_facts_of_networks(config, versions))
    checkpoint(folder, PRETRAINING).unlink(missing_ok=True)


def load_networks(folder: Path) -> tuple[dict[str, AgentNetworks], int]:
    """Return the pre-trained networks in a folder, by agent, and the number of their rows."""
    config = row_files.config_of(folder / ROWS)
    origin, _ = row_files.read(folder / ROWS)
    versions = row_files.making_of_pretraining(origin)["versions"]
    like = {"learned": _shapes_of_networks(config), "num_rows": np.int64(0)}
    facts = _facts_of_networks(config, versions)
    state = checkpoints.load(folder / PRETRAINED, like, facts=facts)
    return jax.tree.map(jnp.asarray, state["learned"]), int(state["num_rows"])


def _shapes_of_networks(config: RunConfig) -> dict[str, PyTree]:
    with jax.enable_x64(False):  # as `train` does
        keys = jax.random.split(jax.random.key(0), len(config.seeds))
        untrained = {
            agent: jax.eval_shape(partial(lockstep.init, config.agent_config(agent)), keys)
            for agent in config.agents_in(PRETRAINING)
        }
    return {agent: networks_of(learner) for agent, learner in untrained.items()}


def _facts(stage: Stage) -> dict[str, Any]:
    return {"phase": stage.name, **row_files.identity(stage.config)}


def _facts_of_networks(config: RunConfig, versions: Mapping[str, str]) -> dict[str, Any]:
    # Settings of fine-tuning are left out, since they may differ from run to run.
    return {"phase": "pretrained", "config": pretraining_data(config), "versions": dict(versions)}
