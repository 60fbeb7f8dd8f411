r"""An agent that plans, with first-occupancy representations (FRs), to be surprised.

Its base policies are the A policies that always take one action. From counts it estimates the
chain P and the expected reward r of each. The rule is:

1. *Probability.* The next try of a pair (state, action) is a surprise, a successor not seen there
   before, with probability u: 1 if the pair was never tried, otherwise 1 / (1 + n) after n tries.
   For a pair that has always led to the same state, u is multiplied by
   (1 + kin that varied) / (1 + kin). The kin of a pair are the same action in other states, or
   other actions in the same state, whichever gives less; they count only if they were tried at
   least as often. So an action that was deterministic everywhere is soon trusted everywhere.
2. *Value.* The value G of a surprise is a multiple of $V^*$, the highest value that the agent knows
   how to obtain, so the scale of rewards cancels. The multiple is large if the pair is untried,
   smaller while some state has never been seen, and small once all have been. An agent that is
   told the largest reward values a surprise by that reward until it has had it, and little
   afterwards.
3. *Once.* A surprise happens once, which is what an FR evaluates: the chain (1 - u) P leaks to
   the surprise, $M = (I - \gamma (1 - u) P)^{-1}$, the expected discount to y without a surprise
   on the way is $F(x, y) = M(x, y) / M(y, y)$, and following a until surprised, then exploiting,
   has the value $W^a = M\,[r + u\,(G + \gamma V)]$.
4. *Plan.* Follow a until y is reached, then the best plan from there (strong Markov property):
   $U(x) \leftarrow \max_{a, y} W^a(x) + F^a(x, y)\,[U(y) - W^a(y)]$. V is planned in the same way
   from the chains that do not leak, so exploring and exploiting are on one scale. The action is
   the best by one step of look-ahead on U. Only tie-breaking is random.

The agent needs the number of states, and rewards that are not negative. `start`, `act`, `learn`
and `reconsider` are pure; randomness is passed in as uniform numbers. `explorer_trials` runs whole
trials.
"""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.core.axes import Index, PRNGKey, Scalar
from first_occupancy.representations.lambda_representation import own_visits

from .sarsa import choose


class Knowledge(eqx.Module):
    """What the agent has learned from its steps, with one chain for each action."""

    counts: Float[Array, "A S S"]
    """How often each action has led from one state to another."""
    tries: Float[Array, "A S"]
    """How often each action was taken in each state: sums of `counts`, kept for speed."""
    successors: Float[Array, "A S"]
    """Number of different states each pair has led to."""
    arrivals: Float[Array, " S"]
    """How often the agent arrived in each state."""
    reward_sum: Float[Array, "A S"]
    """Sum of the rewards of each action in each state."""
    best: Float[Array, ""]
    """The largest reward so far."""
    novelty: Float[Array, "A S"]
    """1 / (1 + n) of each pair, to the power of `exponent`; kept because powers are slow."""
    suspicion: Float[Array, "A S"]
    """Factor on `novelty` from kin, as of the last call of `reconsider`."""
    visits: Float[Array, "A S S"]
    """The SR of each action's chain."""
    unsurprised: Float[Array, "A S S"]
    """The SR of each action's chain that leaks to the surprise."""

    @property
    def rewards(self) -> Float[Array, "A S"]:
        """The mean reward of each action in each state."""
        return self.reward_sum / jnp.maximum(self.tries, 1)


class Explorer(eqx.Module):
    """Settings of the exploration rule (see above), and switches that disable parts of it.

    Every number may be traced. A surprise is a successor that was not seen before at a state-action
    pair. The default values of surprises were tuned on worlds other than those on which results are
    reported (see the experiment `planned_exploration`, which also shows other settings).
    """

    discount: Scalar = 0.999
    """Discount factor per step. The default has a horizon of 1,000 steps: long compared with the
    cost of exploring a pair, short compared with a trial."""
    untried: Scalar = 2.0
    """Value of trying an untried pair, in units of the highest known value. It only has to be
    clearly above `unseen`: 2 and 4 give the same results."""
    unseen: Scalar = 1.0
    """Value of any other surprise while some state is unseen, in the same units."""
    settled: Scalar = 0.1
    """Value of a surprise once all states have been seen: a new way to a known state."""
    optimism: Scalar = 1.0
    """Factor on all values of surprises."""
    largest: Scalar = 0.0
    """Largest reward of the world, if the agent is told, as its peers are; otherwise 0."""
    sought: Scalar = 1.0
    """If it is told: value of a surprise at a tried pair until the largest reward has been
    had, in units of the value of having it forever; an untried pair has that value itself."""
    found: Scalar = 0.001
    """If it is told: value of any surprise from then on, in units of the highest known value."""
    exponent: Scalar = 1.0
    """The probability of surprise falls as (1 + n) to the power of minus this."""
    once: bool | Bool[Array, ""] = True
    """Whether a surprise ends the search for it; otherwise it pays on every visit (SR)."""
    kinship: bool | Bool[Array, ""] = True
    """Whether kin that never varied lower the probability of surprise."""
    sweeps: int | Int[Array, ""] = 4
    """Policy switches in a plan. With 0, one policy is followed until surprised, which did as well
    on all worlds tried: look-ahead at every step changes the action in time."""
    look_ahead: bool | Bool[Array, ""] = True
    """Whether actions are evaluated by one step of look-ahead; otherwise as policies (GPI)."""
    stretch: int = eqx.field(static=True, default=10)
    """Steps between calls of `reconsider`, which changes the probabilities of all pairs at once. In
    between only the row of the state just left changes, and a rank-one update is exact. Calling it
    after every step would take several times as long."""

    def start(self, num_states: int, num_actions: int, dtype: jnp.dtype | None = None) -> Knowledge:
        """Return the knowledge before the first step.

        Args:
            num_states: number of states of the world.
            num_actions: number of actions of the world.
            dtype: floating-point type of all tables; None takes JAX's default.
        """
        identity = jnp.eye(num_states, dtype=dtype)
        identity = jnp.repeat(identity[None], num_actions, axis=0)
        none = jnp.zeros_like(identity[..., 0])
        return Knowledge(
            counts=jnp.zeros_like(identity),
            tries=none,
            successors=none,
            arrivals=none[0],
            reward_sum=none,
            best=none[0, 0],
            novelty=none + 1,
            suspicion=none + 1,
            visits=identity,
            unsurprised=identity,
        )

    def act(self, knowledge: Knowledge, state: Index, noise: Scalar) -> Int[Array, ""]:
        """Return the best action."""
        values = action_values(self, knowledge, state)
        # Half the digits: above rounding errors, and below the differences that matter.
        tolerance = jnp.sqrt(jnp.finfo(values.dtype).eps) * jnp.abs(values).max()
        best = values >= values.max() - tolerance
        return choose(best.astype(values.dtype), 0.0, noise)

    def learn(
        self,
        knowledge: Knowledge,
        state: Index,
        action: Index,
        reward: Scalar,
        next_state: Index,
    ) -> Knowledge:
        """Return the knowledge after a step; the effect of kin is left to `reconsider`.

        Args:
            knowledge: what the agent has learned before the step.
            state: state before the step.
            action: action taken.
            reward: reward of the step.
            next_state: state after the step.
        """
        pair, arrived = (action, state), (action, state, next_state)
        is_new = knowledge.counts[arrived] == 0
        novelty = (2 + knowledge.tries[pair]) ** -jnp.asarray(self.exponent)
        after = replace(
            knowledge,
            counts=knowledge.counts.at[arrived].add(1),
            tries=knowledge.tries.at[pair].add(1),
            successors=knowledge.successors.at[pair].add(is_new),
            arrivals=knowledge.arrivals.at[next_state].add(1),
            reward_sum=knowledge.reward_sum.at[pair].add(reward),
            best=jnp.maximum(knowledge.best, reward),
            novelty=knowledge.novelty.at[pair].set(novelty),
        )
        (old, old_leak), (new, new_leak) = (
            (_rows(known, state), _leaks(self, known)[:, state, None])
            for known in (knowledge, after)
        )
        leaking = ((1 - new_leak) * new - (1 - old_leak) * old) * self.discount
        visits = _with_rows_moved(knowledge.visits, state, (new - old) * self.discount)
        unsurprised = _with_rows_moved(knowledge.unsurprised, state, leaking)
        return replace(after, visits=visits, unsurprised=unsurprised)

    def reconsider(self, knowledge: Knowledge, key: PRNGKey | None = None) -> Knowledge:
        """Return the knowledge with the effect of kin updated, which changes all states' rows.

        Args:
            knowledge: what the agent has learned so far.
            key: JAX random key, which is not used.
        """
        del key
        fresh = replace(knowledge, suspicion=suspicion(knowledge))
        less = (_leaks(self, knowledge) - _leaks(self, fresh)) * self.discount

        def move(state: Array, unsurprised: Array) -> Array:
            change = less[:, state, None] * _rows(fresh, state)
            return _with_rows_moved(unsurprised, state, change)

        unsurprised = jax.lax.fori_loop(0, less.shape[1], move, knowledge.unsurprised)
        return replace(fresh, unsurprised=unsurprised)


def surprise_chances(agent: Explorer, knowledge: Knowledge) -> Float[Array, "A S"]:
    """Return the probability that the next try of each pair leads to a new successor."""
    of_one_kind = (knowledge.successors == 1) & agent.kinship
    return jnp.where(of_one_kind, knowledge.suspicion * knowledge.novelty, knowledge.novelty)


def suspicion(knowledge: Knowledge) -> Float[Array, "A S"]:
    """Return the fraction of each pair's kin that varied, with one imagined kin that did.

    There are two kinds of kin, the same action in other states and other actions in the same
    state; the lower fraction is returned. Kin count only if they were tried at least as often as
    the pair itself, since fewer tries do not exclude rare outcomes, and at least twice, since one
    try cannot vary.
    """
    tries, varied = knowledge.tries, knowledge.successors > 1
    elsewhere, here = _share_in_rows(tries, varied), _share_in_rows(tries.T, varied.T).T
    return jnp.minimum(elsewhere, here)


def best_plan(
    worth: Float[Array, "A S"],
    frs: Float[Array, "A S S"],
    start: Float[Array, " S"],
    sweeps: Index,
) -> Float[Array, " S"]:
    r"""Return the value of the best plan from each state, at least `start`.

    $$U(x) \leftarrow \max_{a, y} W^a(x) + F^a(x, y)\,[U(y) - W^a(y)]$$

    This is FR-planning (Alg. 1) with rewards on the way.

    Args:
        worth: value $W^a$ of following each action's policy from each state.
        frs: FRs $F^a$ of the actions' policies.
        start: values with which the sweeps begin.
        sweeps: number of sweeps; each allows one more switch of policy.
    """
    # Subgoals on the middle axis: a maximum over the last one would take several times as long.
    reached = frs.swapaxes(1, 2)

    def sweep(_: Array, values: Float[Array, " S"]) -> Float[Array, " S"]:
        ahead = reached * (values[None, :] - worth)[:, :, None]
        return jnp.maximum(values, (worth + ahead.max(axis=1)).max(axis=0))

    return jax.lax.fori_loop(0, sweeps, sweep, start)


def known_values(agent: Explorer, knowledge: Knowledge) -> Float[Array, " S"]:
    """Return V, the value of exploiting from each state, as far as is known."""
    following = jnp.einsum("asz,az->as", knowledge.visits, knowledge.rewards)
    frs = knowledge.visits / own_visits(knowledge.visits)
    return best_plan(following, frs, following.max(axis=0), agent.sweeps)


def surprise_worths(
    agent: Explorer, knowledge: Knowledge, values: Float[Array, " S"]
) -> Float[Array, "A S"]:
    """Return G, the value of a surprise at each pair.

    Args:
        agent: settings of the agent.
        knowledge: what the agent has learned so far.
        values: value V of exploiting from each state, as from `known_values`.
    """
    # Before any reward is known nothing else has a value, so any unit will do.
    unit = jnp.where(values.max() > 0, values.max(), 1)
    all_seen = (knowledge.arrivals > 0).all()
    tried = jnp.where(all_seen, agent.settled, agent.unseen)
    untold = jnp.where(knowledge.tries == 0, agent.untried, tried) * unit
    forever = jnp.asarray(agent.largest) / (1 - jnp.asarray(agent.discount))
    sought = jnp.where(knowledge.tries == 0, 1, agent.sought) * forever
    had = knowledge.best >= agent.largest
    told = jnp.where(had, agent.found * unit, sought)
    return jnp.where(jnp.asarray(agent.largest) > 0, told, untold) * agent.optimism


def action_values(agent: Explorer, knowledge: Knowledge, state: Index) -> Float[Array, " A"]:
    """Return the value of each action in a state, including the value of surprises."""
    values = known_values(agent, knowledge)
    chance, leak = surprise_chances(agent, knowledge), _leaks(agent, knowledge)
    gain = surprise_worths(agent, knowledge, values)
    now = knowledge.rewards + chance * gain + leak * agent.discount * values[None, :]
    worth = jnp.einsum("asz,az->as", knowledge.unsurprised, now)
    frs = knowledge.unsurprised / own_visits(knowledge.unsurprised)
    plan = best_plan(worth, frs, jnp.maximum(values, worth.max(axis=0)), agent.sweeps)
    ahead = (1 - leak[:, state]) * agent.discount * (_rows(knowledge, state) @ plan)
    return jnp.where(agent.look_ahead, now[:, state] + ahead, worth[:, state])


def _share_in_rows(tries: Float[Array, "M N"], varied: Bool[Array, "M N"]) -> Float[Array, "M N"]:
    """Return the fraction of each entry's kin in its row that varied."""
    kin = tries[:, None, :] >= jnp.maximum(tries, 2)[:, :, None]
    kin &= ~jnp.eye(tries.shape[1], dtype=bool)[None]
    return (1 + (kin & varied[:, None, :]).sum(axis=2)) / (1 + kin.sum(axis=2))


def _leaks(agent: Explorer, knowledge: Knowledge) -> Float[Array, "A S"]:
    """Return the probability that a chain ends at each pair: by surprise, or for lack of data."""
    chance = surprise_chances(agent, knowledge)
    return jnp.where((knowledge.tries == 0) | agent.once, chance, 0)


def _rows(knowledge: Knowledge, state: Index) -> Float[Array, "A S"]:
    """Return a state's rows in the chains of all actions, zeros for actions never tried there."""
    return knowledge.counts[:, state] / jnp.maximum(knowledge.tries[:, state], 1)[:, None]


def _with_rows_moved(
    visits: Float[Array, "A S S"], state: Index, change: Float[Array, "A S"]
) -> Float[Array, "A S S"]:
    """Return the SRs after `change` was added to row `state` of each discounted chain.

    One row of the matrix changes, so its inverse changes by an outer product of two vectors
    (Sherman and Morrison).
    """
    ahead = jnp.einsum("az,azy->ay", change, visits)
    ahead = ahead / (1 - ahead[:, state])[:, None]
    return visits + visits[:, :, state][:, :, None] * ahead[:, None, :]
