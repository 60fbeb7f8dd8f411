"""Do plans keep their promises in very many random worlds? Checks that take too long for the tests.

    python tests/long/random_worlds.py [--worlds 100000] [--seed 0]

- Random MDPs, dense and sparse, with and without durations, to one goal or several, discounts from
  .5 to .999 and 1: the promise of FRP is at most what following the plan brings, no round of
  `refine` loses, bounds from sweeps enclose the optimum, and the plan refined to the end is worth
  what linear programming finds.
- Weighted digraphs, a hundredth as many: times are those of Bellman and Ford, from every node.
- Sparse and dense worlds, a hundredth as many: FRs agree entry by entry, zeros are zeros.
- Chains with traps, recurrent classes and self-loops, a hundredth as many: undiscounted arrivals
  are those of rational arithmetic.

Any failure stops the run with the number of the worlds, from which they can be made again. At the
end, the largest errors seen are printed beside the numbers of worlds.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import jax
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import bellman_ford

import first_occupancy as fo
from first_occupancy.planning._sparse.modified_policy_iteration import sweep
from first_occupancy.planning._sparse.moves import Moves
from first_occupancy.planning._sparse.refinement import refine
from first_occupancy.representations._solvers.jumps import jump_chain

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from rational_chains import arrival, as_floats, random_chain

SIZES, ACTIONS = (3, 5, 8), (2, 3)
TOGETHER = 15
"""How many worlds of each size are planned in at once, as the parts of one: that is far faster, and
no part knows of another."""
DISCOUNTS = (0.5, 0.9, 0.99, 0.999)
CLOSE = 1e-9


class Seen(Counter):
    """How many worlds of each kind were checked, and the largest error of each comparison."""

    def __init__(self) -> None:
        super().__init__()
        self.worst: dict[str, float] = {}

    def close(
        self, what: str, found: Any, exact: Any, *, rtol: float = 0.0, atol: float = 0.0
    ) -> None:
        """Raise unless two arrays agree to a tolerance, relative or absolute; note the error.

        Args:
            what: what is compared.
            found: numbers to check.
            exact: what they should be.
            rtol: largest relative error allowed.
            atol: largest absolute error allowed, where no relative one is.
        """
        found, exact = np.asarray(found, float), np.asarray(exact, float)
        same = found == exact
        with np.errstate(all="ignore"):
            errors = np.abs(found - exact) / (np.abs(exact) if rtol else 1)
        error = float(np.where(same, 0, errors).max(initial=0))
        self.worst[what] = max(self.worst.get(what, 0.0), error)
        assert error <= max(rtol, atol), f"{what}: error {error}"

    def at_most(self, what: str, low: Any, high: Any) -> None:
        """Raise unless `low` is at most `high`, up to `CLOSE`; note by how much it is not.

        Args:
            what: inequality that is checked.
            low: smaller numbers.
            high: larger numbers.
        """
        low, high = np.asarray(low, float), np.asarray(high, float)
        error = float(((low - high) / np.maximum(high, np.finfo(float).tiny)).max(initial=0))
        self.worst[what] = max(self.worst.get(what, 0.0), error)
        assert error <= CLOSE, f"{what}: missed by {error}"


def random_rows(rng: np.random.Generator, size: int, count: int) -> np.ndarray:
    """Return the transitions of a world with few successors, of which some states may be traps."""
    rows = np.zeros((size, count, size))
    for row in rows.reshape(-1, size):
        ends = rng.choice(size, int(rng.integers(1, min(4, size) + 1)), replace=False)
        row[ends] = rng.dirichlet(np.ones(len(ends)))
    for trap in np.flatnonzero(rng.random(size) < 0.1):
        rows[trap] = np.eye(size)[trap]
    return rows


def many_worlds(rng: np.random.Generator) -> tuple[fo.MDP, np.ndarray]:
    """Return many random worlds as one, and one or two goals in each in turn."""
    sizes = rng.permutation(np.repeat(SIZES, TOGETHER))
    most, ends = max(ACTIONS), sizes.cumsum()
    whole, goals = np.zeros((ends[-1], most, ends[-1])), []
    for number, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        part, count = slice(end - size, end), int(rng.choice(ACTIONS))
        # A world of fewer actions has some of them twice.
        whole[part, :, part] = random_rows(rng, size, count)[:, np.arange(most) % count]
        goals.extend(end - size + rng.choice(size, 1 + number % 2, replace=False))
    return fo.MDP(whole), np.array(goals)


def linear_programme(kernels: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Return the least v with v >= K_n v for every policy, and v = 1 at the goals."""
    count, size, _ = kernels.shape
    inner = np.setdiff1d(np.arange(size), goals)
    rows = np.concatenate([kernels[n, inner] - np.eye(size)[inner] for n in range(count)])
    limits = [(1, 1) if state in goals else (0, 1) for state in range(size)]
    found = linprog(np.ones(size), rows, np.zeros(len(rows)), bounds=limits, method="highs")
    assert found.status == 0, found.message
    return found.x


def check_mdps(rng: np.random.Generator, seen: Seen) -> None:
    """Compare plans in random worlds with each other and with linear programming."""
    mdp, goals = many_worlds(rng)
    size = mdp.num_states
    discount = float(rng.choice(DISCOUNTS)) if rng.random() < 0.97 else 1.0
    timed, sparse = rng.random() < 0.3, rng.random() < 0.5
    durations = rng.choice([0.5, 1, 2, 3.5], (size, mdp.num_actions)) if timed else None
    world = fo.SparseMDP(mdp, durations=durations) if timed or sparse else mdp
    weights = discount ** (np.ones((size, mdp.num_actions)) if durations is None else durations)
    kernels = np.moveaxis(np.asarray(mdp.transition) * weights[..., None], 1, 0)
    planner = fo.Planner(world, discount=discount)
    rounds = [planner.plan(list(goals), refine=count) for count in (0, 1, 2, None)]
    seen.at_most("promised <= followed", rounds[0].promised, rounds[0].expected_discount)
    for earlier, later in pairwise(rounds):
        seen.at_most("no round loses", earlier.expected_discount, later.expected_discount)
    optimum = np.asarray(rounds[-1].expected_discount)
    best = linear_programme(kernels, goals)
    seen.close("refined = linear programme (absolute)", optimum, best, atol=1e-7)
    if discount < 1:
        both = zip(kernels, 1 - weights.T, strict=True)
        jumps = [jump_chain(csr_array(kernel), losses) for kernel, losses in both]
        moves = Moves(jumps)
        lucky = moves.lucky_paths(goals)
        swept, _ = sweep(moves, goals, lucky, tolerance=1e-4)
        again = refine(moves, goals, lucky.choice, rounds=None).values
        seen.close("refined from FRP = from the luckiest path", again, optimum, rtol=CLOSE)
        seen.at_most("lower bound <= optimum", swept.values, optimum)
        seen.at_most("optimum <= upper bound", optimum, swept.values + swept.gap)
    worlds = len(SIZES) * TOGETHER
    seen["undiscounted" if discount == 1 else "discounted"] += worlds
    seen["with durations" if timed else "sparse" if sparse else "dense"] += worlds
    seen["with two goals"] += len(goals) - worlds


def check_digraph(rng: np.random.Generator, seen: Seen) -> None:
    """Compare the times of plans in a weighted digraph with Bellman and Ford's."""
    size = int(rng.integers(2, 40))
    weights = np.where(rng.random((size, size)) < 2.5 / size, rng.random((size, size)) + 0.01, 0)
    np.fill_diagonal(weights, 0)
    if not weights.any():
        seen["digraphs without edges, left out"] += 1
        return
    graph, goal = fo.from_scipy(csr_array(weights)), int(rng.integers(size))
    exact = bellman_ford(csr_array(weights.T), indices=goal)
    cost = fo.plan(graph, goal, discount=0.9).expected_time
    seen.close("time in a digraph = Bellman-Ford", cost, exact, rtol=1e-12)
    seen["digraphs"] += 1


def check_forms(rng: np.random.Generator, seen: Seen) -> None:
    """Compare FRs of sparse chains with those of dense ones, entry by entry."""
    size = int(rng.choice(SIZES))
    discount = float(rng.choice(DISCOUNTS))
    chain = random_rows(rng, size, 1)[:, 0]
    dense = np.asarray(fo.first_occupancy.solve(chain, discount=discount))
    columns = np.arange(size)
    sparse = fo.first_occupancy.solve_columns(csr_array(chain), columns, discount=discount)
    assert ((dense == 0) == (sparse == 0)).all()
    seen.close("sparse = dense", sparse, dense, rtol=1e-12)
    seen["sparse and dense"] += 1


def check_rational(rng: np.random.Generator, seen: Seen) -> None:
    """Compare undiscounted arrivals with rational arithmetic; zeros and ones are exact."""
    size = int(rng.integers(2, 9))
    rows = random_chain(rng, size)
    frs = np.asarray(fo.first_occupancy.solve(as_floats(rows), discount=1.0))
    for goal in range(size):
        exact = arrival(rows, [goal], Fraction(1))
        for number, truth in zip(frs[:, goal], exact, strict=True):
            assert (number == 0) == (truth == 0)
            assert (number == 1) == (truth == 1)
            seen.close("undiscounted = rational", number, float(truth), rtol=1e-12)
    seen["rational"] += 1


def repeat(check: Callable, worlds: int, seed: int, seen: Seen) -> None:
    """Run a check on many worlds, each with a seed of its own."""
    for world in range(worlds):
        try:
            check(np.random.default_rng([seed, world]), seen)
        except Exception:
            print(f"{check.__name__} failed in world {world} of seed {seed}")
            raise
        if (world + 1) % 100 == 0:
            print(f"{check.__name__} {world + 1:,}: {dict(seen)}", flush=True)


def main() -> None:
    """Read the arguments and run all checks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=100_000, help="number of random MDPs")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    seen = Seen()
    for check in (check_digraph, check_forms, check_rational):
        repeat(check, arguments.worlds // 100, arguments.seed, seen)
    repeat(check_mdps, arguments.worlds // (len(SIZES) * TOGETHER) + 1, arguments.seed, seen)
    print(f"all hold: {dict(seen)}")
    for what, error in seen.worst.items():
        print(f"{what}: largest error {error:.2g}")


if __name__ == "__main__":
    main()
