"""An ant learns to walk in commanded directions, and its walker is kept in a file of arrays."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from zipfile import BadZipFile

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Float32

from first_occupancy.core.errors import InputError
from first_occupancy.storage.whole_files import whole_file
from first_occupancy_paper.walkers import ppo
from first_occupancy_paper.worlds.ant_batch import (
    NUM_FEATURES,
    NUM_TORQUES,
    AntBatch,
    ant_controls,
    ant_features,
)


@dataclass(frozen=True, eq=False)
class Walker:
    """A learned gait: from features of an ant to torques, in NumPy.

    Attributes:
        weights: weights of the layers, [outputs inputs] each.
        biases: their biases.
        mean: mean of features in training.
        scale: their standard deviation.
    """

    weights: tuple[Float32[np.ndarray, "..."], ...]
    biases: tuple[Float32[np.ndarray, "..."], ...]
    mean: Float32[np.ndarray, " O"]
    scale: Float32[np.ndarray, " O"]

    def __call__(self, features: Float32[np.ndarray, "B O"]) -> Float32[np.ndarray, "B A"]:
        """Return the mean action of the policy."""
        layer = np.clip((features - self.mean) / self.scale, -ppo.MAX_SCALED, ppo.MAX_SCALED)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            layer = layer @ weight.T + bias
            layer = layer / (1 + np.exp(-layer))
        return layer @ self.weights[-1].T + self.biases[-1]

    def controls(
        self,
        positions: Float[np.ndarray, "B 15"],
        velocities: Float[np.ndarray, "B 14"],
        commands: Float[np.ndarray, "B 2"],
    ) -> Float[np.ndarray, "B 8"]:
        """Return the controls of ants that are to walk in given directions."""
        features, turns = ant_features(positions, velocities, commands)
        return ant_controls(self(features), turns)

    def save(self, path: str | Path) -> None:
        """Write the walker as a NumPy archive.

        Args:
            path: path of the file, ending in `.npz`.
        """
        parts = {"mean": self.mean, "scale": self.scale}
        for number, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            parts |= {f"weight{number}": weight, f"bias{number}": bias}
        with whole_file(Path(path)) as file:
            np.savez(file, allow_pickle=False, **parts)


def load_walker(path: str | Path) -> Walker:
    """Return a walker from its file.

    Args:
        path: path of a file that `Walker.save` wrote.

    Raises:
        InputError: if it cannot be read, or is no walker.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            parts = {name: np.asarray(stored[name]) for name in stored.files}
        layers = range(sum(name.startswith("weight") for name in parts))
        weights, biases = (
            tuple(parts[f"{kind}{number}"] for number in layers) for kind in ("weight", "bias")
        )
        walker = Walker(weights, biases, parts["mean"], parts["scale"])
        right = walker(np.zeros((1, NUM_FEATURES), np.float32)).shape == (1, NUM_TORQUES)
    except (OSError, TypeError, ValueError, BadZipFile, EOFError, KeyError, IndexError) as error:
        raise InputError(
            f"load_walker: path must be a file that Walker.save wrote, got {type(error).__name__} "
            f"for {str(path)!r}"
        ) from None
    if not right:
        raise InputError(f"load_walker: {str(path)!r} must hold a walker for ants, but does not")
    return walker


def walker_of(state: ppo.PPOState) -> Walker:
    """Return the walker that an agent has learned."""
    layers = state.networks.mean.layers
    return Walker(
        tuple(np.asarray(layer.weight, np.float32) for layer in layers),
        tuple(np.asarray(layer.bias, np.float32) for layer in layers),
        np.asarray(state.scaling.mean, np.float32),
        np.sqrt(np.asarray(state.scaling.variance, np.float32) + 1e-6),
    )


def learn_to_walk(
    ants: AntBatch,
    *,
    seed: int,
    horizon: int = 32,
    width: int = 256,
    state: ppo.PPOState | None = None,
) -> Iterator[tuple[ppo.PPOState, dict[str, float]]]:
    """Yield the agent after each round of acting and learning, without end.

    Values are those of a command that never changes: a step after which the command changes
    bootstraps from the value of the old one.

    Args:
        ants: ants that learn together.
        seed: seed of weights and exploration.
        horizon: steps of each ant in a round.
        width: width of the networks' layers.
        state: agent that learns on; None for one that has learned nothing.

    Yields:
        The state, and a report: steps so far, seconds so far and those spent on physics, mean
        reward, mean speed as commanded, falls in 1,000 steps, standard deviation of actions, and
        what `ppo.update` reports.
    """
    key, first = jax.random.split(jax.random.key(seed))
    if state is None:
        state = ppo.init(first, NUM_FEATURES, NUM_TORQUES, width=width)
    began, physics, done = monotonic(), 0.0, 0
    while True:
        rows, speed = [], 0.0
        for _ in range(horizon):
            key, drawn = jax.random.split(key)
            seen = ants.features
            actions = np.asarray(ppo.act(state, jnp.asarray(seen), drawn))
            before = monotonic()
            arrivals, rewards, given_up, _ = ants.step(actions)
            physics += monotonic() - before
            speed += float(ants.speeds.mean())
            rows.append((seen, actions, rewards, arrivals, given_up, ants.new))
        steps = ppo.Steps(*(jnp.asarray(np.stack(each)) for each in zip(*rows, strict=True)))
        key, drawn = jax.random.split(key)
        state, report = ppo.update(state, steps, drawn)
        done += horizon * ants.num
        progress = {
            "steps": done,
            "seconds": monotonic() - began,
            "physics": physics,
            "reward": float(steps.rewards.mean()),
            "speed": speed / horizon,
            "falls": float(1000 * steps.terminated.mean()),
            "deviation": float(np.exp(np.asarray(state.networks.log_std)).mean()),
            **{name: float(each) for name, each in report.items()},
        }
        yield state, progress
