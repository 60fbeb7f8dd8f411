"""How the norms behind the bonuses change from step to step (section 4.1).

The paper says that the SR's bonus falls with every visit, and that the FR's norm grows only when a
new state or a shorter way is found. A step whose transition was seen before finds neither.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from first_occupancy.core import MDP, PRNGKey
from first_occupancy_paper.explorers.draws import outcome_at
from first_occupancy_paper.explorers.sarsa import Progress, Sarsa, act, draw_noise, init, update


def changes(
    agent: Sarsa, mdp: MDP, key: PRNGKey, *, num_trials: int, num_steps: int
) -> dict[str, list[float]]:
    """Return shares of the steps of each trial, by what happens to the norm of the row of s.

    Args:
        agent: settings of the agent; its representation has a row for each state.
        mdp: world of the trials.
        key: JAX random key.
        num_trials: number of trials.
        num_steps: number of steps of each trial.

    Returns:
        For each trial: `grows`, the share of steps that raise the norm of the row of s;
        `grows_on_known`, the share of those whose transition was seen before; `mean_norm`, the
        mean norm after the update; and `mean_inverse`, the mean of its inverse.
    """
    begin, walk = draw_noise(mdp, key, num_trials=num_trials, num_steps=num_steps)
    before, after, known = (np.asarray(each) for each in _run(agent, mdp.unnamed(), begin, walk))
    grows = after > before * (1 + 1e-12)
    return {
        "grows": grows.mean(axis=1).tolist(),
        "grows_on_known": ((grows & known).sum(axis=1) / grows.sum(axis=1)).tolist(),
        "mean_norm": after.mean(axis=1).tolist(),
        "mean_inverse": (1 / after).mean(axis=1).tolist(),
    }


@eqx.filter_jit
def _run(agent: Sarsa, mdp: MDP, begin: Array, walk: Array) -> tuple[Array, ...]:
    outcomes = jnp.cumsum(mdp.transition, axis=-1)

    def advance(carry: tuple[Progress, Array], noise: Array) -> tuple[tuple, tuple]:
        progress, seen = carry
        state, action = progress.state, act(agent, progress, noise[0])
        next_state = outcome_at(outcomes[state, action], noise[1])
        reward = mdp.reward[state, action, next_state]
        following = update(agent, progress, action, reward, next_state, noise[2])
        norms = [each.representation[state, 0].sum() for each in (progress, following)]
        known = seen[state, next_state]
        return (following, seen.at[state, next_state].set(True)), (*norms, known)

    def run_trial(begin: Array, walk: Array) -> tuple[Array, ...]:
        start = outcome_at(jnp.cumsum(mdp.start_distribution), begin[-1, 0])
        progress = init(agent, start, jnp.zeros_like(begin[:-1]), begin[-1, 1])
        seen = jnp.zeros((mdp.num_states, mdp.num_states), bool)
        return jax.lax.scan(advance, (progress, seen), walk)[1]

    return jax.vmap(run_trial)(begin, walk)
