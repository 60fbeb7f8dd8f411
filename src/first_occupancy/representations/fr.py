r"""The first-occupancy representation (FR): how soon a policy first reaches each state.

$$F^\pi(s, s') = \mathbb{E}_\pi[\gamma^{T(s')} \mid s_0 = s], \qquad
  T(s') = \min\{k \ge 0 : s_k = s'\}$$

(Def. 3.1, with $\gamma^\infty = 0$.) Every entry lies in [0, 1], and the diagonal is 1 because each
state is reached from itself at once. If policy and world are deterministic, $F(s, s') = \gamma^k$
with k the number of steps from s to s'.

Looking one step ahead gives a recursion: either s' is reached already, or it is reached from the
next state, at the cost of a factor $\gamma$,

$$F(s, s') = 1(s = s') + \gamma\,(1 - 1(s = s'))\ \mathbb{E}[F(s_1, s')].$$

The successor representation lacks the factor $1 - 1(s = s')$ and so counts later visits, too. The
FR is the λ-representation with a decay of 0: later visits do not count. The recursion is its
`target`, inherited from `LambdaRepresentation`; `backup` (Def. 3.2) applies it to all rows.
"""

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.axes import Scalar
from first_occupancy.representations.lambda_representation import LambdaRepresentation


class FirstOccupancyRepresentation(LambdaRepresentation):
    r"""How soon each state is first reached; use the instance `fo.first_occupancy`.

    `solve` divides the SR by its diagonal, $F(s, g) = M(s, g) / M(g, g)$: from the first visit to g
    on, the expected visits are those from g itself (strong Markov property).

    >>> corridor = jnp.array([[0.0, 1.0], [0.0, 1.0]])
    >>> first_occupancy.solve(corridor, discount=0.5).tolist()
    [[1.0, 0.5], [0.0, 1.0]]
    """

    name: ClassVar[str] = "first_occupancy"
    largest_entry: ClassVar[float | None] = 1.0
    decay: Scalar = eqx.field(static=True)

    def __init__(self):
        self.decay = 0.0

    @property
    def parameters(self) -> dict[str, float]:
        """Empty: the decay is always 0."""
        return {}

    def from_visits(self, visits: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
        """Return the FR that corresponds to an SR, M(s, g) / M(g, g).

        Args:
            visits: the SR of the same chain and discount.
        """
        fr = super().from_visits(visits)
        # XLA divides by multiplying with the reciprocal, which may miss 1 by a rounding error.
        states = jnp.arange(visits.shape[-1])
        return fr.at[..., states, states].set(1)


first_occupancy = FirstOccupancyRepresentation()
