"""Plans as options: each leg is a policy that terminates at its subgoal (Sutton et al. 1999).

FRP turns base policies into options with deterministic termination at the subgoal, the
best ones for the goal at hand (the paper's appendix, "Connections to options").
"""

from collections.abc import Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from first_occupancy.core.arguments import NonNegativeInt, check_arguments
from first_occupancy.core.axes import Index, PRNGKey
from first_occupancy.core.errors import InputError, check_index, check_key, check_shape
from first_occupancy.core.mdp import MDP, HasMDP, as_mdp
from first_occupancy.core.rollouts import Trajectory, step
from first_occupancy.planning.evaluation import check_plan_follows
from first_occupancy.planning.plans import Plan


class Option(eqx.Module):
    """A policy with a termination condition.

    Attributes:
        policy: action probabilities in each state.
        termination: probability of terminating on arrival in each state.
    """

    policy: Float[Array, "*legs S A"]
    termination: Float[Array, "*legs S"]


@check_arguments
def from_plan(plan: Plan, policies: Float[Array, "N S A"], start: int | None) -> list[Option]:
    """Return the options to execute in order to get from `start` to the goal: one per leg."""
    legs = plan.legs(start)
    check_plan_follows("from_plan", plan, policies)
    num_states = policies.shape[1]
    return [Option(policies[leg.policy], jax.nn.one_hot(leg.subgoal, num_states)) for leg in legs]


@check_arguments
def execute(
    options: Sequence[Option],
    world: MDP | HasMDP,
    key: PRNGKey,
    start: Index,
    *,
    num_steps: NonNegativeInt,
) -> Trajectory:
    """Return the trajectory of executing options in order.

    The last option is followed until `num_steps`, also after its termination.
    """
    if not options:
        raise InputError("execute: options must hold at least one option, got none")
    mdp = as_mdp("execute", world)
    # JAX clamps indices out of range, and would sample a walk in another world.
    check = partial(check_shape, "execute", like="world", S=mdp.num_states)
    for option in options:
        check("an option's policy", option.policy, "S A", A=mdp.num_actions)
        check("an option's termination", option.termination, "S")
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *options)
    check_index("execute", "start", start, mdp.num_states)
    check_key("execute", "key", key)
    return _execute(stacked, mdp.unnamed(), key, jnp.asarray(start, int), num_steps)


@partial(jax.jit, static_argnames="num_steps")
def _execute(options: Option, mdp: MDP, key: PRNGKey, start: Array, num_steps: int) -> Trajectory:
    last = len(options.policy) - 1

    def advance(carry: tuple[Array, Array], key: Array):
        state, leg = carry
        act_key, step_key, end_key = jax.random.split(key, 3)
        probabilities = options.policy[leg, state]
        action = jax.random.choice(act_key, len(probabilities), p=probabilities)
        next_state, reward = step(mdp, step_key, state, action)
        ends = jax.random.bernoulli(end_key, options.termination[leg, next_state])
        next_leg = jnp.minimum(leg + ends, last)
        return (next_state, next_leg), (state, action, reward)

    begin = (start, jnp.array(0))
    keys = jax.random.split(key, num_steps)
    (final, _), (states, actions, rewards) = jax.lax.scan(advance, begin, keys)
    return Trajectory(jnp.append(states, final), actions, rewards)
