"""RiverSwim by the rules of the authors' published code, which are not the paper's.

This reimplements the rules of github.com/tedmoskovitz/first_occupancy (agents.py, envs.py,
runners.py, run_exploration.py):

* swimming right moves up from state 2 with probability .7 (elsewhere .3), and stays in the last
  state with probability .6 (.3 in Strehl and Littman and in Machado et al.);
* Q starts uniform in [0, 1);
* F starts at I, and the TD error of row s, without entry s, is added to *every* row of F;
* the FR's bonus is +beta |F(s')|_1 after that;
* M starts at 0, and the TD error of row s is added to every row of M, too;
* the SR's bonus is beta / |M(s)|_1 after that;
* the bootstrap's action is the one taken next;
* before the first step there is one update from a first to a second draw of the start state,
  as if action "right" had led there.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from first_occupancy.core import MDP, PRNGKey
from first_occupancy.environments import river_swim
from first_occupancy.environments.river_swim import RIGHT
from first_occupancy_paper.explorers.draws import outcome_at
from first_occupancy_paper.explorers.sarsa import choose, draw_noise

STEP_SIZE, DISCOUNT, EPSILON = 0.25, 0.95, 0.1
BETAS = {"Sarsa": 0.0, "Sarsa+SR": 100.0, "Sarsa+FR": 50.0}
"""The printed coefficients, by method."""
ETA, BONUS_DISCOUNT = 0.01, 0.95
BONUSES = {
    "Sarsa": "no bonus",
    "Sarsa+SR": "bonus +100 / |M(s)|_1 after the update, each TD error added to every row of M",
    "Sarsa+FR": "bonus +50 |F(s')|_1 after the update, each TD error added to every row of F",
}


def text(method: str) -> str:
    """Return the rules in a sentence, as the ledger shows them."""
    return (
        f"The authors' published code with the printed settings: {BONUSES[method]}, Q starts "
        "uniform in [0, 1), bootstrap action taken next, and a RiverSwim in which swimming right "
        "holds the last state with .6 and moves up from state 2 with .7."
    )


def published_river_swim() -> MDP:
    """Return RiverSwim-6 with the transition probabilities of the published code."""
    mdp = river_swim(6)
    transition = np.array(mdp.transition)
    transition[2, RIGHT] = (0, 0.1, 0.2, 0.7, 0, 0)
    transition[5, RIGHT] = (0, 0, 0, 0, 0.4, 0.6)
    return MDP(transition, mdp.reward, mdp.start_distribution)


def run_published(
    mdp: MDP, key: PRNGKey, *, method: str, num_trials: int, num_steps: int
) -> Float[Array, "B T"]:
    """Return the rewards on each step of independent trials.

    Args:
        mdp: world of the trials.
        key: JAX random key.
        method: method in the paper's tables: "Sarsa", "Sarsa+SR" or "Sarsa+FR".
        num_trials: number of trials.
        num_steps: number of steps of each trial.
    """
    begin, walk = draw_noise(mdp, key, num_trials=num_trials, num_steps=num_steps + 1)
    # Numbers, not words: all methods share one compiled program.
    return _run(mdp, begin, walk, jnp.array(BETAS[method]), jnp.array(method == "Sarsa+SR"))


@jax.jit
def _run(
    mdp: MDP,
    begin: Float[Array, "B rows A"],
    walk: Float[Array, "B updates 3"],
    beta: Float[Array, ""],
    uses_sr: Bool[Array, ""],
) -> Float[Array, "B T"]:
    outcomes = jnp.cumsum(mdp.transition, axis=-1)
    Tables = tuple[Array, Array]

    def learn(tables: Tables, state: Array, action: Array, gain: Array, ahead: Array, noise: Array):
        values, table = tables
        next_action = choose(values[ahead], EPSILON, noise)
        error = BONUS_DISCOUNT * table[ahead] - table[state]
        error = error.at[state].set(jnp.where(uses_sr, error[state] + 1, 0))
        table = table + ETA * error[None]
        norms = jnp.abs(table[jnp.array([state, ahead])]).sum(axis=1)
        bonus = beta * jnp.where(uses_sr, 1 / norms[0], norms[1])
        target = gain + bonus + DISCOUNT * values[ahead, next_action]
        values = values.at[state, action].add(STEP_SIZE * (target - values[state, action]))
        return (values, table), next_action

    def run_trial(begin: Array, walk: Array) -> Array:
        identity = jnp.eye(mdp.num_states, dtype=begin.dtype)
        tables = begin[:-1], jnp.where(uses_sr, 0, identity)
        first, state = (
            outcome_at(jnp.cumsum(mdp.start_distribution), chance) for chance in begin[-1, :2]
        )
        nothing, right = jnp.zeros((), begin.dtype), jnp.array(RIGHT)
        tables, action = learn(tables, first, right, nothing, state, walk[0, 1])

        def advance(carry: tuple[Tables, Array, Array], noise: Array):
            tables, state, action = carry
            ahead = outcome_at(outcomes[state, action], noise[0])
            gain = mdp.reward[state, action, ahead]
            tables, next_action = learn(tables, state, action, gain, ahead, noise[1])
            return (tables, ahead, next_action), gain

        return jax.lax.scan(advance, (tables, state, action), walk[1:])[1]

    return jax.vmap(run_trial)(begin, walk)
