"""What every representation of occupancies can do: the verbs, written once.

A representation says what each row of its table should be, given the row that follows it: its
*target*. The Bellman operator and TD learning need to know nothing else, over states and over
state-action pairs, along walks and from logs. So a representation is a class with two methods of
its own, `target` and `solve`, and inherits the rest:

    class Mine(Representation):
        name = "mine"

        def target(self, state, following, *, discount): ...

        def solve(self, chain, *, discount): ...
"""

from abc import abstractmethod
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer

from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import InputError, check_discount, check_shape
from first_occupancy.representations import td
from first_occupancy.representations._log_learning import learn_log
from first_occupancy.representations._solvers.sparse import SparseChain
from first_occupancy.representations.state_action import StateActionRepresentation

_BY_NAME: dict[str, type["Representation"]] = {}


class Representation(eqx.Module):
    """A kind of occupancy: how much being in each state counts, now and later.

    Representations are small records without tables: `solve` and the learners return those.
    """

    name: ClassVar[str]
    """What files call it."""

    largest_entry: ClassVar[float | None] = None
    """An upper bound on every entry of a table, if there is one."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Make the class known by its name, so that saved tables can be loaded."""
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            _BY_NAME[cls.name] = cls

    @abstractmethod
    def target(
        self, state: Index, following: Float[Array, " S"], *, discount: Scalar
    ) -> Float[Array, " S"]:
        """Return what row `state` should be, given the (expected) row that follows it.

        Args:
            state: the row's state.
            following: row of the next state, or the expectation over next states.
            discount: discount factor per step.
        """

    @abstractmethod
    def solve(
        self, chain: Float[Array, "*N S S"] | SparseChain, *, discount: Scalar
    ) -> Float[Array, "*N S S"]:
        """Return the exact table of a Markov chain, or of each chain of a stack.

        Args:
            chain: transition matrix of a policy, as `fo.chain(world, policy)` makes it.
            discount: discount factor per step.
        """

    @property
    def parameters(self) -> dict[str, float]:
        """What tells representations of one class apart, as plain numbers."""
        return {}

    @property
    def state_action(self) -> StateActionRepresentation:
        """The same representation with a row per state-action pair."""
        return StateActionRepresentation(self)

    def initial(self, num_states: int) -> Float[Array, "S S"]:
        """Return the table before any experience: each state reaches itself and nothing else."""
        return jnp.eye(num_states)

    def backup(
        self, rep: Float[Array, "*N S S"], chain: Float[Array, "*N S S"], *, discount: Scalar
    ) -> Float[Array, "*N S S"]:
        r"""Return the Bellman operator applied to a table: every row's target.

        The row that follows s is $\sum_{s'} P(s, s')\, \mathrm{rep}(s', \cdot)$ in expectation.
        For the FR this is Def. 3.2, $G F = I + \gamma (11^\top - I) \circ P F$, with the
        elementwise product $\circ$ that the printed formula lacks. It shrinks the largest
        difference in each column by $\gamma$ (Prop. 3.1, corrected), so repeating it from
        `initial` converges to `solve` (Prop. 3.2).

        Args:
            rep: table, or stack of tables.
            chain: transition matrix of the policy, or a stack of them.
            discount: discount factor per step.
        """
        check_discount("backup", discount)
        check_shape("backup", "the representation", rep, "*N S S")
        check_shape("backup", "chain", chain, "*N S S")
        following = jnp.matmul(chain, rep, precision="highest")
        rows = jnp.vectorize(
            lambda s, row: self.target(s, row, discount=discount), signature="(),(s)->(s)"
        )
        return rows(jnp.broadcast_to(jnp.arange(rep.shape[-1]), following.shape[:-1]), following)

    def td_step(
        self,
        rep: Float[Array, "S S"],
        state: Index,
        next_state: Index,
        *,
        discount: Scalar,
        step_size: Scalar,
    ) -> tuple[Float[Array, "S S"], Float[Array, " S"]]:
        """Move row `state` towards its target after one transition (TD(0)).

        Args:
            rep: table to update.
            state: state that was left.
            next_state: state that was entered.
            discount: discount factor per step.
            step_size: share of the TD error by which the row moves.

        Returns:
            The new table, and the TD error of the row.
        """
        following = td.following_row(rep, next_state, discount)
        target = self.target(state, following, discount=discount)
        return td.move_row(rep, state, target, step_size)

    def td_learn(
        self,
        rep: Float[Array, "*N S S"],
        states: Int[Array, "*N T"],
        *,
        discount: Scalar,
        step_size: Scalar,
    ) -> tuple[Float[Array, "*N S S"], Float[Array, "*N T-1"]]:
        """Run `td_step` along a walk.

        Args:
            rep: table to update. A stack of tables learns along a stack of walks, each along its
                own.
            states: states of the walk, in order.
            discount: discount factor per step.
            step_size: share of the TD error by which rows move.

        Returns:
            The new table, and the L2 norm of each TD error.
        """
        return td.learn(self, rep, (states,), discount=discount, step_size=step_size)

    def td_learn_log(
        self,
        reps: Float[Array, "N S S"],
        states: Integer[np.ndarray, " L"],
        next_states: Integer[np.ndarray, " L"],
        policies: Integer[np.ndarray, " L"],
        *,
        discount: Scalar,
        step_size: Scalar,
    ) -> Float[Array, "N S S"]:
        """Return the tables of N policies after one pass over a log of their transitions.

        The same as `td_step` for one transition after the other, each on its policy's table. The
        log may be memory-mapped files that would not fit in memory: it is read a piece at a time.
        Transitions need not join up, so the ends of episodes need no marks.

        TD moves the rows of states that were left. The row of a state that never was, as where
        episodes end, stays as `initial` made it: the end is visited once, and nothing follows.
        FRs of the chains of `interop.data.logs` say the same. SRs do not: those chains stay in
        an end for ever, and their SR has 1 / (1 - discount) visits to it where TD has 1.

        Args:
            reps: one table per policy.
            states: states that were left.
            next_states: states that were entered.
            policies: whose table each transition tells about.
            discount: discount factor per step.
            step_size: share of the TD error by which rows move.
        """
        log = (policies, states, next_states)
        return learn_log(self, reps, log, discount=discount, step_size=step_size)


def named(name: str, **parameters: float) -> Representation:
    """Return the representation with a name and parameters, as files have them.

    Args:
        name: `Representation.name`.
        **parameters: `Representation.parameters`.

    Raises:
        InputError: if no representation has that name, or it has other parameters.
    """
    if name not in _BY_NAME:
        known = ", ".join(sorted(_BY_NAME))
        raise InputError(f"representation must be one of {known}, got {name!r}")
    try:
        return _BY_NAME[name](**parameters)
    except TypeError:
        got = ", ".join(parameters) or "none"
        raise InputError(f"{name}: takes other parameters, got {got}") from None
