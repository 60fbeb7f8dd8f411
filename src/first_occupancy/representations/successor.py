r"""The successor representation (SR): how often a policy will be in each state.

$$M^\pi(s, s') = \mathbb{E}_\pi\Big[\sum_{k \ge 0} \gamma^k\, 1(s_k = s') \,\Big|\, s_0 = s\Big]
  = 1(s = s') + \gamma\ \mathbb{E}[M(s_1, s')]$$

(Dayan 1993; the paper's eq. "SR_def".) It is the FR's foil: every visit counts.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import check_discount, check_probabilities, check_shape
from first_occupancy.representations.recursion import apply_to_all, learn, move_row


def initial(num_states: int) -> Float[Array, "S S"]:
    """Return the SR before any experience: each state is visited once, now."""
    return jnp.eye(num_states)


def solve(chain: Float[Array, "*N S S"], discount: Scalar) -> Float[Array, "*N S S"]:
    r"""Return the exact SR of a Markov chain, or of each chain of a stack.

    $$M = (I - \gamma P)^{-1} = \sum_k (\gamma P)^k$$

    The sum is taken by doubling, $M \leftarrow M + A M,\ A \leftarrow A A$ from $M = I,
    A = \gamma P$, until nothing changes. All its terms are non-negative, so nothing
    cancels: entries of 1e-30 come out as accurate as entries of 1, and zeros as zeros. A
    linear solver would leave noise near 1e-16 there, which a planner that maximises
    products of such entries would take for paths.
    """
    check_discount("solve", discount)
    check_shape("solve", "chain", chain, "*N S S")
    check_probabilities("solve", "chain", chain, ("state",))
    return _sum_of_powers(jnp.asarray(discount * chain))


def own_visits(sr: Float[Array, "*N S S"]) -> Float[Array, "*N 1 S"]:
    """Return M(g, g) of every state g, as a row to divide columns by."""
    return jnp.diagonal(sr, axis1=-2, axis2=-1)[..., None, :]


MAX_DOUBLINGS = 64
"""More powers than any discount below 1 can tell from none; ends the loop on NaN."""


@jax.custom_jvp
@jax.jit
def _sum_of_powers(matrix: Float[Array, "*N S S"]) -> Float[Array, "*N S S"]:
    Carry = tuple[Array, Array, Bool[Array, ""], Int[Array, ""]]

    def unfinished(carry: Carry) -> Bool[Array, ""]:
        _, _, changed, doublings = carry
        return changed & (doublings < MAX_DOUBLINGS)

    def double(carry: Carry) -> Carry:
        total, power, _, doublings = carry
        # "highest" because a GPU would otherwise round the factors to 10 bits.
        grown = total + jnp.matmul(power, total, precision="highest")
        squared = jnp.matmul(power, power, precision="highest")
        return grown, squared, jnp.any(grown != total), doublings + 1

    identity = jnp.broadcast_to(jnp.eye(matrix.shape[-1], dtype=matrix.dtype), matrix.shape)
    begin = (identity, matrix, jnp.array(True), jnp.array(0))
    return jax.lax.while_loop(unfinished, double, begin)[0]


def _sum_of_powers_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    r"""Return the sum and its derivative, $dM = M\, dA\, M$; loops have no reverse mode."""
    total = _sum_of_powers(*primals)
    multiply = partial(jnp.matmul, precision="highest")
    return total, multiply(total, multiply(tangents[0], total))


_sum_of_powers.defjvp(_sum_of_powers_jvp)  # pyrefly: ignore[bad-argument-type]


def target(state: Index, following: Float[Array, " S"], discount: Scalar) -> Float[Array, " S"]:
    """Return what row `state` should be, given the (expected) row that follows it."""
    here = jax.nn.one_hot(state, len(following), dtype=following.dtype)
    return here + discount * following


def backup(
    sr: Float[Array, "*N S S"], chain: Float[Array, "*N S S"], discount: Scalar
) -> Float[Array, "*N S S"]:
    r"""Return the Bellman operator applied to an SR, $I + \gamma P M$."""
    return apply_to_all(target, sr, chain, discount)


def td_step(
    sr: Float[Array, "S S"],
    state: Index,
    next_state: Index,
    *,
    discount: Scalar,
    step_size: Scalar,
) -> tuple[Float[Array, "S S"], Float[Array, " S"]]:
    """Update row `state` from one transition; return the new SR and the TD error."""
    return move_row(sr, state, target(state, sr[next_state], discount), step_size)


def td_learn(
    sr: Float[Array, "*N S S"], states: Int[Array, "*N T"], *, discount: Scalar, step_size: Scalar
) -> tuple[Float[Array, "*N S S"], Float[Array, "*N T-1"]]:
    """Run `td_step` along a walk; return the SR and the L2 norm of each TD error.

    A stack of them learns along a stack of walks, each along its own.
    """
    return learn(target, sr, (states,), discount=discount, step_size=step_size)
