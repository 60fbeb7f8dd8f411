import jax.numpy as jnp
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting.leg_figures import (
    chain_of_legs,
    chain_size,
    name_of,
    table_of_states,
)


def axes():
    return plotting.figure()[1][0, 0]


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_a_chain_names_what_is_followed_until_where():
    legs = [fo.Leg(0, 2, "up", "attic"), fo.Leg(1, 3)]
    ax = chain_of_legs(axes(), legs, "hall")
    assert texts(ax) == ["hall", "up", "attic", "policy 1", "state 3"]


def test_long_chains_go_on_in_the_next_row_and_are_cut():
    ax = chain_of_legs(axes(), [fo.Leg(0, state) for state in range(60)], "here")
    assert texts(ax)[-1] == "and 20 more legs"
    assert chain_size(60) == (6, 9)
    assert chain_size(3) == (4, 1)


def test_a_table_has_the_discounts_and_what_to_do():
    plan = fo.Plan(
        jnp.array(2),
        jnp.array([0, -1, -1]),
        jnp.array([2, -1, 2]),
        jnp.log(jnp.array([0.5, 0.0, 1.0])),
        achieved=jnp.array([0.75, 0.0, 1.0]),
    ).named(policies=["climb"])
    ax = table_of_states(axes(), plan)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [0.75, 0, 1])
    assert texts(ax) == ["climb until state 2", "cannot reach the goal", "goal"]
    promised = [segment[0, 0] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(promised, [0.5, 0, 1])


def test_names_are_numbers_without_names():
    assert name_of(1, ["a", "b"], otherwise="state") == "b"
    assert name_of(2, ["a", "b"], otherwise="state") == "state 2"
