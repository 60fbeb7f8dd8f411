"""gymnax, Navix and MiniGrid as exact worlds, against their own code and plain simulations."""

import jax
import numpy as np
import pytest

import first_occupancy as fo
import grid_search
from door_key import searched
from first_occupancy.interop.enumeration.copied_worlds import enumerate_copies
from first_occupancy.interop.enumeration.jax_worlds import enumerate_jax
from tutorials import check

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'interop' is not installed")


@pytest.fixture(scope="module")
def gymnax():
    return pytest.importorskip("gymnax", reason="the extra 'jax-environments' is not installed")


@pytest.fixture(scope="module")
def navix():
    return pytest.importorskip("navix", reason="the extra 'jax-environments' is not installed")


@pytest.fixture(scope="module")
def minigrid():
    return pytest.importorskip("minigrid", reason="the extra 'peers' is not installed")


def test_gymnax_four_rooms_slips_as_its_code_says(gymnax):
    environment, params = gymnax.make("FourRooms-misc")
    world = enumerate_jax(environment, params=params, samples=3000)
    open_cells = np.asarray(environment.env_map)
    assert world.num_states == open_cells.sum()
    cells = np.asarray(world.states.pos)
    number = {tuple(cell): state for state, cell in enumerate(cells.tolist())}
    moves = np.asarray(environment.directions)
    # With probability 4/9 the action is drawn from all four.
    shares = np.full((4, 4), 1 / 9) + np.eye(4) * 5 / 9
    for state in np.flatnonzero(~world.ended):
        for action in range(4):
            expected = np.zeros(world.num_states)
            for move, share in zip(moves, shares[action], strict=True):
                ahead = tuple(cells[state] + move)
                expected[number[ahead] if open_cells[ahead] else state] += share
            found = world.action_chains[action][[state]].toarray()[0]
            assert np.abs(found - expected).max() <= world.error


def test_gymnax_frozen_lake_without_slips_is_gymnasiums(gymnax):
    environment = gymnax.environments.misc.frozen_lake.FrozenLake(is_slippery=False)
    ours = enumerate_jax(environment)
    theirs = enumerate_copies(gymnasium.make("FrozenLake-v1", is_slippery=False), samples=2)
    assert ours.samples == 1
    assert np.asarray(ours.states.position).tolist() == [key for key, _ in theirs.numbers]
    for one, other in zip(ours.action_chains, theirs.action_chains, strict=True):
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    np.testing.assert_array_equal(ours.mdp.rewards, theirs.mdp.rewards)


def test_a_clock_that_matters_is_missed_in_gymnax(gymnax):
    environment, params = gymnax.make("MemoryChain-bsuite")
    with pytest.raises(fo.InputError, match=r"they differ in state\.time: add to key="):
        enumerate_jax(environment, params=params)


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")  # imported in 64 bits
def test_navix_door_key_is_solved_under_jit(navix):
    with jax.enable_x64(False), jax.numpy_rank_promotion("allow"):  # as it needs them
        solve_with_its_own_functions(navix.make("Navix-DoorKey-5x5-v0"))


def solve_with_its_own_functions(environment):
    world = enumerate_jax(environment)
    plan = fo.plan(world, world.ends, discount=0.95)
    act, steps = plan.policy_function(), int(plan.expected_time[world.start])
    # Its own `step` and `reset`, as users call them.
    timestep = environment.reset(jax.random.split(jax.random.key(0), 1)[0])
    step = jax.jit(
        lambda timestep: environment.step(
            timestep, act({"grid": timestep.state.grid, "entities": timestep.state.entities})
        )
    )
    kinds = []
    for _ in range(steps):
        timestep = step(timestep)
        kinds.append(int(timestep.step_type))
    assert kinds == [0] * (steps - 1) + [2]
    assert world.picture(0).ndim == 3


@pytest.mark.parametrize("seed", range(4))
def test_minigrid_door_key_takes_as_many_steps_as_a_plain_search(minigrid, seed):
    environment = gymnasium.make("MiniGrid-DoorKey-5x5-v0", render_mode="rgb_array")
    environment.reset(seed=seed)
    states, shortest = searched(environment)
    world = enumerate_copies(environment, seed=seed)
    plan = fo.plan(world, world.ends, discount=0.95)
    assert (world.num_states, float(plan.expected_time[world.start])) == (states, shortest)
    observation, _ = environment.reset(seed=seed)
    agent, ended, steps = plan.agent(environment), False, 0
    while not ended:
        observation, _, ended, _, _ = environment.step(agent.predict(observation)[0])
        steps += 1
    assert steps == shortest
    opened = world.where(lambda env: any(is_open_door(thing) for thing in env.unwrapped.grid.grid))
    assert 0 < len(opened) < world.num_states
    shown = world.pictures(plan)
    assert shown[0][0] == "start"
    assert shown[-1][1].shape == shown[0][1].shape


@pytest.mark.parametrize(
    "name",
    [
        "Unlock",
        "RedBlueDoors-6x6",
        "KeyCorridorS3R1",
        "GoToDoor-5x5",
        "PutNear-6x6-N2",
        "LavaGapS5",
    ],
)
def test_tasks_that_refer_to_objects_are_what_a_search_in_them_finds(minigrid, name):
    world = enumerate_copies(gymnasium.make(f"MiniGrid-{name}-v0"))
    plan = fo.plan(world, world.ends, discount=0.95)
    states, nearest = grid_search.searched(gymnasium.make(f"MiniGrid-{name}-v0"))
    assert (world.num_states, float(plan.expected_time[world.start])) == (states, nearest)


def test_two_balls_that_look_alike_are_told_apart_by_the_task(minigrid):
    from minigrid.core.roomgrid import RoomGrid
    from minigrid.core.world_object import Ball

    class TwoBalls(RoomGrid):
        """The second ball is to be picked up."""

        def __init__(self):
            super().__init__(room_size=6, num_rows=1, num_cols=1, mission_space=mission)

        def _gen_grid(self, width, height):
            super()._gen_grid(width, height)
            other, self.obj = Ball("grey"), Ball("grey")
            self.place_in_room(0, 0, other)
            self.place_in_room(0, 0, self.obj)
            self.place_agent(0, 0)
            self.mission = "pick up the second ball"

        def step(self, action):
            observation, reward, _, truncated, about = super().step(action)
            return observation, reward, self.carrying is self.obj, truncated, about

    mission = gymnasium.spaces.Text(100)
    mission.rand_int = None
    world = enumerate_copies(TwoBalls())
    plan = fo.plan(world, world.ends, discount=0.95)
    found = (world.num_states, float(plan.expected_time[world.start]))
    assert found == grid_search.searched(TwoBalls())


def test_arrays_that_steps_change_in_place_are_part_of_the_state(minigrid):
    from minigrid.envs import EmptyEnv

    class Marks(EmptyEnv):
        """Cells that were entered are marked in an array, too long to be printed in full."""

        def step(self, action):
            self.visited[20 + self.agent_pos[0], 20 + self.agent_pos[1]] = True
            return super().step(action)

        def reset(self, **options):
            self.visited = np.zeros((50, 50), bool)
            return super().reset(**options)

    world = enumerate_copies(Marks(size=4))
    nearest = float(fo.plan(world, world.ends, discount=0.95).expected_time[world.start])
    assert (world.num_states, nearest) == grid_search.searched(Marks(size=4))


def test_episodes_with_other_tasks_are_other_states(minigrid):
    several = enumerate_copies(gymnasium.make("MiniGrid-GoToDoor-5x5-v0"), num_resets=3)
    sizes = [
        enumerate_copies(gymnasium.make("MiniGrid-GoToDoor-5x5-v0"), seed=seed).num_states
        for seed in range(3)
    ]
    assert several.num_states == sum(sizes)
    again = gymnasium.make("MiniGrid-GoToDoor-5x5-v0", render_mode="rgb_array")
    again.reset(seed=2)
    assert several.number(again) == several.mdp.start_distribution.nonzero()[0][2]


def is_open_door(thing):
    return thing is not None and thing.type == "door" and thing.is_open


def pose_of(environment):
    return (*environment.unwrapped.agent_pos, environment.unwrapped.agent_dir)


def test_the_pose_is_not_enough_where_doors_open(minigrid):
    environment = gymnasium.make("MiniGrid-DoorKey-8x8-v0")
    with pytest.raises(fo.InputError, match="key must tell apart states with different futures"):
        enumerate_copies(environment, key=pose_of)
    empty = enumerate_copies(gymnasium.make("MiniGrid-Empty-5x5-v0"), key=pose_of)
    assert empty.num_states == enumerate_copies(gymnasium.make("MiniGrid-Empty-5x5-v0")).num_states


def test_the_example_reaches_the_goal_as_promised(gymnax, minigrid, tmp_path):
    claims = """
assert steps == int(plan.expected_time[world.start])
error = float(found.mean()) - float(to_goal.expected_discount[rooms.start])
assert abs(error) < 6 * float(found.std()) / 17
assert [names.index(leg.policy_name) for leg in plan.legs(world.start)] == [0, 3, 1, 3, 2]
"""
    check("14_any_environment_exactly", tmp_path, claims)
