"""What do plans and columns cost in sparse worlds that are not mazes?

Random sparse MDPs: 4 actions, each with 5 random successors and random probabilities. Half of the
states are equally far from any goal, so sparse factors are nearly dense.

- Plans: the default `Planner.plan`, which is refined to the end, against QuantEcon's modified
  policy iteration with the largest `epsilon` of a ladder whose policy has a mean share of the
  optimum of 0.9999. Both have the world prepared, and take turns.
- Growth: a plan at a million states against one at 100,000, and the same for one product of SciPy
  with the matrix of all actions; memory is that of a process of its own, above the imports.
- Columns: one column of the FR of a chain of 6,000 states against sparse LU factors of it.
"""

from collections.abc import Iterator

import numpy as np
from measuring import Row, best_times, compared, main
from scipy.sparse import csr_array, vstack
from sparse_worlds import LADDER, MIB, _followed, _peak, _problem, in_own_process

import first_occupancy as fo
from first_occupancy.representations._solvers.sparse import visits_to

ACTIONS, SUCCESSORS, ENOUGH = 4, 5, 0.9999


def measure(quick: bool) -> Iterator[Row]:
    """Yield rows on plans, on their growth, and on columns of the FR."""
    for size in (2_000,) if quick else (5_000, 20_000, 200_000):
        for discount in (0.95, 0.99):
            yield _plan(size, discount)
    yield from _growth(*((2_000, 20_000) if quick else (100_000, 1_000_000)))
    for discount in (0.95, 0.99, 0.999, 1.0):
        yield _column(1_000 if quick else 6_000, discount)


def random_world(size: int, actions: int = ACTIONS) -> fo.SparseMDP:
    """Return a world in which every action leads to some random states."""
    rng = np.random.default_rng(0)
    chains = []
    for _ in range(actions):
        ends = rng.integers(0, size, (size, SUCCESSORS)).ravel()
        chances = rng.dirichlet(np.ones(SUCCESSORS), size).ravel()
        starts = np.arange(0, size * SUCCESSORS + 1, SUCCESSORS)
        chain = csr_array((chances, ends, starts), shape=(size, size))
        chain.sum_duplicates()
        chains.append(chain)
    return fo.SparseMDP(chains)


def _plan(size: int, discount: float) -> Row:
    world, goal = random_world(size), size // 2
    planner = fo.Planner(world, discount=discount)
    problem = _problem(world, goal, discount)
    optimum = np.asarray(planner.plan(goal).expected_discount, np.float64)

    def solve(epsilon: float) -> np.ndarray:
        return problem.solve(method="mpi", epsilon=epsilon, max_iter=5000).sigma

    for epsilon in LADDER:
        share = float((_followed(world, goal, discount, solve(epsilon)) / optimum).mean())
        if share >= ENOUGH:
            break
    calls = {"plan": lambda: planner.plan(goal).policy, "solve": lambda: solve(epsilon)}
    times = best_times(calls, repeats=20 if size < 100_000 else 5)
    return compared(
        "random sparse MDP, one goal, default plan",
        f"S = {size:,}, discount {discount:g}",
        ours=("refined to the end", times["plan"]),
        peer=(f"QuantEcon MPI, share {share:.5f}, epsilon {epsilon:g}", times["solve"]),
        ratio=times["plan"] / times["solve"],
        unit="times its time",
        at_most=1.5,
    )


def _growth(small: int, large: int) -> Iterator[Row]:
    first, last = (in_own_process(_Timed(size)) for size in (small, large))
    ours, peer = (last[name] / first[name] for name in ("plan", "product"))
    yield compared(
        "random sparse MDP, one goal, growth of the time",
        f"from S = {small:,} to {large:,}, discount 0.95",
        ours=("default plan", last["plan"]),
        peer=("one SciPy product with the matrix of all actions", last["product"]),
        ratio=ours / peer,
        unit="times the product's growth",
        at_most=1.3,
    )
    yield compared(
        "random sparse MDP, peak memory above the imports",
        f"S = {large:,}, discount 0.95",
        ours=("default plan, world included", last["plan"]),
        peer=("one SciPy product", last["product"]),
        ratio=last["memory"] / MIB,
        unit="MiB",
        at_most=4096,
    )


class _Timed:
    """A plan and a product in a process of their own."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self) -> dict[str, float]:
        fo.plan(random_world(100), 0, discount=0.95)
        before = _peak()
        world = random_world(self.size)
        planner, goal = fo.Planner(world, discount=0.95), self.size // 2
        planner.plan(0)
        matrix, values = vstack(world.action_chains, format="csr"), np.ones(self.size)
        calls = {"plan": lambda: planner.plan(goal).policy, "product": lambda: matrix @ values}
        memory = _peak() - before
        return best_times(calls, repeats=3) | {"memory": memory}


def _column(size: int, discount: float) -> Row:
    chain, goal = random_world(size, 1).action_chains[0], np.array([size // 2])
    near = min(discount, 1 - 1e-6)  # undiscounted, there are no factors
    calls = {
        "column": lambda: fo.first_occupancy.solve_columns(chain, goal, discount=discount),
        "factors": lambda: visits_to(chain, goal, near),
    }
    times = best_times(calls, repeats=1)
    return compared(
        "one column of the FR of a random chain",
        f"S = {size:,}, discount {discount:g}",
        ours=("solve_columns", times["column"]),
        peer=("sparse LU factors", times["factors"]),
        ratio=times["factors"] / times["column"],
        unit="times as fast",
        at_least=50 if discount < 0.999 else 1,
    )


if __name__ == "__main__":
    main(measure)
