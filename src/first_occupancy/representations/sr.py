r"""The successor representation (SR): how often a policy visits each state, discounted.

$$M^\pi(s, s') = \mathbb{E}_\pi\Big[\sum_{k \ge 0} \gamma^k\, 1(s_k = s') \,\Big|\, s_0 = s\Big]
  = 1(s = s') + \gamma\ \mathbb{E}[M(s_1, s')]$$

(Dayan 1993; the paper's eq. "SR_def".) In contrast to the FR, every visit counts. It is the
λ-representation with a decay of 1.
"""

from typing import ClassVar

import equinox as eqx

from first_occupancy.core.axes import Scalar
from first_occupancy.representations.lambda_representation import LambdaRepresentation


class SuccessorRepresentation(LambdaRepresentation):
    r"""How often each state is visited, discounted; use the instance `fo.successor`.

    `solve` returns $M = (I - \gamma P)^{-1} = \sum_k (\gamma P)^k$. All terms of the sum are
    non-negative, and only such terms are added (`_solvers.elimination`). A general linear solver
    would leave noise near 1e-16 in entries that should be 0, and a planner that maximises products
    of entries would mistake it for paths.

    >>> import jax.numpy as jnp
    >>> corridor = jnp.array([[0.0, 1.0], [0.0, 1.0]])
    >>> successor.solve(corridor, discount=0.5).tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """

    name: ClassVar[str] = "successor"
    decay: Scalar = eqx.field(static=True)

    def __init__(self):
        self.decay = 1.0

    @property
    def parameters(self) -> dict[str, float]:
        """Empty: the decay is always 1."""
        return {}


successor = SuccessorRepresentation()
