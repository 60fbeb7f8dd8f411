"""Markov decision processes (MDPs) as arrays, and the Markov chain that a policy induces."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int, Num

from first_occupancy.core.action_worlds import KnownByActions, are_actions
from first_occupancy.core.arguments import check_arguments
from first_occupancy.core.axes import Index
from first_occupancy.core.display import LARGEST_READ, Displayed, count, listed, numbered_names
from first_occupancy.core.errors import (
    InputError,
    check_finite,
    check_index,
    check_probabilities,
    check_shape,
)
from first_occupancy.core.memory import check_fits
from first_occupancy.core.names import Names, checked_names, look_up
from first_occupancy.core.world import Policies, certain_steps, numbered


class MDP(Displayed, eqx.Module):
    r"""A finite Markov decision process: transitions, rewards and start distribution.

    The discount factor is not part of the MDP: functions that need it take it as an argument.

    Errors, plans and figures show the names of states and actions. Names are static fields: `jit`
    compiles anew for other names, and MDPs can be stacked only once they are `unnamed`.

    >>> world = MDP(np.eye(2)[:, None], state_names=["hall", "attic"])
    >>> world.state("attic"), world.action_names
    (1, None)

    Args:
        transition: $p(s' \mid s, a)$ at `[s, a, s']`. Its dtype is that of all arrays.
        reward: reward of the step from s to s' with action a, at `[s, a, s']`; None means 0.
        start_distribution: probability that an episode starts in each state; None means uniform.
        state_names: distinct names of the states; None leaves them without names.
        action_names: distinct names of the actions; None leaves them without names.

    Raises:
        InputError: if shapes disagree, probabilities are not distributions, rewards are not finite,
            names are not distinct, or memory does not suffice.
    """

    transition: Float[Array, "S A S"]
    reward: Float[Array, "S A S"]
    start_distribution: Float[Array, " S"]
    state_names: Names | None = eqx.field(static=True)
    action_names: Names | None = eqx.field(static=True)

    durations = None
    entry_times = None

    @check_arguments
    def __init__(
        self,
        transition: Float[ArrayLike, "S A S"],
        reward: Float[ArrayLike, "S A S"] | None = None,
        start_distribution: Float[ArrayLike, " S"] | None = None,
        *,
        state_names: Sequence[str] | None = None,
        action_names: Sequence[str] | None = None,
    ):
        """Check the arrays and names."""
        instead = "plan_paths, or solve_columns of a sparse chain,"
        needed = 26 * np.size(transition)  # as measured, with rewards and conversions
        check_fits("MDP", needed, instead=instead)
        self.transition = floats(transition)
        check_shape("MDP", "transition", self.transition, "S A S")
        # One dtype for all: a loop over values must not change the dtype that it carries.
        dtype = self.transition.dtype
        nothing = jnp.zeros_like(self.transition)
        self.reward = nothing if reward is None else jnp.asarray(reward, dtype)
        uniform = jnp.full(self.num_states, 1 / self.num_states, dtype)
        given = start_distribution
        self.start_distribution = uniform if given is None else jnp.asarray(given, dtype)
        check = partial(check_shape, "MDP", like="transition", S=self.num_states)
        check("reward", self.reward, "S A S", A=self.num_actions)
        check("start_distribution", self.start_distribution, "S")
        self.state_names = checked_names("MDP", "state_names", state_names, self.num_states)
        self.action_names = checked_names("MDP", "action_names", action_names, self.num_actions)
        check_probabilities(
            "MDP", "transition", self.transition, ("state", "action"), labels=_labels(self)
        )
        check_probabilities("MDP", "start_distribution", self.start_distribution, ())
        check_finite("MDP", "reward", self.reward)

    @property
    def num_states(self) -> int:
        """S, the number of states."""
        return self.transition.shape[-1]

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return self.transition.shape[-2]

    def state(self, name: str) -> int:
        """Return the number of the state with this name."""
        return look_up("MDP.state", "state", self.state_names, name)

    def action(self, name: str) -> int:
        """Return the number of the action with this name."""
        return look_up("MDP.action", "action", self.action_names, name)

    def state_number(self, state: Index | str) -> int:
        """Return the number of a state, given by number or by name."""
        return numbered(state, self.num_states, self.state_names)

    def labels(self, policies: Policies) -> tuple[Names | None, Names | None]:
        """Return the names of the states and of the policies, each None if there are none."""
        return self.state_names, self.action_names if policies is None else None

    def steps(self, policies: Policies) -> Int[np.ndarray, "N S"] | None:
        """Return the next state of each policy from each state, or None if some are stochastic."""
        if policies is not None:
            return certain_steps(np.asarray(self.policy_chains(policies)))
        return certain_steps(np.asarray(self.transition).swapaxes(0, 1))

    def policy_chains(self, policies: Policies) -> Float[Array, "N S S"]:
        """Return the Markov chain of each policy."""
        if policies is None:
            policies = constant_policies(self)
        chains = chain(self, policies)
        return chains[None] if chains.ndim == 2 else chains

    def unnamed(self) -> "MDP":
        """Return the MDP without names, to stack MDPs or to share compiled functions."""
        return jax.tree.unflatten(_structure_without_names(), jax.tree.leaves(self))

    def _summary(self) -> str | None:
        if self.transition.ndim != 3:
            return None
        sizes = f"{count(self.num_states, 'state')}, {count(self.num_actions, 'action')}"
        lines = [f"MDP: {sizes}, {self.transition.dtype}"]
        if self.state_names is not None:
            lines.append(f"states: {listed(self.state_names)}")
        if self.action_names is not None:
            lines.append(f"actions: {listed(self.action_names)}")
        if self.transition.size <= LARGEST_READ:
            lines.append(_facts(self))
        return "\n  ".join(lines)


@cache
def _structure_without_names() -> jax.tree_util.PyTreeDef:
    return jax.tree.structure(MDP(np.ones((1, 1, 1))))


@runtime_checkable
class HasMDP(Protocol):
    """A world with an `mdp`, such as a maze: functions that take an MDP also take such a world."""

    @property
    def mdp(self) -> MDP:
        """The same world as dense arrays."""
        ...


def as_mdp(caller: str, world: object) -> MDP:
    """Return the MDP of a world."""
    if isinstance(world, MDP):
        return world
    mdp = getattr(world, "mdp", None)
    if isinstance(mdp, MDP):
        return mdp
    for sparse in (world, mdp):
        if isinstance(sparse, KnownByActions) and hasattr(sparse, "dense"):
            return sparse.dense()
    raise InputError(f"{caller}: world must be an MDP or a maze, got {type(world)}")


def as_policies(
    caller: str, mdp: MDP, policy: Float[ArrayLike, "*N S A"] | Int[ArrayLike, "*N S"]
) -> Float[Array, "*N S A"]:
    """Return policies as probabilities of actions, after checking them."""
    array = jnp.asarray(policy)
    if are_actions(caller, array, mdp.num_states, mdp.num_actions):
        return jax.nn.one_hot(array, mdp.num_actions, dtype=mdp.transition.dtype)
    policy = floats(array)
    check_policy(caller, mdp, policy)
    return policy


@check_arguments
def chain(
    world: MDP | HasMDP | KnownByActions,
    policy: Float[ArrayLike, "*N S A"] | Int[ArrayLike, "*N S"],
) -> Any:
    r"""Return the transition matrix of the Markov chain that a policy induces.

    $$P^\pi(s, s') = \sum_a \pi(a|s)\, p(s'|s, a)$$

    Args:
        world: an MDP, dense or sparse, or anything that has one, such as a maze.
        policy: probabilities of actions, or the action taken in each state. For a stack of
            policies the result is a stack of chains.

    Returns:
        The chain as a JAX array; in a sparse world as a SciPy matrix, a list of them for a stack.

    Raises:
        InputError: if `world` has no MDP, or if its moves have durations, which a transition matrix
            cannot represent.
    """
    if isinstance(world, KnownByActions) and (
        world.durations is not None or not isinstance(getattr(world, "mdp", None), MDP)
    ):
        return _sparse_chain(world, np.asarray(policy))
    mdp = as_mdp("chain", world)
    policy = as_policies("chain", mdp, policy)
    return jnp.einsum("...sa,sat->...st", policy, mdp.transition, precision="highest")


def _sparse_chain(world: KnownByActions, policy: np.ndarray) -> Any:
    if world.durations is not None:
        raise InputError(
            "chain: moves must take one step each, but have durations; use fo.plan or "
            "fo.evaluate, which discount by them"
        )
    chains = world.policy_chains(policy)
    several = policy.ndim > (1 if policy.dtype.kind in "iu" else 2)
    return chains if several else chains[0]


def check_policy(caller: str, mdp: Any, policy: Float[Array, "*N S A"]) -> None:
    """Raise unless each policy has a distribution over actions in every state."""
    check_shape(caller, "policy", policy, "*N S A", S=mdp.num_states, A=mdp.num_actions)
    check_probabilities(caller, "policy", policy, ("state",), labels=_labels(mdp))


@check_arguments
def constant_policies(world: MDP | HasMDP | KnownByActions) -> Float[Array, "N S A"]:
    """Return one policy per action, which always takes that action: the paper's base policies."""
    mdp = as_mdp("constant_policies", world)
    actions = jnp.eye(mdp.num_actions, dtype=mdp.transition.dtype)
    return jnp.repeat(actions[:, None, :], mdp.num_states, axis=1)


@check_arguments
def absorbing(world: MDP | HasMDP, goal: Index) -> MDP:
    """Return the MDP in which a goal is absorbing, with reward 1 for reaching it and 0 otherwise.

    From every other state, discount * optimal value is the largest expected discount to the goal,
    as an FR counts it: the reward is paid on the step that arrives, which returns do not discount.

    Args:
        world: an MDP, or anything that has one, such as a maze.
        goal: state that becomes absorbing.
    """
    mdp = as_mdp("absorbing", world)
    check_index("absorbing", "goal", goal, mdp.num_states)
    at_goal = jnp.arange(mdp.num_states) == goal
    stay = jnp.broadcast_to(at_goal, mdp.transition.shape).astype(mdp.transition.dtype)
    leaving = at_goal[:, None, None]
    return MDP(
        transition=jnp.where(leaving, stay, mdp.transition),
        reward=jnp.where(leaving, 0.0, stay),
        start_distribution=mdp.start_distribution,
        state_names=mdp.state_names,
        action_names=mdp.action_names,
    )


def _facts(mdp: MDP) -> str:
    """Return what an MDP pays, which states it never leaves, and where it begins."""
    # Adding 0 makes -0, a bump that costs nothing, 0.
    reward, starts = np.asarray(mdp.reward) + 0.0, np.flatnonzero(mdp.start_distribution)
    stays = np.einsum("sas->sa", np.asarray(mdp.transition)).min(axis=1) >= 1
    paid = f"rewards {reward.min():g} to {reward.max():g}" if reward.any() else "no rewards"
    absorbing = numbered_names(np.flatnonzero(stays), mdp.state_names) or "none"
    begin = numbered_names(starts, mdp.state_names)
    begin = "anywhere" if len(starts) == mdp.num_states else f"in {begin}"
    return f"{paid}; absorbing states: {absorbing}; starts {begin}"


def _labels(mdp: Any) -> dict[str, Names | None]:
    return {"state": mdp.state_names, "action": mdp.action_names}


def floats(values: Num[ArrayLike, "..."]) -> Float[Array, "..."]:
    """Return the values as an array of floats of at least single precision.

    JAX computes in the dtype of its arguments: integers would round the results, and half precision
    has too few digits to solve or plan with.
    """
    array = jnp.asarray(values)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        return array.astype(float)
    return array.astype(jnp.float32) if array.dtype.itemsize < 4 else array
