"""Sarsa against hand-computed steps, a plain Python oracle, and expected frequencies."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy.core import MDP, InputError
from first_occupancy.environments import river_swim, six_arms
from first_occupancy_paper.explorers import sarsa
from first_occupancy_paper.explorers.bonuses import NormBonus
from first_occupancy_paper.explorers.sarsa import Learner, Progress, Sarsa


def progress_in_state_0(num_states=2, num_actions=2, diagonal=1.0):
    table = diagonal * np.repeat(np.eye(num_states)[:, None], num_actions, axis=1)
    values = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    return Progress(values, jnp.asarray(table), jnp.array(0), jnp.array(1))


def test_one_update_by_hand():
    """Q(0, 0) = 1 moves half-way to 10 + 5 * |F(0)|_1 + .9 * Q(1, 1).

    F(0) moves by a tenth of the way from [1, 0] to [1, .5 * 1], so its sum is 1.05.
    """
    learner = Learner(discount=0.5, step_size=0.1)
    agent = Sarsa(0.5, 0.9, 0.0, NormBonus(5.0), learner)
    after = sarsa.update(agent, progress_in_state_0(), 0, 10.0, 1, 0.5)
    target = 10 + 5 * 1.05 + 0.9 * 4
    np.testing.assert_allclose(after.values, [[1 + 0.5 * (target - 1), 2], [3, 4]])
    np.testing.assert_allclose(after.representation[0, 0], [1, 0.05])
    assert (int(after.state), int(after.action)) == (1, 1)


@pytest.mark.parametrize(
    ("of_next_state", "after_update", "decay", "next_state", "norm"),
    [
        (False, True, 0.0, 1, 1.05),
        (False, False, 0.0, 1, 1.0),
        (True, True, 0.0, 1, 1.0),
        (True, False, 0.0, 1, 1.0),
        # Staying: s' is s, the FR has learned nothing new, the SR counts again.
        (True, True, 0.0, 0, 1.0),
        (True, True, 1.0, 0, 1.05),
        (True, False, 1.0, 0, 1.0),
    ],
)
def test_which_row_and_when(of_next_state, after_update, decay, next_state, norm):
    learner = Learner(decay, 0.5, 0.1, of_next_state=of_next_state, after_update=after_update)
    agent = Sarsa(1.0, 0.0, 0.0, NormBonus(1.0), learner)
    after = sarsa.update(agent, progress_in_state_0(), 0, 0.0, next_state, 0.5)
    assert float(after.values[0, 0]) == pytest.approx(norm)


def test_rows_of_pairs_learn_apart():
    agent = Sarsa(epsilon=0.0, learner=Learner(step_size=0.1, initial_diagonal=0.0, of_pairs=True))
    after = sarsa.update(agent, progress_in_state_0(diagonal=0.0), 1, 0.0, 1, 0.5)
    np.testing.assert_allclose(after.representation[0], [[0, 0], [0.1, 0]])


def test_ties_are_broken_at_random_and_epsilon_is_shared():
    noise = jax.random.uniform(jax.random.key(0), 20_000)
    values = jnp.array([2.0, 1.0, 2.0])
    actions = np.asarray(jax.vmap(lambda n: sarsa.choose(values, 0.3, n))(noise))
    shares = np.bincount(actions, minlength=3) / len(actions)
    expected = np.array([0.45, 0.1, 0.45])
    error = np.sqrt(expected * (1 - expected) / len(actions))
    assert np.all(np.abs(shares - expected) < 4 * error)


def test_of_many_actions_each_has_its_share():
    values = np.random.default_rng(0).integers(0, 4, 21).astype(float)
    best = values == values.max()
    chances = 0.3 / 21 + 0.7 * best / best.sum()
    noise = np.linspace(0, 1, 500, endpoint=False)
    expected = np.searchsorted(np.cumsum(chances), noise, side="right")
    actions = jax.vmap(lambda n: sarsa.choose(jnp.asarray(values), 0.3, n))(jnp.asarray(noise))
    np.testing.assert_array_equal(actions, expected)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_the_planned_action_is_taken_unless_redrawn(dtype):
    progress, planned = progress_in_state_0(), jnp.array(0, dtype)
    swapped = Progress(progress.values, progress.representation, progress.state, planned)

    def act(redraws):
        return sarsa.act(Sarsa(epsilon=0.0, redraws=redraws), swapped, 0.5)

    assert (int(act(redraws=False)), int(act(redraws=True))) == (0, 1)
    np.testing.assert_array_equal(jax.vmap(act)(jnp.array([False, True])), [0, 1])


def plain_trial(agent, mdp, begin, walk, *, kind, pairs, of_next, after, decay):
    """Return the rewards of one trial, in plain Python: the oracle."""
    learner, weight = agent.learner, 7.0
    transition, pay = np.asarray(mdp.transition), np.asarray(mdp.reward)
    num_states, num_actions = transition.shape[:2]

    def draw(chances, number):
        total = 0.0
        for outcome, chance in enumerate(chances):
            total += chance
            if number < total:
                return outcome
        return len(chances) - 1

    def choose(values, number):
        ties = [a for a in range(num_actions) if values[a] == max(values)]
        greedy = [(a in ties) / len(ties) for a in range(num_actions)]
        share = agent.epsilon / num_actions
        return draw([share + (1 - agent.epsilon) * g for g in greedy], number)

    def row(state, action):
        return table[state, action if pairs else 0]

    values = agent.initial_values * begin[:-1]
    table = learner.initial_diagonal * np.repeat(np.eye(num_states)[:, None], num_actions, axis=1)
    state = draw(np.asarray(mdp.start_distribution), begin[-1, 0])
    action, rewards = choose(values[state], begin[-1, 1]), []
    for numbers in walk:
        if agent.redraws:
            action = choose(values[state], numbers[0])
        ahead = draw(transition[state, action], numbers[1])
        next_action = choose(values[ahead], numbers[2])
        seen = (ahead, next_action) if of_next else (state, action)
        norm = row(*seen).sum()
        target = learner.discount * row(ahead, next_action)
        target[state] = 1 + decay * target[state]
        row(state, action)[:] += learner.step_size * (target - row(state, action))
        norm = max(row(*seen).sum() if after else norm, agent.bonus.floor)
        bonus = {"printed": weight * norm, "inverse": weight / norm}[kind]
        rewards.append(pay[state, action, ahead])
        gain = rewards[-1] + bonus + agent.discount * values[ahead, next_action]
        values[state, action] += agent.step_size * (gain - values[state, action])
        state, action = ahead, next_action
    return rewards


@pytest.mark.parametrize("mdp", [river_swim(6), six_arms()], ids=["river_swim", "six_arms"])
@pytest.mark.parametrize(
    ("kind", "pairs", "of_next", "after", "decay", "redraws", "diagonal"),
    [
        ("inverse", False, False, True, 1.0, True, 0.0),
        ("printed", False, False, True, 0.0, False, 1.0),
        ("inverse", True, True, False, 0.0, False, 0.0),
        ("inverse", False, True, True, 0.0, True, 0.0),
    ],
)
def test_trials_match_a_plain_loop(mdp, kind, pairs, of_next, after, decay, redraws, diagonal):
    learner = Learner(decay, 0.9, 0.1, diagonal, of_next, after, pairs)
    bonus = {"printed": NormBonus(7.0), "inverse": NormBonus(7.0, inverted=True, floor=0.01)}[kind]
    agent = Sarsa(0.3, 0.9, 0.2, bonus, learner, redraws, 1.0)
    key, size = jax.random.key(3), {"num_trials": 2, "num_steps": 200}
    begin, walk = map(np.asarray, sarsa.draw_noise(mdp, key, **size))
    ours = sarsa.run_trials(agent, mdp, key, **size)
    setting = {"kind": kind, "pairs": pairs, "of_next": of_next, "after": after, "decay": decay}
    for trial in range(2):
        expected = plain_trial(agent, mdp, begin[trial], walk[trial], **setting)
        np.testing.assert_array_equal(ours[trial], expected)


def test_first_steps_have_the_worlds_odds():
    """Both actions pay 1 on arrival in state 1, reached with .2 and .6: .4 on average."""
    transition = np.array([[[0.8, 0.2], [0.4, 0.6]], [[1.0, 0.0], [1.0, 0.0]]])
    reward = np.zeros_like(transition)
    reward[0, :, 1] = 1
    mdp = MDP(transition, reward, np.array([1.0, 0.0]))
    first = sarsa.run_trials(Sarsa(), mdp, jax.random.key(1), num_trials=20_000, num_steps=1)
    assert abs(float(first.mean()) - 0.4) < 4 * np.sqrt(0.24 / 20_000)


def test_any_function_of_the_row_is_a_bonus():
    agent = Sarsa(bonus=lambda row: row.max())
    rewards = sarsa.run_trials(agent, river_swim(), jax.random.key(0), num_trials=2, num_steps=5)
    assert rewards.shape == (2, 5)


def test_float32_without_x64():
    with jax.enable_x64(False):
        rewards = sarsa.run_trials(
            Sarsa(), river_swim(), jax.random.key(0), num_trials=2, num_steps=5
        )
    assert rewards.dtype == jnp.float32


def test_impossible_settings_are_refused(as_users_run_it):
    key = jax.random.key(0)
    with pytest.raises(InputError, match=r"epsilon must be in \[0, 1\], got 1.5"):
        sarsa.run_trials(Sarsa(epsilon=1.5), river_swim(), key, num_trials=1, num_steps=1)
    with pytest.raises(InputError, match="at least 1, got 0 and 5"):
        sarsa.run_trials(Sarsa(), river_swim(), key, num_trials=0, num_steps=5)
    with pytest.raises(InputError, match="discount must be"):
        sarsa.run_trials(Sarsa(discount=1.0), river_swim(), key, num_trials=1, num_steps=1)
