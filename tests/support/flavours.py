"""The three representations, each with an oracle, for tests of what they have in common."""

import jax
import numpy as np
import pytest

from first_occupancy.core import MDP, rollout
from first_occupancy.representations import LambdaRepresentation, first_occupancy, successor
from oracles import fr_by_linear_solves

DISCOUNT, DECAY = 0.8, 0.4


def sr_by_inversion(chain):
    return np.linalg.inv(np.eye(len(chain)) - DISCOUNT * chain)


def lambda_by_linear_solves(chain):
    """Each return is worth DECAY of the visit before: a geometric series in the return discount."""
    fr = fr_by_linear_solves(chain, DISCOUNT)
    returns = DISCOUNT * np.einsum("gs,sg->g", chain, fr)
    return fr / (1 - DECAY * returns)


def long_walk(transition, policy):
    return rollout(MDP(transition), jax.random.key(0), policy, 0, num_steps=100_000)


FLAVOURS = {
    "first": (
        first_occupancy.td_step,
        first_occupancy.td_learn,
        lambda chain: fr_by_linear_solves(chain, DISCOUNT),
        first_occupancy,
    ),
    "successor": (successor.td_step, successor.td_learn, sr_by_inversion, successor),
    "lambda": (
        LambdaRepresentation(DECAY).td_step,
        LambdaRepresentation(DECAY).td_learn,
        lambda_by_linear_solves,
        LambdaRepresentation(DECAY),
    ),
}
flavours = pytest.mark.parametrize("flavour", FLAVOURS)
