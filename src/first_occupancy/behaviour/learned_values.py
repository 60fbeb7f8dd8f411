r"""Values learned by TD along the subject's own path: FR, SR, what lies between, and Q-learning.

A subject with one goal g needs one column of its representation. For the SR that is
$v(s) = M(s, g)$, and each move $s \to s'$ changes it by

$$v(s) \leftarrow v(s) + \alpha\,[\,1_{s=g} + \gamma (1 - (1-\lambda) 1_{s=g})\, v(s') - v(s)\,],$$

with $\lambda = 1$ for the SR, $\lambda = 0$ for the FR and the λ-representation between them. The
three differ only in updates at the goal itself. If a trial ends there, no such update occurs, so FR
and SR are proportional for ever and cannot be told apart once the inverse temperature is fitted.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from first_occupancy.behaviour.parameters import Parameter, Values
from first_occupancy.behaviour.subjects import NO_ACTION, Layouts
from first_occupancy.behaviour.switch_distances import steps_to_goal
from first_occupancy.behaviour.valuations import DISCOUNT, STEP_SIZE, Move, Valuation
from first_occupancy.core.axes import Index

TRACE = Parameter("trace", 0.0, 1.0, 0.5, 1.0)
RECURRENCE = Parameter("recurrence", 0.0, 1.0, 0.5, 1.0)


class OccupancyValues(Valuation):
    """The value of a neighbour is its FR, SR or λ-representation of the goal, learned by TD.

    Attributes:
        recurrence: weight λ of later visits: 0 for the FR, 1 for the SR, None to fit it.
        traces: whether updates reach back along the path by an eligibility trace that is fitted.
        initial_chain: Markov chain from which the representation starts; None for a random walk in
            the open world that ends in the goal.
    """

    recurrence: float | None = 1.0
    traces: bool = eqx.field(static=True, default=False)
    initial_chain: Float[Array, "S S"] | None = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Step size and discount; trace and recurrence if they are fitted."""
        fitted = [STEP_SIZE, DISCOUNT]
        fitted += [TRACE] if self.traces else []
        return (*fitted, *([RECURRENCE] if self.recurrence is None else []))

    def begin(self, values: Values, layouts: Layouts) -> tuple[Array, Array]:
        """Return the representation of the initial chain, and an empty trace."""
        chain = layouts.random_walk if self.initial_chain is None else self.initial_chain
        goal, size = layouts.goal, layouts.num_states
        system = jnp.eye(size) - values["discount"] * chain
        successor = jnp.linalg.solve(system, jnp.zeros(size).at[goal].set(1.0))
        # The share of the goal's own value that returns bring, with M(g, g) = 1 / (1 - return).
        returning = 1 - 1 / successor[goal]
        column = successor / successor[goal] / (1 - self._recurrence(values) * returning)
        return column, jnp.zeros(size if self.traces else 0)

    def options(
        self, values: Values, memory: tuple[Array, Array], layouts: Layouts, state: Index
    ) -> Float[Array, " A"]:
        """Return the representation of the goal in each neighbour."""
        return memory[0][layouts.next_states[state]]

    def learn(
        self, values: Values, memory: tuple[Array, Array], layouts: Layouts, move: Move
    ) -> tuple[Array, Array]:
        """Return representation and trace after one TD update."""
        column, trace = memory
        rate, discount = values["step_size"], values["discount"]
        at_goal = jnp.asarray(move.state) == layouts.goal
        again = jnp.where(at_goal, self._recurrence(values), 1.0)
        error = at_goal + discount * again * column[move.next_state] - column[move.state]
        if not self.traces:
            return _changed(column, rate * error, move.state), trace
        begins_trial = jnp.asarray(move.previous) == NO_ACTION
        trace = jnp.where(begins_trial, 0.0, discount * values["trace"] * trace)
        trace = _changed(trace, jnp.ones(()), move.state)
        return column + rate * error * trace, trace

    def _recurrence(self, values: Values) -> Any:
        return values["recurrence"] if self.recurrence is None else self.recurrence


class QValues(Valuation):
    """Q-learning with a reward of 1 at the goal.

    Actions are known from the open world: Q starts as γ to the number of steps that remain. In a
    grid no move that walls allow contradicts these values, so that nothing is learned from moves
    along walls and the step size has no effect; fits warn that it is undetermined.

    Attributes:
        of_neighbours: whether an action's value is the largest Q in the cell it leads to, as in de
            Cothi et al. (2022), instead of its own.
        value_of_goal: value of the goal itself if values are those of neighbours.
    """

    of_neighbours: bool = eqx.field(static=True, default=False)
    value_of_goal: float = 1.0

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Step size and discount."""
        return (STEP_SIZE, DISCOUNT)

    def begin(self, values: Values, layouts: Layouts) -> Float[Array, "S A"]:
        """Return the values of all actions in the open world."""
        steps = steps_to_goal(layouts, jnp.ones(layouts.num_states, bool))
        after = steps[layouts.next_states]
        reached = jnp.isfinite(after) & layouts.exists
        values_of = values["discount"] ** jnp.where(reached, after, 0.0)
        return jnp.where(reached, values_of, 0.0).at[layouts.goal].set(0.0)

    def options(
        self, values: Values, memory: Float[Array, "S A"], layouts: Layouts, state: Index
    ) -> Float[Array, " A"]:
        """Return the value of each action."""
        if not self.of_neighbours:
            return memory[state]
        ahead = layouts.next_states[state]
        return jnp.where(ahead == layouts.goal, self.value_of_goal, memory[ahead].max(axis=1))

    def learn(
        self, values: Values, memory: Float[Array, "S A"], layouts: Layouts, move: Move
    ) -> Float[Array, "S A"]:
        """Return the values after one update of Q-learning."""
        arrived = jnp.asarray(move.next_state) == layouts.goal
        best = jnp.where(arrived, 0.0, memory[move.next_state].max())
        error = arrived + values["discount"] * best - memory[move.state, move.action]
        return _changed(memory, values["step_size"] * error, move.state, move.action)


def _changed(array: Array, change: Float[ArrayLike, ""], *place: Index) -> Array:
    """Return an array with one entry changed; unlike `at`, this compiles to a write in place."""
    entry = array[place] + change
    return jax.lax.dynamic_update_slice(array, entry.reshape((1,) * array.ndim), place)
