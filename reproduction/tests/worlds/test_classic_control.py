"""Pendulum, MountainCar and Acrobot against the installed Gymnasium, step by step."""

import gymnasium
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy_paper.worlds.classic_control import (
    ACROBOT,
    MOUNTAIN_CAR,
    PENDULUM,
    tip_height,
)

SIZE = 400


def drawn(world, seed=0):
    """Return states from all over a world, and actions, some of them beyond the limits."""
    rng = np.random.default_rng(seed)
    return rng.uniform(world.low, world.high, (SIZE, len(world.low))), rng.uniform(-1.2, 1.2, SIZE)


def wrapped(angles):
    return (angles + np.pi) % (2 * np.pi) - np.pi


def test_pendulums_are_gymnasiums():
    reference = gymnasium.make("Pendulum-v1").unwrapped
    states, actions = drawn(PENDULUM)
    actions = 2 * actions
    ours = np.asarray(PENDULUM.step(jnp.asarray(states), jnp.asarray(actions)))
    seen = np.asarray(PENDULUM.observe(jnp.asarray(ours)))
    for number, (state, action) in enumerate(zip(states, actions, strict=True)):
        reference.state = state
        observation = reference.step(np.array([action]))[0]
        angle, spin = reference.state
        assert ours[number] == pytest.approx([wrapped(angle), spin], abs=1e-12)
        assert seen[number] == pytest.approx(observation, abs=1e-6)


def test_cars_are_gymnasiums():
    reference = gymnasium.make("MountainCarContinuous-v0").unwrapped
    states, actions = drawn(MOUNTAIN_CAR)
    ours = np.asarray(MOUNTAIN_CAR.step(jnp.asarray(states), jnp.asarray(actions)))
    for number, (state, action) in enumerate(zip(states, actions, strict=True)):
        reference.state = state
        assert ours[number] == pytest.approx(reference.step(np.array([action]))[0], abs=1e-7)


def test_acrobots_are_gymnasiums():
    reference = gymnasium.make("Acrobot-v1").unwrapped
    states, _ = drawn(ACROBOT)
    actions = np.random.default_rng(1).integers(3, size=SIZE)
    ours = np.asarray(ACROBOT.step(jnp.asarray(states), jnp.asarray(actions - 1.0)))
    seen = np.asarray(ACROBOT.observe(jnp.asarray(ours)))
    heights = tip_height(seen)
    for number, (state, action) in enumerate(zip(states, actions, strict=True)):
        reference.state = state
        observation, _, over, _, _ = reference.step(int(action))
        spins = reference.state[2:]
        assert ours[number, 2:] == pytest.approx(spins, abs=1e-9)
        assert seen[number] == pytest.approx(observation, abs=1e-5)
        assert over == (heights[number] > 1)


@pytest.mark.parametrize(
    ("world", "name"),
    [
        (PENDULUM, "Pendulum-v1"),
        (MOUNTAIN_CAR, "MountainCarContinuous-v0"),
        (ACROBOT, "Acrobot-v1"),
    ],
)
def test_starts_are_drawn_from_gymnasiums_ranges(world, name):
    reference = gymnasium.make(name).unwrapped
    theirs = []
    for seed in range(300):
        reference.reset(seed=seed)
        theirs.append(np.asarray(reference.state))
    ours = world.starts(np.random.default_rng(0), 300)
    low, high = np.array(world.start_low), np.array(world.start_high)
    for each in (ours, np.array(theirs)):
        assert ((each >= low) & (each <= high)).all()
        assert each.min(axis=0) == pytest.approx(low, abs=0.03 * np.ptp([low, high]) + 1e-9)
        assert each.max(axis=0) == pytest.approx(high, abs=0.03 * np.ptp([low, high]) + 1e-9)
