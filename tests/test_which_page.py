"""The page that says which function one needs: its names are there, and its recipes run."""

import re
from pathlib import Path
from pkgutil import resolve_name

import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.environments import maze
from first_occupancy.interop.states import KeyedStates
from oracles import fr_by_linear_solves, steps_between

PAGE = (Path(__file__).parent.parent / "docs" / "which.md").read_text(encoding="utf-8")
PARTS = ("environments", "representations", "planning", "interop", "plotting")
NAMES = sorted(set(re.findall(rf"`((?:fo|{'|'.join(PARTS)})(?:\.\w+)+)", PAGE)))
NEEDS = {"registration": "gymnasium", "networks": "optax", "plotting": "matplotlib"}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_where_the_page_says(name):
    for part, package in NEEDS.items():
        if part in name:
            pytest.importorskip(package)
    resolve_name("first_occupancy." + name.removeprefix("fo."))


def walked(following, start, actions):
    """Return the states that actions lead through, in a world without chance."""
    states = [start]
    for action in actions:
        states.append(int(following[states[-1], action]))
    return states


def test_recipes_find_the_world_that_was_logged(monkeypatch):
    world = maze(["S..", ".#.", "..G"])
    following, truth = np.asarray(world.next_states).T, np.asarray(world.mdp.transition)
    actions = list(np.random.default_rng(0).integers(4, size=(2, 1000)))
    cells = [world.cell(state) for state in range(8)]
    known = KeyedStates(tuple)
    # So that states have the world's numbers, not those of the order in which they are met.
    known.add_all(cells)
    monkeypatch.setattr("first_occupancy.interop.states.KeyedStates", lambda: known)
    names = {
        "actions": actions,
        "following": following,
        "goal": world.goals[0],
        "episodes": [
            [cells[s] for s in walked(following, start, actions[start])] for start in (0, 1)
        ],
        "mine": jnp.full((1, 8, 4), 0.25),
        "skills": [np.full(8, 1), np.full(8, 3)],
    }
    exec("".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), names)
    assert np.asarray(names["counted"].visited).all()
    np.testing.assert_array_equal(names["world"].transition, truth)
    expected = fr_by_linear_solves(truth.mean(axis=1), 0.95)
    np.testing.assert_allclose(names["frs"][0], expected, rtol=1e-12)
    for sr, action in zip(names["sr"], range(4), strict=True):
        np.testing.assert_allclose(
            sr, np.linalg.inv(np.eye(8) - 0.95 * truth[:, action]), atol=1e-9
        )
    steps = steps_between(np.stack([following[:, 1], following[:, 3]]))[:, world.goals[0]]
    np.testing.assert_allclose(names["plan"].promised, 0.95**steps, rtol=1e-12)
