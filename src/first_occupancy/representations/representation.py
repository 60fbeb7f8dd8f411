"""The methods that all representations of occupancies share.

A representation defines the *target* of each row of its table, given the row of the next state.
The Bellman operator and TD learning need nothing else, over states and over state-action pairs,
along walks and from logs. A new representation therefore implements two methods, `target` and
`solve`, and inherits the rest:

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

from first_occupancy.core.arguments import PositiveInt, check_arguments
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.core.errors import InputError, check_discount, check_shape
from first_occupancy.representations import td
from first_occupancy.representations._solvers.sparse import Chains
from first_occupancy.representations.state_action import StateActionRepresentation

_BY_NAME: dict[str, type["Representation"]] = {}


class Representation(eqx.Module):
    """A kind of occupancy: how much present and future visits to each state count.

    Representations hold no tables: `solve` and the learning methods return them as arrays.
    """

    name: ClassVar[str]
    """Name of the representation in saved files."""

    largest_entry: ClassVar[float | None] = None
    """Upper bound on every entry of a table; None if there is none."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class under its name, so that saved tables can be loaded."""
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            _BY_NAME[cls.name] = cls

    @abstractmethod
    def target(
        self, state: Index, following: Float[Array, " S"], *, discount: Scalar
    ) -> Float[Array, " S"]:
        """Return the target of row `state`, given the (expected) row of the next state.

        Args:
            state: state that the row belongs to.
            following: row of the next state, or its expectation over next states.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """

    @abstractmethod
    def solve(self, chain: Chains, *, discount: Scalar) -> Float[Array, "*N S S"]:
        """Return the exact table of a Markov chain, or of each chain of a stack.

        Args:
            chain: transition matrix of the Markov chain, as `fo.chain(world, policy)` returns it,
                or a stack of them; or one SciPy sparse matrix, or a list of them.
            discount: discount factor per step, from 0 to 1 (exclusive).
        """

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters that distinguish instances of one class, as plain numbers; saved in files."""
        return {}

    @property
    def state_action(self) -> StateActionRepresentation:
        """The same representation with one row per state-action pair."""
        return StateActionRepresentation(self)

    @check_arguments
    def initial(self, num_states: PositiveInt) -> Float[Array, "S S"]:
        """Return the table before any experience: each state reaches itself and nothing else."""
        return jnp.eye(num_states)

    @check_arguments
    def backup(
        self, rep: Float[Array, "*N S S"], chain: Float[Array, "*N S S"], *, discount: Scalar
    ) -> Float[Array, "*N S S"]:
        r"""Return the Bellman operator applied to a table: the target of every row.

        The expected row after s is $\sum_{s'} P(s, s')\, \mathrm{rep}(s', \cdot)$. For the FR this
        is Def. 3.2, $G F = I + \gamma (11^\top - I) \circ P F$, with the elementwise product
        $\circ$ that the printed formula lacks. In each column, it shrinks the largest difference
        between two tables by a factor of $\gamma$ (Prop. 3.1, corrected), so iterating it from
        `initial` converges to `solve` (Prop. 3.2).

        Args:
            rep: table, or stack of tables.
            chain: transition matrix of the Markov chain, or a stack of them.
            discount: discount factor per step, from 0 to 1 (exclusive).

        Raises:
            InputError: if table and chain do not fit each other, or `discount` is out of range.
        """
        check_discount("backup", discount)
        check_shape("backup", "the representation", rep, "*N S S")
        check_shape("backup", "chain", chain, "*N S S", like="rep", S=rep.shape[-1])
        following = jnp.matmul(chain, rep, precision="highest")
        rows = jnp.vectorize(
            lambda s, row: self.target(s, row, discount=discount), signature="(),(s)->(s)"
        )
        return rows(jnp.broadcast_to(jnp.arange(rep.shape[-1]), following.shape[:-1]), following)

    @check_arguments
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
            discount: discount factor per step, from 0 to 1 (exclusive).
            step_size: fraction of the TD error by which the row moves, from 0 to 1.

        Returns:
            The new table, and the TD error of the row.
        """
        check_shape("td_step", "the representation", rep, "S S")
        following = td.following_row(rep, next_state, discount)
        target = self.target(state, following, discount=discount)
        return td.move_row(rep, state, target, step_size)

    @check_arguments
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
            rep: table to update, or a stack of tables with one walk each.
            states: states of the walk in order, at least 2; or a stack of walks.
            discount: discount factor per step, from 0 to 1 (exclusive).
            step_size: fraction of the TD error by which the row moves, from 0 to 1.

        Returns:
            The new table, and the L2 norm of each TD error.
        """
        return td.learn(self, rep, (states,), discount=discount, step_size=step_size)

    @check_arguments
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

        Equivalent to `td_step` for one transition after the other, each on its policy's table. The
        log is read in pieces, so it may be memory-mapped files larger than memory. Each transition
        names both of its states, so the ends of episodes need no marks.

        TD moves the rows of states that were left. A state that was never left, such as the last
        state of an episode, keeps its row of `initial`: it is visited once and nothing follows. The
        FRs of the chains of `interop.data.logs` agree with this. Their SRs do not: those chains
        stay in a final state for ever, so its row has 1 / (1 - discount) visits to itself instead
        of 1.

        Args:
            reps: one table per policy.
            states: states that were left.
            next_states: states that were entered.
            policies: policy that made each transition, from 0 to N - 1.
            discount: discount factor per step, from 0 to 1 (exclusive).
            step_size: fraction of the TD error by which the row moves, from 0 to 1.
        """
        log = (policies, states, next_states)
        return td.learn_log(self, reps, log, discount=discount, step_size=step_size)


def named(name: str, **parameters: float) -> Representation:
    """Return the representation with a given `name` and `parameters`, as stored in files."""
    if name not in _BY_NAME:
        known = ", ".join(sorted(_BY_NAME))
        raise InputError(f"representation must be one of {known}, got {name!r}")
    try:
        return _BY_NAME[name](**parameters)
    except TypeError:
        got = ", ".join(parameters) or "none"
        raise InputError(f"{name}: takes other parameters, got {got}") from None
