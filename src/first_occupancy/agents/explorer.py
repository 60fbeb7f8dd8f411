r"""An agent that plans, with first-occupancy representations (FRs), to be surprised.

Its base policies are the A policies that always take one action. From counts it knows each
one's chain P and expected reward r, and the rule is:

1. *Chance.* The next try of a pair (state, action) shows a successor not seen there before
   with chance u: 1 if it was never tried, else 1 / (1 + n) after n tries; for a pair that has
   always led to the same state this is multiplied by (1 + kin that varied) / (1 + kin), where
   kin are the same action elsewhere or other actions here, whichever gives less, as far as
   they were tried as often: an action that was certain everywhere is soon trusted everywhere.
2. *Worth.* A surprise is worth a multiple of $V^*$, the best value the agent knows how to
   get, so the scale of rewards drops out: most if the pair is untried, less while some
   state has never been seen, little once all have been.
3. *Once.* Surprise is had once, which is what an FR evaluates: the chain (1 - u) P leaks to
   the surprise, $M = (I - \gamma (1 - u) P)^{-1}$, the discount to y with nothing new on the
   way is $F(x, y) = M(x, y) / M(y, y)$, and following a until surprised, then exploiting, is
   worth $W^a = M\,[r + u\,(G + \gamma V)]$.
4. *Plan.* Follow a until y is reached, then the best plan from there (strong Markov property):
   $U(x) \leftarrow \max_{a, y} W^a(x) + F^a(x, y)\,[U(y) - W^a(y)]$. V is planned likewise from
   the chains that do not leak, so exploring and exploiting are on one scale; the action is the
   best by one step of look-ahead on U. Nothing is random but ties.

It needs the number of states and rewards that are not negative. `init`, `act`, `update` and
`reconsider` are pure; chance enters as uniform numbers. `explorer_trials` runs whole trials.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from first_occupancy.agents.sarsa import choose
from first_occupancy.core.axes import Index, Scalar
from first_occupancy.representations.sr import own_visits


class Explorer(eqx.Module):
    """The rule's numbers, and what can be taken out of it. Every number may be traced.

    The worths were chosen on other worlds than those reported (see the experiment
    `planned_exploration`, which also shows what other values do).
    """

    discount: Scalar = 0.999
    """Looks 1,000 steps ahead: long beside what an outing costs, short beside a trial."""
    untried: Scalar = 2.0
    """Worth of trying what was never tried, in units of the best known value; must only be
    clearly above `unseen`: 2 and 4 do the same."""
    unseen: Scalar = 1.0
    """Worth of another surprise while a state is unseen: as much again as what is known."""
    settled: Scalar = 0.1
    """Worth of a surprise once all states are seen: a new way to a known place."""
    optimism: Scalar = 1.0
    """Multiplies all three worths."""
    exponent: Scalar = 1.0
    """Chances fall as (1 + n) to minus this."""
    once: bool | Bool[Array, ""] = True
    """Whether a surprise ends the search for it; else it pays on every visit (SR)."""
    kinship: bool | Bool[Array, ""] = True
    """Whether kin that never varied lower the suspicion."""
    sweeps: int | Int[Array, ""] = 4
    """Switches of policy in a plan; 0 leaves one policy until surprised, which did as well on
    all worlds it was tried on: look-ahead at every step turns in time."""
    look_ahead: bool | Bool[Array, ""] = True
    """Whether actions are judged by where they lead; else as policies to follow (GPI)."""


class Knowledge(eqx.Module):
    """What the steps so far have shown, one chain for each action."""

    counts: Float[Array, "A S S"]
    tries: Float[Array, "A S"]
    """How often each action was taken in each state: sums of `counts`, kept for speed."""
    successors: Float[Array, "A S"]
    """How many states each pair has led to."""
    arrivals: Float[Array, " S"]
    """How often each state was arrived at."""
    reward_sum: Float[Array, "A S"]
    novelty: Float[Array, "A S"]
    """1 / (1 + n) of each pair; kept because powers are slow."""
    suspicion: Float[Array, "A S"]
    """What kin make of it, as it was when last reconsidered."""
    visits: Float[Array, "A S S"]
    """The SR of each action's chain."""
    unsurprised: Float[Array, "A S S"]
    """The SR of each chain that leaks to the surprise."""

    @property
    def rewards(self) -> Float[Array, "A S"]:
        """The mean reward of each action in each state."""
        return self.reward_sum / jnp.maximum(self.tries, 1)


def init(num_states: int, num_actions: int, dtype: jnp.dtype | None = None) -> Knowledge:
    """Return what is known before the first step: nothing."""
    identity = jnp.eye(num_states, dtype=dtype)
    identity = jnp.repeat(identity[None], num_actions, axis=0)
    none = jnp.zeros_like(identity[..., 0])
    return Knowledge(
        counts=jnp.zeros_like(identity),
        tries=none,
        successors=none,
        arrivals=none[0],
        reward_sum=none,
        novelty=none + 1,
        suspicion=none + 1,
        visits=identity,
        unsurprised=identity,
    )


def surprise_chances(agent: Explorer, knowledge: Knowledge) -> Float[Array, "A S"]:
    """Return the chance that the next try of each pair leads where none led before."""
    of_one_kind = (knowledge.successors == 1) & agent.kinship
    return jnp.where(of_one_kind, knowledge.suspicion * knowledge.novelty, knowledge.novelty)


def suspicion(knowledge: Knowledge) -> Float[Array, "A S"]:
    """Return the share of each pair's kin that varied, with one imagined kin that did.

    There are two sorts of kin, the same action in other states and other actions in the
    same state; the lower share counts. Kin must have been tried as often as the pair
    itself, or its not varying says nothing of rare outcomes, and at least twice, since
    one try cannot vary.
    """
    tries, varied = knowledge.tries, knowledge.successors > 1
    enough = jnp.maximum(tries, 2)
    elsewhere = tries[:, None, :] >= enough[:, :, None]
    here = tries[None, :, :] >= enough[:, None, :]
    elsewhere &= ~jnp.eye(tries.shape[1], dtype=bool)[None, :, :]
    here &= ~jnp.eye(tries.shape[0], dtype=bool)[:, :, None]
    share_elsewhere = _share(elsewhere, varied[:, None, :], axis=2)
    return jnp.minimum(share_elsewhere, _share(here, varied[None, :, :], axis=1))


def best_plan(
    worth: Float[Array, "A S"],
    frs: Float[Array, "A S S"],
    start: Float[Array, " S"],
    sweeps: Index,
) -> Float[Array, " S"]:
    r"""Return what the best plan is worth from each state, at least `start`.

    $$U(x) \leftarrow \max_{a, y} W^a(x) + F^a(x, y)\,[U(y) - W^a(y)]$$

    Each sweep allows one more switch of policy: FR-planning (Alg. 1) with rewards on the way.
    """
    # The subgoal's axis first: a maximum over the last one would take several times as long.
    reached = frs.swapaxes(1, 2)

    def sweep(_: Array, values: Float[Array, " S"]) -> Float[Array, " S"]:
        ahead = reached * (values[None, :] - worth)[:, :, None]
        return jnp.maximum(values, (worth + ahead.max(axis=1)).max(axis=0))

    return jax.lax.fori_loop(0, sweeps, sweep, start)


def known_values(agent: Explorer, knowledge: Knowledge) -> Float[Array, " S"]:
    """Return V: what exploiting is worth from each state, as far as is known."""
    following = jnp.einsum("asz,az->as", knowledge.visits, knowledge.rewards)
    frs = knowledge.visits / own_visits(knowledge.visits)
    return best_plan(following, frs, following.max(axis=0), agent.sweeps)


def surprise_worths(
    agent: Explorer, knowledge: Knowledge, values: Float[Array, " S"]
) -> Float[Array, "A S"]:
    """Return G, what a surprise is worth at each pair, given the known values."""
    # Before any reward is known nothing else has a worth, so any unit serves.
    unit = jnp.where(values.max() > 0, values.max(), 1)
    all_seen = (knowledge.arrivals > 0).all()
    tried = jnp.where(all_seen, agent.settled, agent.unseen)
    return jnp.where(knowledge.tries == 0, agent.untried, tried) * agent.optimism * unit


def action_values(agent: Explorer, knowledge: Knowledge, state: Index) -> Float[Array, " A"]:
    """Return what each action is worth in a state, surprises and what follows included."""
    values = known_values(agent, knowledge)
    chance, leak = surprise_chances(agent, knowledge), _leaks(agent, knowledge)
    gain = surprise_worths(agent, knowledge, values)
    now = knowledge.rewards + chance * gain + leak * agent.discount * values[None, :]
    worth = jnp.einsum("asz,az->as", knowledge.unsurprised, now)
    frs = knowledge.unsurprised / own_visits(knowledge.unsurprised)
    plan = best_plan(worth, frs, jnp.maximum(values, worth.max(axis=0)), agent.sweeps)
    ahead = (1 - leak[:, state]) * agent.discount * (_rows(knowledge, state) @ plan)
    return jnp.where(agent.look_ahead, now[:, state] + ahead, worth[:, state])


def act(agent: Explorer, knowledge: Knowledge, state: Index, noise: Scalar) -> Int[Array, ""]:
    """Return the best action; `noise` breaks ties."""
    values = action_values(agent, knowledge, state)
    # Half the digits: roundings lie far below, differences that matter above.
    tolerance = jnp.sqrt(jnp.finfo(values.dtype).eps) * jnp.abs(values).max()
    best = values >= values.max() - tolerance
    return choose(best.astype(values.dtype), 0.0, noise)


def update(
    agent: Explorer,
    knowledge: Knowledge,
    state: Index,
    action: Index,
    reward: Scalar,
    next_state: Index,
) -> Knowledge:
    """Return the knowledge after a step; kin are left for `reconsider`."""
    pair, arrived = (action, state), (action, state, next_state)
    is_new = knowledge.counts[arrived] == 0
    novelty = (2 + knowledge.tries[pair]) ** -jnp.asarray(agent.exponent)
    after = eqx.tree_at(
        lambda k: (k.counts, k.tries, k.successors, k.arrivals, k.reward_sum, k.novelty),
        knowledge,
        (
            knowledge.counts.at[arrived].add(1),
            knowledge.tries.at[pair].add(1),
            knowledge.successors.at[pair].add(is_new),
            knowledge.arrivals.at[next_state].add(1),
            knowledge.reward_sum.at[pair].add(reward),
            knowledge.novelty.at[pair].set(novelty),
        ),
    )
    (old, old_leak), (new, new_leak) = (
        (_rows(known, state), _leaks(agent, known)[:, state, None]) for known in (knowledge, after)
    )
    leaking = ((1 - new_leak) * new - (1 - old_leak) * old) * agent.discount
    visits = _with_rows_moved(knowledge.visits, state, (new - old) * agent.discount)
    unsurprised = _with_rows_moved(knowledge.unsurprised, state, leaking)
    return eqx.tree_at(lambda k: (k.visits, k.unsurprised), after, (visits, unsurprised))


def reconsider(agent: Explorer, knowledge: Knowledge) -> Knowledge:
    """Return the knowledge with kin looked at anew, which moves rows of all states."""
    fresh = eqx.tree_at(lambda k: k.suspicion, knowledge, suspicion(knowledge))
    less = (_leaks(agent, knowledge) - _leaks(agent, fresh)) * agent.discount

    def move(state: Array, unsurprised: Array) -> Array:
        change = less[:, state, None] * _rows(fresh, state)
        return _with_rows_moved(unsurprised, state, change)

    unsurprised = jax.lax.fori_loop(0, less.shape[1], move, knowledge.unsurprised)
    return eqx.tree_at(lambda k: k.unsurprised, fresh, unsurprised)


def _share(
    kin: Bool[Array, "..."], varied: Bool[Array, "..."], *, axis: int
) -> Float[Array, "A S"]:
    return (1 + (kin & varied).sum(axis=axis)) / (1 + kin.sum(axis=axis))


def _leaks(agent: Explorer, knowledge: Knowledge) -> Float[Array, "A S"]:
    """Return the chance that chains end at each pair: by surprise, or for want of a row."""
    chance = surprise_chances(agent, knowledge)
    return jnp.where((knowledge.tries == 0) | agent.once, chance, 0)


def _rows(knowledge: Knowledge, state: Index) -> Float[Array, "A S"]:
    """Return a state's rows in the chains of all actions; zeros where it was never tried."""
    return knowledge.counts[:, state] / jnp.maximum(knowledge.tries[:, state], 1)[:, None]


def _with_rows_moved(
    visits: Float[Array, "A S S"], state: Index, change: Float[Array, "A S"]
) -> Float[Array, "A S S"]:
    """Return the SRs after `change` was added to row `state` of each discounted chain.

    One row of a matrix to invert changes, so its inverse does by a product of two vectors
    (Sherman and Morrison).
    """
    ahead = jnp.einsum("az,azy->ay", change, visits)
    ahead = ahead / (1 - ahead[:, state])[:, None]
    return visits + visits[:, :, state][:, :, None] * ahead[:, None, :]
