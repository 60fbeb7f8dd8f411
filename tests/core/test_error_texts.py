"""Each mistake gets one sentence: the function, what it needs, what it got."""

from functools import partial
from pathlib import PurePosixPath

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import (
    MDP,
    InputError,
    absorbing,
    chain,
    constant_policies,
    rollout,
    rollouts,
)
from first_occupancy.environments import escape_arena, four_rooms, maze, river_swim
from first_occupancy.planning import evaluation, frp, gpi, options, paths, tours
from first_occupancy.planning.dynamic_programming import policy_iteration, value_iteration
from first_occupancy.representations import (
    LambdaRepresentation,
    expected_returns,
    first_occupancy,
    successor,
)

pytestmark = pytest.mark.usefixtures("as_users_run_it")

nan, inf = np.nan, np.inf
even = np.full((2, 2), 0.5)


def world(*, reward=None, start_distribution=None):
    return MDP(np.full((3, 2, 3), 1 / 3), reward, start_distribution)


def transition_with(row):
    transition = np.full((3, 2, 3), 1 / 3)
    transition[2, 1] = row
    return transition


def plan_of(frs, **options):
    return frp.plan_to_goal(jnp.asarray(frs), 0, **options)


def plan_by_the_second():
    return frp.plan_to_goal(jnp.stack([jnp.eye(3), jnp.full((3, 3), 0.5)]), 0)


def learn(states, actions=None, discount=0.9):
    if actions is None:
        rep = first_occupancy.initial(3)
        return first_occupancy.td_learn(rep, jnp.array(states), discount=discount, step_size=0.1)
    return successor.state_action.td_learn(
        successor.state_action.initial(3, 2),
        jnp.array(states),
        jnp.array(actions),
        discount=discount,
        step_size=0.1,
    )


def in_float32(call):
    with jax.enable_x64(False):
        return call()


MISTAKES = {
    # Worlds
    "negative": (
        lambda: MDP(transition_with([1.5, -0.5, 0])),
        "MDP: transition at state 2, action 1 has a negative probability (has -0.5)",
    ),
    "not finite": (
        lambda: MDP(transition_with([nan, 0.5, 0.5])),
        "MDP: transition at state 2, action 1 is not finite (has nan)",
    ),
    "infinite": (
        lambda: MDP(transition_with([0, inf, 0])),
        "MDP: transition at state 2, action 1 is not finite (has inf)",
    ),
    "not summing to one": (
        lambda: MDP(transition_with([0.5, 0.25, 0])),
        "MDP: transition at state 2, action 1 does not sum to one (sums to 0.75)",
    ),
    "transition's shape": (
        lambda: MDP(np.ones((3, 2, 4)) / 4),
        "MDP: transition must have shape [S A S], got [3 2 4]",
    ),
    "transition's axes": (
        lambda: MDP(np.eye(3)),
        "MDP: transition must have shape [S A S], got [3 3]",
    ),
    "no states": (
        lambda: MDP(np.ones((0, 2, 0))),
        "MDP: transition must not be empty, got shape [0, 2, 0]",
    ),
    "reward's shape": (
        lambda: world(reward=np.zeros((3, 2))),
        "MDP: reward must have shape [S A S] with S = 3, A = 2 as in transition, got [3 2]",
    ),
    "reward not finite": (
        lambda: world(reward=np.full((3, 2, 3), nan)),
        "MDP: reward must be finite, got nan at [0, 0, 0]",
    ),
    "start's shape": (
        lambda: world(start_distribution=np.array([0.5, 0.5])),
        "MDP: start_distribution must have shape [S] with S = 3 as in transition, got [2]",
    ),
    "start not summing to one": (
        lambda: world(start_distribution=np.array([1.0, 1.0, 0.0])),
        "MDP: start_distribution does not sum to one (sums to 2)",
    ),
    "policy's shape": (
        lambda: chain(world(), jnp.ones((3, 3)) / 3),
        "chain: policy must have shape [*N S A] with S = 3, A = 2, got [3 3]",
    ),
    "policy negative": (
        lambda: chain(world(), jnp.array([[0.5, 0.5], [2.0, -1.0], [1.0, 0.0]])),
        "chain: policy at state 1 has a negative probability (has -1)",
    ),
    "one policy of a stack": (
        lambda: chain(world(), jnp.full((2, 3, 2), 0.5).at[1, 2].set(0.25)),
        "chain: policy at policy 1, state 2 does not sum to one (sums to 0.5)",
    ),
    "a walk by several policies": (
        lambda: rollout(world(), jax.random.key(0), jnp.full((2, 3, 2), 0.5), 0, num_steps=1),
        "rollout: policy must have shape [S A], got [2 3 2]",
    ),
    "walks from a grid of starts": (
        lambda: rollouts(
            world(), jax.random.key(0), jnp.full((3, 2), 0.5), jnp.zeros((2, 2), int), num_steps=1
        ),
        "rollouts: starts must be a list of states, got shape [2, 2]",
    ),
    "absorbing goal": (lambda: absorbing(world(), 3), "absorbing: goal must be in 0..2, got 3"),
    "river too short": (
        lambda: river_swim(2),
        "river_swim: num_states must be at least 3, got 2",
    ),
    "arena too small": (
        lambda: escape_arena(size=4),
        "escape_arena: size must be at least 5, got 4",
    ),
    "half a cell": (
        lambda: escape_arena(9.5),
        "escape_arena: size must be a whole number at least 5, got 9.5",
    ),
    "half a stretch of river": (
        lambda: river_swim(6.5),
        "river_swim: num_states must be a whole number at least 3, got 6.5",
    ),
    # Mazes
    "unknown character": (
        lambda: maze("...\n.x."),
        "maze: characters must be '#', '.', ' ', 'S', 'G', one of '^>v<' or a digit from 1 to 9, "
        "got 'x' in line 2, column 2",
    ),
    "no free cell": (
        lambda: maze("##\n##"),
        "maze: the drawing must have a free cell, got walls only",
    ),
    "two starts": (
        lambda: maze("S.S"),
        "maze: the drawing must have at most one start 'S', got 2",
    ),
    "empty drawing": (
        lambda: maze("\n\n"),
        "maze: the drawing must have at least one line, got nothing",
    ),
    "noise too high": (
        lambda: maze("..", noise=1.5),
        "maze: noise must be at least 0 and at most 1, got 1.5",
    ),
    "noise below zero": (
        lambda: four_rooms(noise=-0.1),
        "four_rooms: noise must be at least 0 and at most 1, got -0.1",
    ),
    "noise not a number": (
        lambda: maze("..", noise=nan),
        "maze: noise must be a finite number at least 0 and at most 1, got nan",
    ),
    "noise as text": (
        lambda: maze("..", noise=".1"),
        "maze: noise must be a finite number at least 0 and at most 1, got '.1'",
    ),
    "a cost of nothing": (
        lambda: maze("..", bump_cost=None),
        "maze: bump_cost must be a finite number, got None",
    ),
    "a number of moves": (
        lambda: maze("..", moves=8),
        "maze: moves must be FOUR_MOVES or EIGHT_MOVES of first_occupancy.environments, or "
        "other pairs of a name and a (row, column) step, got 8",
    ),
    "moves as text": (
        lambda: maze("..", moves="8"),
        "maze: moves must be FOUR_MOVES or EIGHT_MOVES of first_occupancy.environments, or "
        "other pairs of a name and a (row, column) step, got '8'",
    ),
    "two moves of one name": (
        lambda: maze("..", moves=(("hop", (0, 1)), ("hop", (0, -1)))),
        "maze: moves' names must differ, got 'hop' at positions 0 and 1",
    ),
    "half a move": (
        lambda: maze("..", moves=(("hop", (0, 0.5)),)),
        "maze: moves must be FOUR_MOVES or EIGHT_MOVES of first_occupancy.environments, or "
        "other pairs of a name and a (row, column) step, got (('hop', (0, 0.5)),)",
    ),
    "a cost of 0 to enter": (
        lambda: maze("S0G"),
        "maze: characters must be '#', '.', ' ', 'S', 'G', one of '^>v<' or a digit from 1 to 9, "
        "got '0' in line 1, column 2",
    ),
    "a one-way cell without its move": (
        lambda: maze("S^", moves=(("hop", (0, 1)), ("hip", (0, -1)))),
        "maze: a one-way cell '^' needs a move by the step (-1, 0), got moves hop, hip",
    ),
    "unknown corners": (
        lambda: maze("..", corners="cut"),
        "maze: corners must be one of forbid, strict, allow, got 'cut'",
    ),
    "an MDP of entering costs": (
        lambda: maze("S2").mdp,
        "Maze.mdp: entering a cell must cost 1 everywhere, but the drawing has other costs, for "
        "which an MDP has no place; use fo.plan or Maze.sparse_mdp",
    ),
    "a sparse MDP of entering costs and noise": (
        lambda: maze("S2", noise=0.1).sparse_mdp,
        "Maze.sparse_mdp: a maze with noise must have no entering costs, since then the time of a "
        "move depends on where it ends; use fo.plan, which knows both",
    ),
    "a drawing's path": (
        lambda: maze(PurePosixPath("a.txt")),
        "maze: the drawing must be text or lines of text, not a path; read the file with "
        "pathlib's read_text(), got PurePosixPath('a.txt')",
    ),
    "a drawing's file by its name": (
        lambda: maze("mazes/a.txt"),
        "maze: the drawing must be text or lines of text, not a path; read the file with "
        "pathlib's read_text(), got 'mazes/a.txt'",
    ),
    "no drawing": (
        lambda: maze(None),
        "maze: the drawing must be text or lines of text, got None",
    ),
    "lines of numbers": (
        lambda: maze(["..", 7]),
        "maze: the drawing must be text or lines of text, got 7",
    ),
    "state of a wall": (
        lambda: maze(".#").state(0, 1),
        "state: cell must be free, but (0, 1) is a wall",
    ),
    "state off the drawing": (
        lambda: maze(".#").state(0, -1),
        "state: cell must lie in the 1 x 2 drawing, got (0, -1)",
    ),
    "walls on a wall": (
        lambda: maze(".#").with_walls([(0, 1)]),
        "with_walls: cell must be free, but (0, 1) is a wall",
    ),
    "walls by states": (
        lambda: maze("..").with_walls([1]),
        "with_walls: cells must be pairs (row, column), got [1]",
    ),
    "a wall on the start": (
        lambda: maze("S.").with_walls([(0, 0)]),
        "with_walls: cells must leave the start free, got [(0, 0)]",
    ),
    "walls everywhere": (
        lambda: maze("..").with_walls([(0, 0), (0, 1)]),
        "with_walls: cells must leave a cell free, got all of them",
    ),
    "cell of no state": (lambda: maze("..").cell(2), "cell: state must be in 0..1, got 2"),
    # Representations
    "discount of one": (
        lambda: successor.solve(jnp.asarray(even), discount=1.0),
        "solve: discount must be at least 0 and below 1, got 1.0",
    ),
    "discount below zero": (
        lambda: successor.solve(jnp.asarray(even), discount=-0.1),
        "solve: discount must be at least 0 and below 1, got -0.1",
    ),
    "discount not a number": (
        lambda: successor.solve(jnp.asarray(even), discount=nan),
        "solve: discount must be at least 0 and below 1, got nan",
    ),
    "chain not square": (
        lambda: first_occupancy.solve(jnp.ones((2, 3)) / 3, discount=0.9),
        "solve: chain must have shape [*N S S], got [2 3]",
    ),
    "chain not summing to one": (
        lambda: first_occupancy.solve(jnp.array([[0.5, 0.5], [0.5, 0.0]]), discount=0.9),
        "solve: chain at state 1 does not sum to one (sums to 0.5)",
    ),
    "decay above one": (
        lambda: LambdaRepresentation(2.0),
        "LambdaRepresentation: decay must be at least 0 and at most 1, got 2.0",
    ),
    "walk of one state": (
        lambda: learn([0]),
        "td_learn: each representation needs a walk of at least 2 states, and as many "
        "actions, got walks of shapes [(1,)] for a representation of shape (3, 3)",
    ),
    "fewer actions than states": (
        lambda: learn([0, 1, 2], [0]),
        "td_learn: each representation needs a walk of at least 2 states, and as many "
        "actions, got walks of shapes [(3,), (1,)] for a representation of shape (3, 2, 3)",
    ),
    "many walks at once": (
        lambda: learn([[0, 1, 2], [1, 2, 0]]),
        "td_learn: each representation needs a walk of at least 2 states, and as many "
        "actions, got walks of shapes [(2, 3)] for a representation of shape (3, 3)",
    ),
    "walk off the world": (
        lambda: learn([0, 3]),
        "td_learn: states must be in 0..2, got 3 at position 1",
    ),
    "walk below zero": (
        lambda: learn([0, -1]),
        "td_learn: states must be in 0..2, got -1 at position 1",
    ),
    "td_step to nowhere": (
        lambda: successor.td_step(jnp.eye(3), 0, -1, discount=0.9, step_size=0.1),
        "td_step: next state or action must be in 0..2, got -1",
    ),
    "td_step to nowhere by an action": (
        lambda: first_occupancy.state_action.td_step(
            jnp.zeros((3, 2, 3)), 0, 0, 1, 2, discount=0.9, step_size=0.1
        ),
        "td_step: next state or action must be in 0..1, got 2",
    ),
    "td_step's discount": (
        lambda: LambdaRepresentation(0.5).td_step(jnp.eye(3), 0, 1, discount="0.9", step_size=0.1),
        "td_step: discount must be at least 0 and below 1, got '0.9'",
    ),
    "td_step's step size": (
        lambda: first_occupancy.td_step(jnp.eye(3), 0, 1, discount=0.9, step_size=1.5),
        "td_step: step_size must be at least 0 and at most 1, got 1.5",
    ),
    "td_learn's step size": (
        lambda: first_occupancy.td_learn(jnp.eye(3), [0, 1], discount=0.9, step_size=-1),
        "td_learn: step_size must be at least 0 and at most 1, got -1",
    ),
    "a number for a key": (
        lambda: rollout(world(), 0, np.full((3, 2), 0.5), 0, num_steps=3),
        "rollout: key must be jax.random.key(seed), got 0",
    ),
    "steps below zero": (
        lambda: rollout(world(), jax.random.key(0), np.full((3, 2), 0.5), 0, num_steps=-3),
        "rollout: num_steps must be at least 0, got -3",
    ),
    "rewards of another world": (
        lambda: expected_returns(np.eye(3), np.ones(2)),
        "expected_returns: reward must have shape [S] with S = 3 as in rep, got [2]",
    ),
    "td_step off the world": (
        lambda: first_occupancy.td_step(jnp.eye(3), 9, 0, discount=0.9, step_size=0.1),
        "td_step: state or action must be in 0..2, got 9",
    ),
    "rollout from nowhere": (
        lambda: rollout(world(), jax.random.key(0), jnp.full((3, 2), 0.5), 500, num_steps=2),
        "rollout: start must be in 0..2, got 500",
    ),
    "rollout of a policy for another world": (
        lambda: rollout(world(), jax.random.key(0), jnp.full((3, 9), 1 / 9), 0, num_steps=2),
        "rollout: policy must have shape [*N S A] with S = 3, A = 2, got [3 9]",
    ),
    "a cell for a goal": (
        lambda: frp.plan_to_goal(jnp.eye(3)[None], (1, 2)),
        "plan_to_goal: goal must be one whole number (plan_to_goals takes several; a maze's "
        "state(row, column) is the number of a cell), got (1, 2)",
    ),
    "a discount that float32 rounds to one": (
        lambda: in_float32(lambda: successor.solve(jnp.eye(2), discount=0.99999999)),
        "solve: discount must be at least 0 and below 1, got 0.99999999",
    ),
    "a discount that a float32 chain rounds to one": (
        lambda: successor.solve(jnp.eye(2, dtype=jnp.float32), discount=0.99999999),
        "solve: discount times the sum of each row of chain must be below 1, "
        "got 1.0 times 1 at state 0",
    ),
    "unrolling many plans": (
        lambda: frp.plan_to_every_goal(jnp.eye(3)[None]).legs(0),
        "legs: plan must be the plan to one goal, got many; take plans.to(goal)",
    ),
    "fewer policies than the plan follows": (
        lambda: evaluation.evaluate(
            plan_by_the_second(), world(), jnp.full((1, 3, 2), 0.5), discount=0.9
        ),
        "evaluate: policies must be those of the plan, which follows policy 1, got 1",
    ),
    "GPI with one representation": (
        lambda: gpi.choose_policy(jnp.eye(3), jnp.ones(3)),
        "choose_policy: reps must have shape [N S S], got [3 3]",
    ),
    "the set's best policy over other starts": (
        lambda: gpi.set_max(jnp.eye(3)[None], jnp.ones(3), jnp.ones(2)),
        "set_max: start must have shape [S] with S = 3 as in reps, got [2]",
    ),
    "decay below zero": (
        lambda: LambdaRepresentation(-0.5),
        "LambdaRepresentation: decay must be at least 0 and at most 1, got -0.5",
    ),
    "whole numbers that may be either": (
        lambda: chain(MDP(np.full((2, 2, 2), 0.5)), np.eye(2, dtype=int)),
        "chain: policies must be floats where there are as many actions as states, since whole "
        "numbers may be probabilities or actions",
    ),
    "an MDP in place of a chain": (
        lambda: first_occupancy.solve(MDP(np.ones((1, 1, 1))), discount=0.9),
        "solve: needs a Markov chain, got MDP; make one with fo.chain(world, policy)",
    ),
    "pairs of a transition that is none": (
        lambda: first_occupancy.state_action.solve(
            jnp.array([[[2.0, 0.0]], [[0.0, 0.0]]]), jnp.ones((2, 1)), discount=0.9
        ),
        "solve: transition at state 0, action 0 does not sum to one (sums to 2)",
    ),
    "a backup with a discount of 2": (
        lambda: successor.backup(jnp.eye(3), jnp.eye(3), discount=2.0),
        "backup: discount must be at least 0 and below 1, got 2.0",
    ),
    "unknown action": (
        lambda: learn([0, 1], [0, 2]),
        "td_learn: actions must be in 0..1, got 2 at position 1",
    ),
    "discount of td_learn": (
        lambda: learn([0, 1], discount=1.5),
        "td_learn: discount must be at least 0 and below 1, got 1.5",
    ),
    # Planning
    "goal out of range": (
        lambda: frp.plan_to_goal(jnp.ones((1, 2, 2)), 2),
        "plan_to_goal: goal must be in 0..1, got 2",
    ),
    "goal below zero": (
        lambda: frp.plan_to_goal(jnp.ones((1, 2, 2)), -1),
        "plan_to_goal: goal must be in 0..1, got -1",
    ),
    "frs' shape": (
        lambda: plan_of(np.ones((2, 2))),
        "plan_to_goal: frs must have shape [N S S], got [2 2]",
    ),
    "frs above one": (
        lambda: plan_of([[[1, 1.5], [0, 1]]]),
        "plan_to_goal: frs must hold expected discounts in [0, 1], got 0 to 1.5",
    ),
    "frs below zero": (
        lambda: frp.plan_to_every_goal(jnp.array([[[1, -0.5], [0, 1]]])),
        "plan_to_every_goal: frs must hold expected discounts in [0, 1], got -0.5 to 1",
    ),
    "one of many frs not a number": (
        # So many that XLA's own minimum and maximum lose sight of it.
        lambda: plan_of(np.where(np.arange(10_000) == 1, nan, 0.5).reshape(1, 100, 100)),
        "plan_to_goal: frs must hold expected discounts in [0, 1], got nan to nan",
    ),
    "frs not a number": (
        lambda: plan_of([[[1, nan], [0, 1]]]),
        "plan_to_goal: frs must hold expected discounts in [0, 1], got nan to nan",
    ),
    "switches below zero": (
        lambda: plan_of(np.ones((1, 2, 2)), max_switches=-1),
        "plan_to_goal: max_switches must be at least 0, got -1",
    ),
    "half a switch": (
        lambda: plan_of(np.ones((1, 2, 2)), max_switches=1.5),
        "plan_to_goal: max_switches must be a whole number at least 0 or None, got 1.5",
    ),
    "half a switch on paths": (
        lambda: paths.plan_paths(np.zeros((1, 2), int), 0, discount=0.9, max_switches=1.5),
        "plan_paths: max_switches must be a whole number at least 0 or None, got 1.5",
    ),
    "unreachable goal": (
        lambda: plan_of([np.eye(2)]).legs(1),
        "legs: goal 0 must be reachable from start 1, "
        "but no sequence of the base policies leads there, "
        "or none with as few switches as the plan was made with",
    ),
    "start out of range": (
        lambda: plan_of([np.eye(2)]).legs(2),
        "legs: start must be in 0..1, got 2",
    ),
    "plan of another world": (
        lambda: evaluation.evaluate(
            plan_of([np.eye(2)]), world(), jnp.full((1, 3, 2), 0.5), discount=0.9
        ),
        "evaluate: plan.policy must have shape [S] with S = 3 as in world, got [2]",
    ),
    "options of fewer policies than the plan follows": (
        lambda: options.from_plan(plan_by_the_second(), jnp.full((1, 3, 2), 0.5), 1),
        "from_plan: policies must be those of the plan, which follows policy 1, got 1",
    ),
    "re-choosing among fewer policies than the plan follows": (
        lambda: evaluation.rechoosing_policy(plan_by_the_second(), jnp.full((1, 3, 2), 0.5)),
        "rechoosing_policy: policies must be those of the plan, which follows policy 1, got 1",
    ),
    "re-choosing by many plans": (
        lambda: evaluation.rechoosing_policy(
            frp.plan_to_every_goal(jnp.eye(3)[None]), jnp.full((1, 3, 2), 0.5)
        ),
        "rechoosing_policy: plan must be one plan for the 3 states of policies, "
        "got policies of shape (3, 3)",
    ),
    "options of another world": (
        lambda: options.execute(
            [options.Option(jnp.asarray(even), jnp.ones(2))],
            world(),
            jax.random.key(0),
            0,
            num_steps=1,
        ),
        "execute: an option's policy must have shape [S A] with S = 3, A = 2 as in world, "
        "got [2 2]",
    ),
    "no options": (
        lambda: options.execute([], world(), jax.random.key(0), 0, num_steps=1),
        "execute: options must hold at least one option, got none",
    ),
    "discount of value iteration": (
        lambda: value_iteration.solve(world(), discount=1.0),
        "value_iteration.solve: discount must be at least 0 and below 1, got 1.0",
    ),
    "error of value iteration": (
        lambda: value_iteration.solve(world(), discount=0.9, error=-1.0),
        "value_iteration.solve: error must be at least 0, got -1.0",
    ),
    "sweeps below zero": (
        lambda: value_iteration.solve(world(), discount=0.9, max_iterations=-1),
        "value_iteration.solve: max_iterations must be at least 0, got -1",
    ),
    "discount of policy iteration": (
        lambda: policy_iteration.solve(world(), discount=-0.5),
        "policy_iteration.solve: discount must be at least 0 and below 1, got -0.5",
    ),
    "rounds below zero": (
        lambda: policy_iteration.solve(world(), discount=0.9, max_iterations=-1),
        "policy_iteration.solve: max_iterations must be at least 0, got -1",
    ),
    # Tours
    "no goals": (
        lambda: tours.best_order(0, np.zeros(0, int), np.zeros((2, 0))),
        "best_order: goals must be a list of states, got shape [0]",
    ),
    "discounts' shape": (
        lambda: tours.best_order(0, np.array([1]), np.zeros((2, 2))),
        "best_order: log_discounts must have shape [S G] with G = 1 as in goals, got [2 2]",
    ),
    "tour's start": (
        lambda: tours.best_order(2, np.array([1]), np.zeros((2, 1))),
        "best_order: start must be in 0..1, got 2",
    ),
    "tour's goal": (
        lambda: tours.best_order(0, np.array([5]), np.zeros((2, 1))),
        "best_order: goals must be in 0..1, got 5 at position 0",
    ),
    "no logs": (
        lambda: tours.best_order(0, np.array([1]), np.full((2, 1), 0.5)),
        "best_order: log_discounts must be logs of discounts, at most 0, got up to 0.5",
    ),
    "tour of unreachable goals": (
        lambda: tours.best_order(0, np.array([1]), np.array([[-inf], [0.0]])),
        "best_order: some order must reach all goals from state 0, "
        "but every order has a leg that no plan can make",
    ),
}


NEED_WORLDS = {
    "constant_policies": constant_policies,
    "absorbing": lambda mdp: absorbing(mdp, 0),
    "value_iteration.solve": lambda mdp: value_iteration.solve(mdp, discount=0.9),
    "policy_iteration.solve": lambda mdp: policy_iteration.solve(mdp, discount=0.9),
    "evaluate": lambda mdp: evaluation.evaluate(plan_of([np.eye(2)]), mdp, even, discount=0.9),
    "execute": lambda mdp: options.execute(
        [options.Option(jnp.asarray(even), jnp.ones(2))], mdp, jax.random.key(0), 0, num_steps=1
    ),
}


@pytest.mark.parametrize("caller", NEED_WORLDS)
def test_whoever_needs_an_mdp_says_so(caller):
    with pytest.raises(InputError) as caught:
        NEED_WORLDS[caller](None)
    assert str(caught.value) == f"{caller}: world must be an MDP or a maze, got {type(None)}"


def test_a_maze_is_taken_for_its_mdp_and_actions_for_policies():
    hall = maze("..")
    moves = jnp.array([[1, 1], [3, 3]])
    chains = chain(hall.mdp, constant_policies(hall.mdp)[moves[:, 0]])
    np.testing.assert_array_equal(chain(hall, moves), chains)
    np.testing.assert_array_equal(constant_policies(hall), constant_policies(hall.mdp))
    plan = plan_of([np.eye(2)])
    ours = evaluation.evaluate(plan, hall, moves, discount=0.9)
    theirs = evaluation.evaluate(
        plan, hall.mdp, jax.nn.one_hot(moves, hall.num_actions), discount=0.9
    )
    np.testing.assert_array_equal(ours.optimal, theirs.optimal)
    np.testing.assert_array_equal(ours.leg_by_leg, theirs.leg_by_leg)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_message_says_what_is_needed_and_what_was_given(mistake):
    make, message = MISTAKES[mistake]
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_checks_let_traced_values_pass():
    solve = jax.jit(partial(first_occupancy.solve, discount=0.9))
    frs = solve(jnp.asarray(even))
    plan = jax.jit(frp.plan_to_goal)(frs[None], 1)
    np.testing.assert_allclose(plan.promised, frs[:, 1], rtol=1e-12)
