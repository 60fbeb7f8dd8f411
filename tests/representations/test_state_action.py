"""The three representations with a row per pair of state and action."""

import jax.numpy as jnp
import numpy as np

from first_occupancy.representations import successor
from flavours import DECAY, DISCOUNT, FLAVOURS, flavours, long_walk


def pairs_oracle(flavour, transition, chain):
    """Return the array per state and action: the action first, then the chain's linear solves."""
    _, _, exact, _ = FLAVOURS[flavour]
    keep = {"first": 0.0, "successor": 1.0, "lambda": DECAY}[flavour]
    ahead = DISCOUNT * transition @ exact(chain)
    here = np.eye(len(chain))[:, None, :]
    return here + np.where(here == 1, keep, 1.0) * ahead


def world_and_policy():
    rng = np.random.default_rng(4)
    transition = rng.dirichlet(np.ones(4), size=(4, 2))
    policy = rng.dirichlet(np.ones(2), size=4)
    return transition, policy, np.einsum("sa,sat->st", policy, transition)


@flavours
def test_state_action_solve_agrees_with_linear_solves(flavour):
    transition, policy, chain = world_and_policy()
    representation = FLAVOURS[flavour][3]
    pairs = representation.state_action.solve(
        jnp.asarray(transition), jnp.asarray(policy), discount=DISCOUNT
    )
    np.testing.assert_allclose(pairs, pairs_oracle(flavour, transition, chain), rtol=1e-12)


@flavours
def test_state_action_backups_converge_to_the_linear_solves(flavour):
    transition, policy, chain = world_and_policy()
    representation = FLAVOURS[flavour][3]
    pairs = representation.state_action.initial(4, 2)
    for _ in range(150):
        pairs = representation.state_action.backup(
            pairs, jnp.asarray(transition), jnp.asarray(policy), discount=DISCOUNT
        )
    np.testing.assert_allclose(pairs, pairs_oracle(flavour, transition, chain), rtol=1e-12)


@flavours
def test_state_action_td_converges_to_the_linear_solves(flavour):
    transition, policy, chain = world_and_policy()
    representation = FLAVOURS[flavour][3]
    pairs, walk = (
        representation.state_action.initial(4, 2),
        long_walk(jnp.asarray(transition), jnp.asarray(policy)),
    )
    states, actions = walk.states[:-1].reshape(4, -1), walk.actions.reshape(4, -1)
    for part, step_size in enumerate((0.3, 0.05, 0.01, 0.004)):
        pairs, _ = representation.state_action.td_learn(
            pairs,
            states[part],
            actions[part],
            discount=DISCOUNT,
            step_size=step_size,
        )
    assert np.abs(pairs / pairs_oracle(flavour, transition, chain) - 1).max() < 0.06


@flavours
def test_state_action_td_learn_is_td_step_again_and_again(flavour):
    representation = FLAVOURS[flavour][3]
    begin = jnp.asarray(np.random.default_rng(6).random((3, 2, 3)))
    states, actions = [0, 2, 2, 1, 0], [1, 0, 1, 1, 0]
    rep, norms = begin, []
    for t in range(4):
        rep, error = representation.state_action.td_step(
            rep,
            states[t],
            actions[t],
            states[t + 1],
            actions[t + 1],
            discount=DISCOUNT,
            step_size=0.3,
        )
        norms.append(np.linalg.norm(error))
    learned, errors = representation.state_action.td_learn(
        begin,
        jnp.array(states),
        jnp.array(actions),
        discount=DISCOUNT,
        step_size=0.3,
    )
    np.testing.assert_allclose(learned, rep, rtol=1e-13)
    np.testing.assert_allclose(errors, norms, rtol=1e-13)


def test_a_stack_of_pairs_learns_along_a_stack_of_walks():
    random = np.random.default_rng(3)
    states, actions = (jnp.asarray(random.integers(size, size=(2, 30))) for size in (4, 2))
    stack = jnp.stack([successor.state_action.initial(4, 2)] * 2)
    settings = {"discount": DISCOUNT, "step_size": 0.3}
    reps, _ = successor.state_action.td_learn(stack, states, actions, **settings)
    for index in range(2):
        alone = successor.state_action.td_learn(
            stack[index], states[index], actions[index], **settings
        )
        np.testing.assert_allclose(reps[index], alone[0], rtol=1e-14)
