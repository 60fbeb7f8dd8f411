"""Continuous worlds that nobody tuned for: simulators, logs and goals, many states at once.

| world | a state | an action | what is hard |
| --- | --- | --- | --- |
| `u room` | position, velocity | push | momentum, and a block that hangs into the room |
| `pendulum` | angle from upright, speed | torque | it must swing up; seen as (cos, sin, speed) |
| `raw pendulum` | the same | torque | the angle is seen as it is, and jumps from pi to -pi |
| `car` | position, heading | throttle, steering | it cannot move sideways, nor back |
| `arm` | two joint angles | joint speeds | three obstacles, invisible in the angles |
| `thin walls` | position | move | walls one step thick, with four doors |
| `slippery floor` | position | move | ice that sends one anywhere, next to two holes |

Logs are episodes of 200 steps from random states; actions are drawn uniformly and held for a while,
except in the U-shaped room, where episodes head for places around, and for the pendulum, half of
whose episodes push in the direction of the swing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from jaxtyping import Bool, Float
from scipy.ndimage import label

from first_occupancy.core.episodes import Episodes

LENGTH = 200
"""Steps of a recorded episode."""

HELD = 0.1
"""Chance per step that a recorded episode draws another action."""

PACE = 0.05
"""Length of a step of the worlds with a floor."""

States = Float[np.ndarray, "_ _"]
Free = Callable[[Float[np.ndarray, "*B 2"]], Bool[np.ndarray, "*B"]]


@dataclass(frozen=True)
class LoggedWorld:
    """A world with a simulator; K numbers in a state, O in an observation, A in an action.

    Attributes:
        step: function from states, actions in [-1, 1] and a source of randomness to the next ones.
        starts: function from a source of randomness and a number to as many states; goals are
            drawn from them, too.
        observe: function from states to observations.
        reached: function from states and goals, states as well, to whether they are reached.
        free: function from the first two numbers of states to whether no wall is there.
        num_actions: A.
        jitter: by how much the starts of repeated rollouts differ, in each number of a state.
        max_steps: steps after which a rollout has failed.
        behave: function from states, held actions, targets (states) and a source of randomness to
            the actions of a log.
        states: function from observations back to states.
    """

    step: Callable[[States, Float[np.ndarray, "_ A"], np.random.Generator], States]
    starts: Callable[[np.random.Generator, int], States]
    observe: Callable[[States], Float[np.ndarray, "_ O"]]
    reached: Callable[[States, States], Bool[np.ndarray, " _"]]
    free: Free
    num_actions: int
    jitter: tuple[float, ...]
    max_steps: int = 400
    behave: Callable[..., Float[np.ndarray, "_ A"]] = lambda states, held, targets, rng: held
    states: Callable[[Float[np.ndarray, "_ O"]], States] = lambda seen: seen

    def log(self, *, seed: int, num_episodes: int = 500) -> Episodes:
        """Return a log of episodes of `LENGTH` steps."""
        rng = np.random.default_rng([seed, 0])
        states, targets = self.starts(rng, num_episodes), self.starts(rng, num_episodes)
        held = rng.uniform(-1, 1, (num_episodes, self.num_actions))
        seen, done = [self.observe(states)], []
        for _ in range(LENGTH):
            new = rng.random(num_episodes) < HELD
            held = np.where(new[:, None], rng.uniform(-1, 1, held.shape), held)
            turned = rng.random(num_episodes) < HELD / 3
            targets = np.where(turned[:, None], self.starts(rng, num_episodes), targets)
            done.append(np.clip(self.behave(states, held, targets, rng), -1, 1))
            states = self.step(states, done[-1], rng)
            seen.append(self.observe(states))
        observations, actions = np.stack(seen, 1), np.stack(done, 1)
        return Episodes(list(observations), list(actions))

    def near(self, states: States, count: int, rng: np.random.Generator) -> States:
        """Return `count` states near each of some, one after the other."""
        copies = np.repeat(states, count, axis=0)
        moved = copies + np.asarray(self.jitter) * rng.uniform(-1, 1, copies.shape)
        # Where a wall is in the way, a rollout starts at the state itself.
        return np.where(self.free(moved[:, :2])[:, None], moved, copies)


def wrapped(angles: Float[np.ndarray, "*B"]) -> Float[np.ndarray, "*B"]:
    """Return angles between -pi and pi."""
    return (angles + np.pi) % (2 * np.pi) - np.pi


def _drawn(
    free: Free, size: float, rng: np.random.Generator, count: int
) -> Float[np.ndarray, "B 2"]:
    """Return places in a square that are free."""
    found = np.empty((0, 2))
    while len(found) < count:
        places = rng.uniform(0, size, (2 * count, 2))
        found = np.vstack([found, places[free(places)]])
    return found[:count]


def _in_square(size: float, places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    return np.all((places > 0) & (places < size), axis=-1)


def _slid(places: States, moves: States, free: Free) -> tuple[States, Bool[np.ndarray, "B 2"]]:
    """Return places after moves that walls stop, one axis after the other, and which were free."""
    places, went = places.copy(), np.ones(places.shape, bool)
    for axis in range(2):
        ahead = places.copy()
        ahead[:, axis] += moves[:, axis]
        went[:, axis] = free(ahead)
        places = np.where(went[:, [axis]], ahead, places)
    return places, went


def _u_free(places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    x, y = places[..., 0], places[..., 1]
    return _in_square(3.0, places) & ~((x > 1) & (x < 2) & (y > 1))


def _u_step(states: States, actions: States, rng: np.random.Generator) -> States:
    noise = 0.002 * rng.normal(size=actions.shape)
    speeds = 0.92 * states[:, 2:] + 0.025 * np.clip(actions, -1, 1) + noise
    places, went = _slid(states[:, :2], speeds, _u_free)
    return np.hstack([places, np.where(went, speeds, 0)])


def _u_behave(
    states: States, held: States, targets: States, rng: np.random.Generator
) -> Float[np.ndarray, "B 2"]:
    del rng
    return 3 * (targets[:, :2] - states[:, :2]) - 8 * states[:, 2:] + 0.7 * held


def _u_starts(rng: np.random.Generator, count: int) -> States:
    return np.hstack([_drawn(_u_free, 3.0, rng, count), np.zeros((count, 2))])


def _pendulum_step(states: States, actions: States, rng: np.random.Generator) -> States:
    del rng
    push = 15 * np.sin(states[:, 0]) + 6 * np.clip(actions[:, 0], -1, 1)
    speed = np.clip(states[:, 1] + 0.05 * push, -8, 8)
    return np.stack([wrapped(states[:, 0] + 0.05 * speed), speed], axis=1)


def _pendulum_behave(
    states: States, held: States, targets: States, rng: np.random.Generator
) -> Float[np.ndarray, "B 1"]:
    del targets
    pumping = (np.arange(len(states)) % 2 == 0) & (rng.random(len(states)) < 0.9)
    return np.where(pumping, np.sign(states[:, 1]), held[:, 0])[:, None]


def _pendulum_starts(rng: np.random.Generator, count: int) -> States:
    return rng.uniform([-np.pi, -2], [np.pi, 2], (count, 2))


def _pendulum_reached(states: States, goals: States) -> Bool[np.ndarray, " _"]:
    near = np.cos(states[:, 0] - goals[:, 0]) > np.cos(0.2)
    return near & (np.abs(states[:, 1] - goals[:, 1]) < 0.6)


def _car_free(places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    x, y = places[..., 0], places[..., 1]
    return _in_square(4.0, places) & ~((np.abs(x - 2) < 0.7) & (np.abs(y - 2) < 0.7))


def _car_step(states: States, actions: States, rng: np.random.Generator) -> States:
    del rng
    actions = np.clip(actions, -1, 1)
    heading = wrapped(states[:, 2] + 0.2 * actions[:, 1])
    pace = 0.03 * (1 + actions[:, [0]])
    moves = pace * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    places, _ = _slid(states[:, :2], moves, _car_free)
    return np.hstack([places, heading[:, None]])


def _car_starts(rng: np.random.Generator, count: int) -> States:
    return np.hstack([_drawn(_car_free, 4.0, rng, count), rng.uniform(-np.pi, np.pi, (count, 1))])


def _car_reached(states: States, goals: States) -> Bool[np.ndarray, " _"]:
    near = np.linalg.norm(states[:, :2] - goals[:, :2], axis=1) < 0.25
    return near & (np.cos(states[:, 2] - goals[:, 2]) > np.cos(0.5))


OBSTACLES = np.array([[1.2, 0.9], [-1.3, 0.5], [0.2, -1.4]])
"""Centres of the obstacles around the arm; each has a radius of 0.3."""

ALONG = np.linspace(0.1, 1, 10)
"""Places along each link at which it may hit an obstacle, in lengths of the link."""


def _arm_free(angles: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    upper = np.stack([np.cos(angles[..., 0]), np.sin(angles[..., 0])], -1)
    total = angles.sum(-1)
    lower = np.stack([np.cos(total), np.sin(total)], -1)
    links = [
        upper[..., None, :] * ALONG[:, None],
        upper[..., None, :] + lower[..., None, :] * ALONG[:, None],
    ]
    points = np.concatenate(links, axis=-2)
    clear = np.linalg.norm(points[..., None, :] - OBSTACLES, axis=-1) > 0.3
    return clear.all(axis=(-2, -1)) & (np.abs(angles) < 2.8).all(-1)


def _arm_step(states: States, actions: States, rng: np.random.Generator) -> States:
    del rng
    return _slid(states, 0.08 * np.clip(actions, -1, 1), _arm_free)[0]


def _arm_starts(rng: np.random.Generator, count: int) -> States:
    cells = _arm_cells()
    return cells[rng.integers(len(cells), size=count)] + rng.uniform(-0.01, 0.01, (count, 2))


@cache
def _arm_cells() -> States:
    """Return angles on a grid that are clear of obstacles and connected with both at 0."""
    line = np.linspace(-2.8, 2.8, 141)
    grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)
    # Away from obstacles by more than starts are jittered.
    clear = np.all([_arm_free(grid + 0.02 * np.array(way)) for way in _WAYS], axis=0)
    parts, _ = label(clear)
    return grid[parts == parts[70, 70]]


_WAYS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def _walled_free(thickness: float, places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    """Return where four rooms are free, between them walls so many steps thick with doors."""
    x, y = places[..., 0], places[..., 1]
    half = thickness * PACE / 2
    upright = (np.abs(x - 1.5) < half) & (np.abs(y - 0.7) > 0.15) & (np.abs(y - 2.5) > 0.15)
    level = (np.abs(y - 1.5) < half) & (np.abs(x - 0.4) > 0.15) & (np.abs(x - 2.2) > 0.15)
    return _in_square(3.0, places) & ~upright & ~level


def walled_world(thickness: float, *, pushing: bool = True) -> LoggedWorld:
    """Return four rooms with walls between them.

    Args:
        thickness: thickness of the walls, in steps.
        pushing: whether logs push against walls; if not, they turn round before.
    """
    free = partial(_walled_free, thickness)

    def step(states: States, actions: States, rng: np.random.Generator) -> States:
        moves = PACE * np.clip(actions, -1, 1) + 0.003 * rng.normal(size=actions.shape)
        return _slid(_slid(states, moves / 2, free)[0], moves / 2, free)[0]

    def behave(
        states: States, held: States, targets: States, rng: np.random.Generator
    ) -> Float[np.ndarray, "B 2"]:
        del targets, rng
        # Half a step more than a move, so that noise does not touch a wall either.
        went = [_slid(states, 1.5 * PACE * way * held, free)[1] for way in (1, -1)]
        clear = [np.all(each, axis=1, keepdims=True) for each in went]
        return np.select(clear, [held, -held], 0.0)

    world = LoggedWorld(step, partial(_drawn, free, 3.0), _seen, _within(0.15), free, *_FLOOR)
    return world if pushing else replace(world, behave=behave)


def _in_hole(places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    x, y = places[..., 0], places[..., 1]
    return (np.abs(x - 1.5) < 0.3) & (np.abs(np.abs(y - 1.5) - 0.65) < 0.35)


def _off_holes(places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    return _in_square(3.0, places) & ~_in_hole(places)


def _ice_step(states: States, actions: States, rng: np.random.Generator) -> States:
    # Ice: a disc around the two holes, on which every fifth step goes anywhere, and far.
    on_ice = np.linalg.norm(states - 1.5, axis=1) < 1.3
    slipping = on_ice & (rng.random(len(states)) < 0.2)
    ways = rng.uniform(-4, 4, states.shape)
    moves = PACE * np.where(slipping[:, None], ways, np.clip(actions, -1, 1))
    return np.where(
        _in_hole(states)[:, None], states, _slid(states, moves, partial(_in_square, 3.0))[0]
    )


def _within(far: float) -> Callable[[States, States], Bool[np.ndarray, " _"]]:
    return lambda states, goals: np.linalg.norm((states - goals)[:, :2], axis=1) < far


def _seen(states: States) -> States:
    return states


def _seen_as_circle(states: States) -> Float[np.ndarray, "B 3"]:
    return np.stack([np.cos(states[:, 0]), np.sin(states[:, 0]), states[:, 1]], axis=1)


def _of_circle(seen: States) -> States:
    return np.stack([np.arctan2(seen[:, 1], seen[:, 0]), seen[:, 2]], axis=1)


def _anywhere(places: Float[np.ndarray, "*B 2"]) -> Bool[np.ndarray, "*B"]:
    return np.ones(places.shape[:-1], bool)


_SWING = (_pendulum_reached, _anywhere, 1, (0.02, 0.05), 400, _pendulum_behave)
_FLOOR = (2, (0.01, 0.01))

LOGGED_WORLDS = {
    "u room": LoggedWorld(_u_step, _u_starts, _seen, _within(0.15), _u_free, 2,
                          (0.02, 0.02, 0.0, 0.0), 600, _u_behave),
    "pendulum": LoggedWorld(_pendulum_step, _pendulum_starts, _seen_as_circle, *_SWING, _of_circle),
    "raw pendulum": LoggedWorld(_pendulum_step, _pendulum_starts, _seen, *_SWING),
    "car": LoggedWorld(_car_step, _car_starts, _seen, _car_reached, _car_free, 2,
                       (0.02, 0.02, 0.05)),
    "arm": LoggedWorld(_arm_step, _arm_starts, _seen, _within(0.15), _arm_free, *_FLOOR),
    "thin walls": walled_world(1.0),
    "slippery floor": LoggedWorld(_ice_step, partial(_drawn, _off_holes, 3.0), _seen, _within(0.15),
                                  _off_holes, *_FLOOR),
}  # fmt: skip
