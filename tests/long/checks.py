"""Checks of the accuracy contract and of planners on random cases: `CHECKS`.

Each takes a random generator, draws one case, and returns the error as a fraction of what
`docs/accuracy.md` allows (0 where results must agree exactly); it raises `AssertionError` where a
case is wrong in another way. Sizes are few, because JAX compiles anew for each.
"""

from decimal import Context, Decimal, localcontext

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

import first_occupancy as fo
import oracles
import rational_chains
import regimes
from arrival_checks import arrival_times, deadlines, passages
from copy_checks import copies
from engine_checks import engines
from feature_walks import one_hot
from first_occupancy import planning
from first_occupancy.planning import gpi
from first_occupancy.planning.dynamic_programming import policy_iteration, value_iteration
from first_occupancy.planning.feature_policies import fit_reward
from first_occupancy.planning.paths import plan_paths
from first_occupancy.representations import LambdaRepresentation, updates
from first_occupancy.representations.features import linear
from first_occupancy.representations.features.targets import FirstOccupancy
from interval_checks import trusted_intervals
from tour_checks import tours

SIZES = (1, 2, 3, 5, 8, 16, 33, 64, 100)
SMALL = (2, 3, 4, 6)
PRECISIONS = ("f4", "f8")


def _case(rng, precision=None):
    """Return a chain, a discount, both as JAX arrays of a precision, and the true SR."""
    dtype = np.dtype(precision or rng.choice(PRECISIONS))
    kind = rng.choice(regimes.KINDS)
    chain = regimes.draw_chain(rng, kind, int(rng.choice(SIZES)), dtype)
    discount = regimes.draw_discount(rng, dtype)
    return chain, jnp.asarray(discount, dtype), regimes.visits(chain, discount)


def _part(error, chain, allowed):
    return error / (allowed * len(chain) * np.finfo(chain.dtype).eps)


def first_occupancy(rng):
    chain, discount, truth = _case(rng)
    found = fo.first_occupancy.solve(jnp.asarray(chain), discount=discount)
    return _part(regimes.relative_error(found, truth / np.diag(truth)), chain, 100)


def successor(rng):
    chain, discount, truth = _case(rng)
    found = fo.successor.solve(jnp.asarray(chain), discount=discount)
    return _part(regimes.relative_error(found, truth), chain, 100)


def lambda_representation(rng):
    chain, discount, truth = _case(rng)
    decay = float(
        rng.choice([rng.random(), 10 ** -rng.uniform(1, 9), 1 - 10 ** -rng.uniform(1, 5)])
    )
    found = LambdaRepresentation(decay).solve(jnp.asarray(chain), discount=discount)
    decay = np.longdouble(decay)
    truth = truth / ((1 - decay) * np.diag(truth) + decay)
    return _part(regimes.relative_error(found, truth), chain, 100)


def pairs(rng):
    """The FR of state-action pairs, of a world with the chain's rows as actions."""
    chain, discount, _ = _case(rng)
    size = len(chain)
    transition = np.stack([chain, chain[rng.permutation(size)]], axis=1)
    policy = np.zeros((size, 2), chain.dtype)
    policy[np.arange(size), rng.integers(2, size=size)] = 1
    followed = transition[np.arange(size), policy.argmax(axis=1)]
    if (
        np.diag(followed) == 0
    ).any():  # rows that sum to a little less than 1 stay put with the rest
        return 0.0
    visits = regimes.visits(followed, float(discount))
    truth = visits / np.diag(visits)
    ahead = np.longdouble(float(discount)) * transition.astype(np.longdouble) @ truth
    ahead[np.arange(size), :, np.arange(size)] = 1
    found = fo.first_occupancy.state_action.solve(
        jnp.asarray(transition), jnp.asarray(policy), discount=discount
    )
    # The given rows are summed as they are, their own entry included: they miss 1 by S eps.
    floor = regimes.underflow(float(discount), chain.dtype)
    return _part(regimes.relative_error(found, ahead, floor=floor), chain, 200)


def columns(rng):
    chain, discount, truth = _case(rng, "f8")
    goals = rng.integers(len(chain), size=3)
    found = fo.first_occupancy.solve_columns(csr_array(chain), goals, discount=float(discount))
    truth = (truth / np.diag(truth))[:, goals]
    floor = regimes.underflow(float(discount), "f8")
    return _part(regimes.relative_error(found, truth, floor=floor), chain, 1000)


def undiscounted(rng):
    """The probability to arrive at all, against rationals; some states are left rarely."""
    rows = rational_chains.random_chain(rng, int(rng.choice(SMALL)))
    for state, row in enumerate(rows):
        if rng.random() < 0.3:
            rare = rational_chains.Fraction(1, 10 ** int(rng.integers(1, 16)))
            row[:] = [rare * each for each in row]
            row[state] += 1 - rare
    chain = jnp.asarray(rational_chains.as_floats(rows))
    found = np.asarray(fo.first_occupancy.solve(chain, discount=1.0))
    truth = np.array(
        [[float(v) for v in rational_chains.arrival(rows, [g])] for g in range(len(rows))]
    )
    assert ((found == 0) == (truth.T == 0)).all()
    assert ((found == 1) == (truth.T == 1)).all()
    return regimes.relative_error(found, truth.T) / 1e-12


def long_doubles(rng):
    """The oracle itself, against rationals."""
    size = int(rng.choice(SMALL))
    chain = regimes.draw_chain(rng, rng.choice(regimes.KINDS), size, "f8")
    discount = regimes.draw_discount(rng, "f8")
    exact = [[rational_chains.Fraction(float(p)) for p in row] for row in chain]
    for state, row in enumerate(exact):
        row[state] = 1 - sum(row) + row[state]
    truth = regimes.visits(chain, discount)
    goal = int(rng.integers(size))
    column = rational_chains.arrival(exact, [goal], rational_chains.Fraction(discount))
    for found, right in zip(truth[:, goal] / truth[goal, goal], column, strict=True):
        assert (found == 0) == (right == 0)
        if right > 1e-290:
            head = rational_chains.Fraction(float(found))
            rest = rational_chains.Fraction(float(found - np.longdouble(float(found))))
            assert abs((head + rest) / right - 1) < 1e-17
    return 0.0


def sixty_digits(rng):
    """`first_occupancy.solve` against decimal numbers of 60 digits."""
    dtype = np.dtype(rng.choice(PRECISIONS))
    chain = regimes.draw_chain(rng, rng.choice(regimes.KINDS), int(rng.choice(SIZES)), dtype)
    discount = regimes.draw_discount(rng, dtype)
    found = fo.first_occupancy.solve(jnp.asarray(chain), discount=jnp.asarray(discount, dtype))
    exempt, error = 1e6 * float(np.finfo(dtype).tiny), Decimal(0)
    with localcontext(Context(prec=60)):
        truth = regimes.visits(chain, discount, Decimal)
        for ours, exact in zip(np.asarray(found).T, (truth / np.diag(truth)).T, strict=True):
            for entry, right in zip(ours.tolist(), exact, strict=True):
                assert (entry == 0) == (right == 0) or right < exempt
                if right > exempt:
                    error = max(error, abs(Decimal(entry) / right - 1))
    return _part(float(error), chain, 100)


def changed_rows(rng):
    """A door opened or closed: the row of one state changed."""
    dtype = np.dtype(rng.choice(PRECISIONS))
    discount = float(rng.choice([0.9, 0.99, 0.999, 0.9999]))
    size = int(rng.choice((4, 8, 16, 33, 60)))
    before = regimes.draw_chain(rng, rng.choice(regimes.KINDS), size, dtype)
    after, state = before.copy(), int(rng.integers(size))
    ends = np.flatnonzero(after[state] * (np.arange(size) != state))
    if len(ends) and rng.random() < 0.6:
        closed = int(rng.choice(ends))
        after[state, state] += after[state, closed]
        after[state, closed] = 0
    else:
        opened = int(rng.integers(size))
        share = dtype.type(10.0 ** -rng.uniform(0, 4))
        after[state] *= 1 - share
        after[state, opened] += share
    given = fo.successor.solve(jnp.asarray(before), discount=jnp.asarray(discount, dtype))
    used = float(np.asarray(discount, dtype))
    wrong = regimes.relative_error(given, regimes.visits(before, used))
    found = updates.change_rows(given, after, np.array([state]), discount=used)
    floor = regimes.underflow(used, dtype)
    error = regimes.relative_error(found, regimes.visits(after, used), floor=floor)
    return error / (32 * (wrong + np.finfo(dtype).eps / (1 - used)) + 1e-300)


def dense_plans(rng):
    """FRP over given FRs, against plain sweeps."""
    dtype = np.dtype(rng.choice(PRECISIONS))
    size, discount = int(rng.choice((3, 8, 16, 33))), regimes.draw_discount(rng, dtype)
    chains = [regimes.draw_chain(rng, rng.choice(regimes.KINDS), size, dtype) for _ in range(3)]
    frs = fo.first_occupancy.solve(
        jnp.asarray(np.stack(chains)), discount=jnp.asarray(discount, dtype)
    )
    goal, most = int(rng.integers(size)), rng.choice([None, 0, 1, 3])
    plan = planning.plan_to_goal(frs, goal, max_switches=most)
    _, _, log = oracles.plan_by_plain_sweeps(frs, goal, most)
    error = _log_error(plan.log_promised, log)
    if most is None:
        every = planning.plan_to_every_goal(frs)
        logs = np.asarray(every.log_promised, float)
        toll = max(80 * np.finfo(dtype).eps * max(1, -logs[np.isfinite(logs)].min()), 1.1e-12)
        lost = np.abs(_differences(every.to(goal).log_promised, log)).max(initial=0)
        assert lost <= size * toll, (lost, size * toll)
    if most == 0:
        reward = jnp.eye(size, dtype=dtype)[goal]
        chosen = np.asarray(gpi.choose_policy(frs, reward))
        best = np.asarray(frs)[:, :, goal].max(axis=0)
        np.testing.assert_array_equal(np.asarray(frs)[chosen, np.arange(size), goal], best)
    return error / (64 * size * np.finfo(dtype).eps)


def _log_error(ours, truth):
    truth = np.asarray(truth, float)
    size = np.maximum(1, -truth[np.isfinite(truth)])
    return float((np.abs(_differences(ours, truth)) / size).max(initial=0))


def _differences(ours, truth):
    """Return differences of logs where the goal is reached, which both must agree on."""
    ours, truth = np.asarray(ours, float), np.asarray(truth, float)
    np.testing.assert_array_equal(np.isfinite(ours), np.isfinite(truth))
    there = np.isfinite(truth)
    return ours[there] - truth[there]


def path_plans(rng):
    """Deterministic policies: steps and legs, against a search in whole numbers."""
    count, size = int(rng.integers(1, 4)), int(rng.integers(1, 30))
    table = rng.integers(size, size=(count, size))
    if rng.random() < 0.5:
        table = np.clip(np.arange(size) + rng.integers(-2, 3, (count, 1)), 0, size - 1)
    goal, most = int(rng.integers(size)), rng.choice([None, 0, 1, 2])
    plan = plan_paths(table, goal, discount=0.9, max_switches=most)
    _, _, steps = oracles.cuts_by_plain_sweeps(table, goal, most)
    steps = np.array(steps)
    expected = np.where(steps < 0, -np.inf, steps * np.log(0.9))
    return _log_error(plan.log_promised, expected) / 1e-12


def world_plans(rng):
    """fo.plan of a stochastic world, refined to the best, against the exact optimum."""
    size = int(rng.choice((2, 3, 4)))
    transition = np.stack(
        [regimes.draw_chain(rng, rng.choice(regimes.KINDS), size, "f8") for _ in range(2)], axis=1
    )
    transition /= transition.sum(axis=-1, keepdims=True)
    discount = float(1 - 10.0 ** -rng.uniform(0.1, 4))
    goal = int(rng.integers(size))
    mdp = fo.MDP(transition)
    plan = fo.plan(mdp, goal, discount=discount, refine=0)
    best = np.array([float(v) for v in oracles.exact_optimal_discount(transition, goal, discount)])
    achieved = fo.evaluate(plan, mdp, fo.constant_policies(mdp), discount=discount)
    refined = fo.plan(mdp, goal, discount=discount)
    slack = 1e-9
    assert (np.asarray(plan.promised) <= np.asarray(achieved.expected_discount) + slack).all()
    assert (np.asarray(achieved.expected_discount) <= best + slack).all()
    np.testing.assert_allclose(achieved.leg_by_leg, plan.promised, atol=slack)
    np.testing.assert_allclose(achieved.optimal, best, atol=slack)
    return float(np.abs(np.asarray(refined.expected_discount) - best).max()) / slack


def dynamic_programming(rng):
    size = int(rng.choice((2, 3, 4)))
    transition = rng.dirichlet(np.full(size, 0.5), (size, 2))
    world = fo.MDP(transition, rng.normal(size=(size, 2, size)))
    discount = float(1 - 10.0 ** -rng.uniform(0.1, 3))
    best = oracles.best_values(world, discount)
    scale = np.abs(best).max() + 1
    iterated = value_iteration.solve(world, discount=discount).values
    improved = policy_iteration.solve(world, discount=discount).values
    errors = [np.abs(np.asarray(found) - best).max() / scale for found in (iterated, improved)]
    return float(max(errors[0] / 1e-5, errors[1] / 1e-9))


def logs(rng):
    """FRs of a log, against counting by hand."""
    size, count = int(rng.choice((3, 8, 16))), int(rng.integers(1, 400))
    begins, ends = rng.integers(size, size=(2, count))
    found = fo.frs_from_log(fo.transition_log(begins, ends, num_states=size), discount=0.99)
    counts = np.zeros((size, size))
    np.add.at(counts, (begins, ends), 1)
    counts[counts.sum(axis=1) == 0] = np.eye(size)[counts.sum(axis=1) == 0]
    visits = regimes.visits(counts / counts.sum(axis=1, keepdims=True), 0.99)
    truth = visits / np.diag(visits)
    seen = np.bincount(begins, minlength=size) > 0
    if not seen.all():
        return 0.0
    # Frequencies are rounded, so rows miss 1 by eps.
    return regimes.relative_error(found.values[0], truth) / (100 * size * 2.0**-52)


def features(rng):
    """Weights of rewards, and one-hot features of a walk, however rarely they are seen."""
    dtype = np.dtype(rng.choice(PRECISIONS))
    size, count = 8, int(rng.choice((100, 2000, 30_000)))
    shares = 10.0 ** -np.linspace(0, rng.uniform(0, 4), size)
    states = rng.choice(size, count, p=shares / shares.sum())
    weights = rng.normal(size=size).astype(dtype)
    found = fit_reward(jnp.eye(size, dtype=dtype)[states], jnp.asarray(weights[states]))
    seen = np.bincount(states, minlength=size) > 0
    error = np.abs(np.asarray(found) - np.where(seen, weights, 0)).max() / np.abs(weights).max()
    return float(error) / (1000 * np.finfo(dtype).eps)


def feature_walks(rng):
    """First-occupancy features of a log of states are its FR."""
    size = 5
    walk = np.zeros(int(rng.choice((40, 300, 2000))), int)
    walk[-40:] = rng.integers(size, size=40)
    target = FirstOccupancy(1.0)
    found = linear.solve(
        target, jnp.asarray(walk)[None, :, None], features=one_hot(size), discount=0.9
    )
    frs = fo.frs_from_log(fo.transition_log(walk[:-1], walk[1:], num_states=size), discount=0.9)
    if len(np.unique(walk[:-1])) < size:
        return 0.0
    return float(np.abs(np.asarray(found) - np.asarray(frs.values[0])).max()) / 1e-9


CHECKS = {
    check.__name__: check
    for check in (
        first_occupancy,
        successor,
        lambda_representation,
        pairs,
        columns,
        undiscounted,
        long_doubles,
        sixty_digits,
        changed_rows,
        dense_plans,
        path_plans,
        world_plans,
        engines,
        passages,
        arrival_times,
        deadlines,
        dynamic_programming,
        tours,
        copies,
        logs,
        features,
        feature_walks,
        trusted_intervals,
    )
}


def run_one(name, seed):
    """Return the error of one case of a check, as a fraction of what is allowed."""
    with jax.enable_x64(True):
        return CHECKS[name](np.random.default_rng([sum(name.encode()), seed]))
