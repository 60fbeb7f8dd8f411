"""Experience replay on the device: a ring buffer of rows, and windows of n steps drawn from it.

A row is an arrival: an observation, the action and reward that led to it, whether it begins an
episode, and the task from there on. Every environment writes one row per step. An environment
whose episode has ended writes the first observation of the next one instead of a step (Gymnasium's
next-step reset), so environments stay in lockstep.

Only the last observation of an episode has no step after it. A queue beside the rows therefore
holds the rows in which steps begin, so that all steps still in the buffer are equally likely.

Everything is written for one run, in arrays of fixed size; callers `vmap` over runs.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Bool, Float, Int

from first_occupancy.core.axes import PRNGKey, Scalar

from .agent_state import AgentConfig


class Arrival(eqx.Module):
    """The end of one step of E environments; `lockstep` adds an axis of R runs.

    Attributes:
        observation: the observation after the step.
        action: the action that led there; ignored where an episode begins.
        task: the task of the next action.
        reward: reward of the step.
        discount: 0 after a termination, 1 otherwise, also after a truncation.
        first: whether an episode begins here.
    """

    observation: Float[ArrayLike, "*R E O"]
    action: Float[ArrayLike, "*R E A"]
    task: Float[ArrayLike, "*R E D"]
    reward: Float[ArrayLike, "*R E"]
    discount: Float[ArrayLike, "*R E"]
    first: Bool[ArrayLike, "*R E"]


class Replay(eqx.Module):
    """The last C arrivals of each of E environments; `lockstep` adds an axis of R runs.

    Attributes:
        rows: observation, action, task, reward, discount and first, side by side.
        starts: ring buffer of the numbers of rows in which a step begins.
        oldest: number of the oldest start still kept.
        newest: number of the next start to come.
        count: how many rows each environment has written so far.
        sizes: lengths of an observation, an action and a task.
    """

    rows: Float[Array, "*R E C K"]
    starts: Int[Array, "*R E C"]
    oldest: Int[Array, "*R E"]
    newest: Int[Array, "*R E"]
    count: Int[Array, "*R"]
    sizes: tuple[int, int, int] = eqx.field(static=True)


class Window(eqx.Module):
    """A batch of B sequences of up to n steps, each within one episode.

    Attributes:
        observation: observation before the first step.
        action: action of the first step.
        task: task of the first step.
        rewards: reward of each step; 0 after the end of the episode.
        discounts: discount on what follows each step, the agent's discount included; 1 after the
            end.
        inside: whether each step comes before the end of the episode and of the experience.
        next_observations: observation after each step; the last one is repeated after the end.
    """

    observation: Float[Array, "B O"]
    action: Float[Array, "B A"]
    task: Float[Array, "B D"]
    rewards: Float[Array, "B n"]
    discounts: Float[Array, "B n"]
    inside: Bool[Array, "B n"]
    next_observations: Float[Array, "B n O"]


def insert(replay: Replay, arrival: Arrival) -> Replay:
    """Return the replay with one more row per environment, in place of the oldest if full."""
    num_environments, capacity, _ = replay.rows.shape
    dtype, each = replay.rows.dtype, jnp.arange(num_environments)
    row = jnp.concatenate(
        [
            *(
                jnp.asarray(part, dtype)
                for part in (arrival.observation, arrival.action, arrival.task)
            ),
            *(
                jnp.asarray(part, dtype)[:, None]
                for part in (arrival.reward, arrival.discount, arrival.first)
            ),
        ],
        axis=1,
    )
    number, lost = replay.count, replay.count - capacity
    held = replay.starts[each, replay.oldest % capacity]
    has_start = replay.newest > replay.oldest
    # A start is lost together with row `lost`, although the row that its step led to remains.
    oldest = replay.oldest + (has_start & (held <= lost))
    # The very first row has no row before it in which a step could begin.
    begins = ~jnp.asarray(arrival.first) & (number > 0)
    slot = replay.newest % capacity
    held = jnp.where(begins, number - 1, replay.starts[each, slot])
    return Replay(
        rows=replay.rows.at[:, number % capacity].set(row),
        starts=replay.starts.at[each, slot].set(held),
        oldest=oldest,
        newest=replay.newest + begins,
        count=number + 1,
        sizes=replay.sizes,
    )


def sample(config: AgentConfig, replay: Replay, key: PRNGKey, *, batch: int) -> Window:
    """Return windows of up to `n_step` steps, with uniformly drawn starts.

    A window ends early at the end of its episode or at the newest row: the shorter return is an
    equally valid target. (The published agents never start in the last n - 1 steps of an episode.)

    Args:
        config: the agent's settings, among them n and the discount.
        replay: experience, of at least one step.
        key: JAX random key.
        batch: B, the number of windows.
    """
    num_rows = replay.rows.shape[1]
    environment, start = _draw_starts(replay, key, batch)
    numbers = start[:, None] + jnp.arange(config.n_step + 1)[None, :]
    rows = replay.rows[environment[:, None], numbers % num_rows]
    return _window(rows, numbers < replay.count, replay.sizes, config.discount)


def _draw_starts(
    replay: Replay, key: PRNGKey, batch: int
) -> tuple[Int[Array, " B"], Int[Array, " B"]]:
    """Return environments and numbers of rows in which steps begin."""
    kept = replay.newest - replay.oldest
    upto = jnp.cumsum(kept)
    # The remainder favours some of a million steps by one part in 4,000, but it compiles in half
    # the time of an unbiased draw.
    drawn = (jax.random.bits(key, (batch,), jnp.uint32) % upto[-1]).astype(kept.dtype)
    environment = (drawn[:, None] >= upto[None, :-1]).sum(axis=1)
    place = drawn - (upto - kept)[environment] + replay.oldest[environment]
    return environment, replay.starts[environment, place % replay.starts.shape[1]]


def _window(
    rows: Float[Array, "B n1 K"],
    known: Bool[Array, "B n1"],
    sizes: tuple[int, int, int],
    discount: Scalar,
) -> Window:
    """Return the windows in n + 1 consecutive rows, cut at the first that begins an episode."""
    observation, action, task, reward, further, first = _parts(rows, sizes)
    goes_on = known[:, 1:] & (first[:, 1:] == 0)
    inside = jnp.cumprod(goes_on, axis=1).astype(bool)
    last = jnp.minimum(jnp.arange(inside.shape[1])[None, :], inside.sum(axis=1)[:, None] - 1)
    return Window(
        observation=observation[:, 0],
        action=action[:, 1],
        task=task[:, 0],
        rewards=jnp.where(inside, reward[:, 1:], 0),
        discounts=jnp.where(inside, discount * further[:, 1:], 1),
        inside=inside,
        next_observations=jnp.take_along_axis(observation[:, 1:], last[:, :, None], axis=1),
    )


def _parts(rows: Float[Array, "B n1 K"], sizes: tuple[int, int, int]) -> list[Array]:
    """Return the six parts of rows; scalars lose their axis."""
    after_observation, after_action = sizes[0], sizes[0] + sizes[1]
    end = sum(sizes)
    vectors = jnp.split(rows[..., :end], [after_observation, after_action], axis=-1)
    return [*vectors, *(rows[..., end + i] for i in range(3))]
