"""Skills that were learned once, for the tests of all that can be done with them.

Nothing of ours may be imported before shapes are checked, so the fixtures do.
"""

import pytest


def learned(world, *, goals=None, **options):
    """Return the world as an environment, and skills in it that were learned."""
    from first_occupancy.interop.gym.finite_environments import MazeEnvironment
    from first_occupancy.interop.skills import learn_skills
    from first_occupancy.interop.states import states_of

    environment = MazeEnvironment(world, goals=goals)
    return environment, learn_skills(environment, states_of(environment), discount=0.9, **options)


@pytest.fixture(scope="session")
def rooms():
    """Return FourRooms without a goal of its own, and skills in it that were learned."""
    from first_occupancy.environments import four_rooms

    return learned(four_rooms(), goals=[], num_steps=5000)


@pytest.fixture(scope="session")
def noisy():
    """Return a small room under noise, and skills in it that were learned."""
    from first_occupancy.environments import maze

    return learned(maze(["S..", ".#.", "..G"], noise=0.3), num_steps=2500, tries=60)
