"""Hitting times of chains in any form."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import first_occupancy as fo

CHAIN = np.array([[0.5, 0.3, 0.2], [0, 1, 0], [0, 0, 1]])


class Table:
    """A matrix with names, as pandas and Polars have it."""

    columns = ("browse", "checkout", "left")

    def to_numpy(self):
        return CHAIN


def test_all_forms_of_a_chain_agree():
    world = fo.MDP(CHAIN[:, None], state_names=Table.columns)
    passages = [
        fo.hitting(CHAIN, 1),
        fo.hitting(csr_matrix(CHAIN), [1]),
        fo.hitting(Table(), "checkout"),
        fo.hitting(CHAIN, ["checkout"], state_names=Table.columns),
        fo.hitting(world, "checkout"),
        fo.hitting(world, "checkout", policy=np.zeros(3, int)),
    ]
    for passage in passages:
        np.testing.assert_allclose(passage.probability, [0.6, 1, 0], rtol=1e-6)
        np.testing.assert_allclose(passage.mean, [2, 0, np.inf], rtol=1e-6)
    assert "1 'checkout'" in repr(passages[2])
    assert passages[2].arrival("browse").by(1) == pytest.approx(0.3)


def test_avoided_states_end_the_journey():
    passage = fo.hitting(Table(), ["checkout"], avoid=["left"])
    np.testing.assert_allclose(passage.probability, [0.6, 1, 0])
    passage = fo.hitting(Table(), ["checkout", "left"], discount=0.9)
    np.testing.assert_allclose(passage.expected_discount, [0.9 * 0.5 / (1 - 0.45), 1, 1])


def test_a_world_with_durations_and_a_policy_is_timed():
    world = fo.SparseMDP([CHAIN, np.eye(3)[[1, 1, 2]]], durations=[1.0, 5.0])
    assert fo.hitting(world, 1, policy=[1, 0, 0]).mean[0] == 5
    np.testing.assert_allclose(
        fo.hitting(world, 1, policy=np.full((3, 2), 0.5)).probability[0], 1.3 / 1.5
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"targets": []}, "targets must be at least one state"),
        ({"targets": [7]}, r"targets must be in 0\.\.2, got 7"),
        ({"targets": "checkin"}, "names"),
        ({"targets": [1], "avoid": [1]}, "targets must not be states to avoid"),
        ({"targets": 1, "policy": [0, 0, 0]}, "policy must be None"),
        ({"targets": 1, "discount": 1.5}, "discount"),
        ({"targets": 1, "avoid": 5}, "avoid"),
        ({"targets": 1, "chain": np.ones((2, 3))}, r"\[S S\]"),
        ({"targets": 1, "chain": np.ones((2, 2))}, "sum"),
        ({"targets": 1, "chain": "x"}, "chain"),
        ({"targets": 1, "chain": fo.four_rooms()}, "policy must be given"),
    ],
)
def test_what_cannot_be_used_is_said(options, message):
    with pytest.raises(fo.InputError, match=message):
        fo.hitting(**({"chain": CHAIN} | options))


def test_targets_that_cannot_be_reached_are_an_answer():
    passage = fo.hitting(np.eye(2), 1)
    assert passage.probability.tolist() == [0, 1]
    assert np.isinf(passage.mean[0])
    assert passage.quantile(0.5).tolist() == [np.inf, 0]
