"""What does it cost to follow a change, and is the plan still the one that a new search makes?

Each world changes `EDITS` times in each of several ways. Each time, `planner.change` with the
new plan from one state, and `fo.plan` in the changed world, are timed in turn; then policies,
subgoals, discounts and times of all states are compared. Times are the processor's, since single
calls of a millisecond are lengthened tenfold by other work on the machine now and then. In a noisy
maze plans are made with a tolerance, and compared with the best plan. Peak
memory is that of planners with and without changes, each in a process of its own.

Two peers follow changes of single cells: SciPy's search from the goal, made again each time, which
finds distances only, and D* Lite (Koenig and Likhachev 2002) for an agent that stands still,
written plainly, which finds the distances that this agent needs.
"""

import time
from collections.abc import Callable, Iterable
from functools import partial
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Row, compared, main
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order
from sparse_worlds import MIB, in_own_process
from worlds import random_maze

import first_occupancy as fo
from first_occupancy.environments import Maze, maze
from first_occupancy.planning.limits import KEPT_GOALS

DISCOUNT = 0.9999
SIDE, EDITS, PEER_EDITS = 700, 60, 30  # 1,000 edits of each kind take half an hour
NOISY_SIDE, NOISY_EDITS, NOISY_DISCOUNT, TOLERANCE = 150, 300, 0.99, 1e-6


def measure(quick: bool) -> Iterable[Row]:
    """Yield rows on time, on states touched and on peers."""
    side, edits = (60, 30) if quick else (SIDE, EDITS)
    ratios = []
    for name, make in WORLDS.items():
        world = make(side)
        for kind, draw in (GRAPH_EDITS if isinstance(world, fo.Graph) else CELL_EDITS).items():
            ours, fresh, touched = follow(world, draw, edits)
            ours, fresh = ours[:, 0], fresh[:, 0]
            ratios += (ours / fresh).tolist()
            yield from rows(name, kind, world.num_states, ours, fresh, touched)
    ratio = float(np.median(ratios))
    yield compared(
        "changes: all worlds and kinds of edits",
        f"{len(ratios):,} edits",
        ours=("change, plan", ratio),
        peer=("fo.plan", 1.0),
        ratio=ratio,
        unit="x, median",
        at_most=0.2,
    )
    yield from noisy(*((40, 30) if quick else (NOISY_SIDE, NOISY_EDITS)))
    yield from memory(side)
    yield from peers(side)


def noisy(side: int, edits: int) -> Iterable[Row]:
    """Yield rows on noisy mazes, by processor time and by wall clock."""
    world = fo.maze(random_maze(side).drawing, noise=0.1)
    ours, fresh, touched = follow(
        world, anywhere, edits, NOISY_DISCOUNT, check=check_bounds, tolerance=TOLERANCE
    )
    many = f"{np.median(touched):,.0f} states touched, at most {touched.max():,.0f}"
    for column, clock in enumerate(("processor time", "wall clock")):
        yield compared(
            f"changes: noisy maze, one wall, tolerance {TOLERANCE:g}, {clock}",
            f"{world.num_states:,} states, {edits:,} edits, {many}",
            ours=("change, plan", float(np.median(ours[:, column]))),
            peer=("fo.plan", float(np.median(fresh[:, column]))),
            ratio=float(np.median(ours[:, column] / fresh[:, column])),
            unit="x, median",
            at_most=0.1,
        )


def check_bounds(plan: fo.Plan, fresh: fo.Plan) -> None:
    """Raise unless the plan is as near to the best one as it says, which is near enough."""
    assert fresh.origin is not None
    assert plan.gap is not None
    world, goal = fresh.origin.world, int(fresh.goal)
    best = np.asarray(fo.plan(world, goal, discount=NOISY_DISCOUNT).expected_discount, float)
    lower, rounding = np.asarray(plan.expected_discount, float), 2e-7  # of single precision
    if (lower > best + rounding).any() or (best > lower + plan.gap + rounding).any():
        raise AssertionError("the bounds of a noisy plan do not hold")
    if plan.gap > TOLERANCE:
        raise AssertionError(f"the gap of a noisy plan is {plan.gap}")


def memory(side: int) -> Iterable[Row]:
    """Yield rows on the peak memory above the world's, of planners that plan equally often."""
    for goals in (1, KEPT_GOALS):
        ours, plain = (
            in_own_process(partial(_peak, side, goals, changing)) / MIB
            for changing in (True, False)
        )
        yield compared(
            "changes: peak memory above the world's, hall",
            f"side {side}, {PEER_EDITS} plans to each of {goals} goals",
            ours=(f"a change before each, {ours:.0f} MiB", 0.0),
            peer=(f"no changes, {plain:.0f} MiB", 0.0),
            ratio=ours / plain,
            unit="x",
            at_most=2.0,
        )


def _peak(side: int, goals: int, changing: bool) -> float:
    """Return the most bytes that a planner needs."""
    follow(random_maze(20), anywhere, 2)  # compiles
    world = random_maze(side)
    _ = world.cells  # belongs to the world
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far; Linux only
    before, now = _status("VmRSS"), Moment(world)
    planner = fo.Planner(world, discount=DISCOUNT)
    for _ in range(PEER_EDITS):
        if changing:
            planner.change(**anywhere(now))
        for goal in range(now.goal, now.goal + goals):
            if goal not in now.closed:
                read(planner.plan(goal), now.start)
    return _status("VmHWM") - before


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith(field))


def rows(
    name: str, kind: str, size: int, ours: np.ndarray, fresh: np.ndarray, touched: np.ndarray
) -> Iterable[Row]:
    """Yield the median and the 99th percentile of the ratios, and the states touched."""
    ratios, local = ours / fresh, name.endswith("hall") and kind == "one state anywhere"
    what = {
        "median": (np.median(ratios), 0.03 if local else None),
        "99th percentile": (np.percentile(ratios, 99), 1.5),
    }
    many = f"{np.median(touched):,.0f} states touched, at most {touched.max():,.0f}"
    for statistic, (ratio, limit) in what.items():
        yield compared(
            f"changes: {name}, {kind}",
            f"{size:,} states, {len(ours):,} edits, {many}",
            ours=("change, plan", float(np.median(ours))),
            peer=("fo.plan", float(np.median(fresh))),
            ratio=float(ratio),
            unit=f"x, {statistic}",
            at_most=limit,
        )


def serpentine(side: int) -> Maze:
    """Return one long corridor."""
    lines = ["." * side]
    for turn in range(side // 2):
        gap, wall = ("." if (turn + end) % 2 else "#" for end in range(2))
        lines += [gap + "#" * (side - 2) + wall, "." * side]
    return maze(lines)


def tree(side: int, seed: int = 0) -> Maze:
    """Return a maze without circles: a random tree of side x side rooms."""
    rng = np.random.default_rng(seed)
    free = np.zeros((2 * side + 1, 2 * side + 1), bool)
    free[1::2, 1::2] = True
    for row, column in np.argwhere(np.ones((side, side), bool))[1:]:
        up = row > 0 and (column == 0 or rng.random() < 0.5)
        free[2 * row + 1 - up, 2 * column + up] = True
    return maze(["".join(line) for line in np.where(free, ".", "#")])


def graph(side: int, seed: int = 0) -> fo.Graph:
    """Return a graph like roads: four edges out of each node to nodes nearby, of random times."""
    rng, size, width = np.random.default_rng(seed), side * side // 2, side
    begins = np.repeat(np.arange(size), 4)
    steps = np.tile([1, -1, width, -width], size) + rng.integers(-1, 2, 4 * size)
    ends, times = np.clip(begins + steps, 0, size - 1), rng.uniform(1, 2, 4 * size)
    pairs = np.unique(begins * size + ends, return_index=True)[1]
    some = begins[pairs], ends[pairs]
    return fo.from_scipy(csr_array((times[pairs], some), shape=(size, size)))


WORLDS: dict[str, Callable[[int], Any]] = {
    "hall": random_maze,
    "open hall": lambda side: maze(["." * (side * 9 // 10)] * (side * 9 // 10)),
    "corridor": lambda side: serpentine(side * 5 // 4),
    "tree": lambda side: tree(side * 63 // 100),
    "graph": lambda side: graph(side * 10 // 9),
}


class Moment:
    """What an edit is drawn for: the world as it is, the plan in it, and what is closed."""

    def __init__(self, world: Any, seed: int = 0) -> None:
        self.rng, self.world = np.random.default_rng(seed), world
        self.goal, self.start = world.num_states // 3, 2 * world.num_states // 3
        self.closed: list[Any] = []
        self.path: list[int] = []

    def close(self, states: Iterable[Any]) -> list[int]:
        """Return those of some states that can be closed, and note them."""
        chosen = sorted({*map(int, states)} - {self.goal, self.start, *self.closed})
        self.closed += chosen
        return chosen

    def look(self, plan: fo.Plan) -> None:
        """Find the path that the plan takes."""
        steps, policy = self.world.next_states, np.asarray(plan.policy)
        self.path = [self.start]
        while policy[self.path[-1]] >= 0:
            self.path.append(int(steps[policy[self.path[-1]], self.path[-1]]))


def anywhere(now: Moment) -> dict[str, Any]:
    """Close a state, or open the one that has been closed for longest."""
    if len(now.closed) > 20 or (now.closed and now.rng.random() < 0.4):
        return {"open": [now.closed.pop(0)]}
    return {"close": now.close(now.rng.integers(now.world.num_states, size=1))}


def on_the_path(now: Moment) -> dict[str, Any]:
    """Close a state on the path; if there is no path, or many are closed, open one."""
    if len(now.path) < 3 or len(now.closed) > 20:
        return {"open": [now.closed.pop(0)]} if now.closed else {}
    return {"close": now.close(now.rng.choice(now.path[1:-1], 1))}


def ten_at_once(now: Moment) -> dict[str, Any]:
    """Close ten states, and open the ten before."""
    opened, now.closed = now.closed, []
    close = now.close(now.rng.integers(now.world.num_states, size=10))
    return {"close": close, "open": sorted({*opened} - {*close})}


def reweighted(now: Moment) -> dict[str, Any]:
    """Let an edge take another time; every second one is on the path."""
    size, passed = now.world.num_states, now.path[:-1] if now.rng.random() < 0.5 else []
    node = int(now.rng.choice(passed)) if passed else int(now.rng.integers(size))
    end = int(now.rng.choice(now.world.next_states[:, node]))
    end = now.path[now.path.index(node) + 1] if passed else end
    return {"edges": {(node, end): float(now.rng.uniform(1, 4))}} if end != node else {}


def added(now: Moment) -> dict[str, Any]:
    """Add an edge that is short or long, and remove the one before."""
    removed = {now.closed.pop(): None} if now.closed else {}
    size = now.world.num_states
    begin, end = (int(node) for node in now.rng.integers(size, size=2))
    end = min(begin + 1 + end % 3000, size - 1)
    if begin == end or end in now.world.next_states[:, begin]:
        return {"edges": removed}
    now.closed.append((begin, end))
    return {"edges": removed | {(begin, end): float(now.rng.uniform(1, 9))}}


CELL_EDITS = {
    "one state anywhere": anywhere,
    "one state on the path": on_the_path,
    "ten states at once": ten_at_once,
}
GRAPH_EDITS = {
    "one state anywhere": anywhere,
    "one edge reweighted": reweighted,
    "one edge added or removed": added,
}


def follow(
    world: Any,
    draw: Callable[[Moment], dict[str, Any]],
    edits: int,
    discount: float = DISCOUNT,
    *,
    check: Callable[[fo.Plan, fo.Plan], None] | None = None,
    **options: Any,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the seconds of each change with its plan, and of plans made afresh; and touched.

    Seconds are of the processor, and by the wall clock.
    """
    now, planner = Moment(world), fo.Planner(world, discount=discount)
    planner.change()
    plan = planner.plan(now.goal, **options)
    if draw not in (anywhere, ten_at_once):
        now.look(plan)
    seconds, touched = [], []
    while len(seconds) < edits:
        edit = draw(now)
        begin = clocks()
        planner.change(**edit)
        plan = planner.plan(now.goal, **options)
        read(plan, now.start)
        ours, now.world = clocks() - begin, planner.world
        begin = clocks()
        fresh = fo.plan(now.world, now.goal, discount=discount, **options)
        read(fresh, now.start)
        seconds.append((ours, clocks() - begin))
        touched.append(planner.touched or 0)
        (check or check_equal)(plan, fresh)
        if draw not in (anywhere, ten_at_once):
            now.look(fresh)
    ours, fresh = np.moveaxis(np.array(seconds), 1, 0)
    return ours, fresh, np.array(touched)


def clocks() -> np.ndarray:
    """Return the seconds that the processor has worked, and those of the wall clock."""
    return np.array([time.process_time(), time.perf_counter()])


def read(plan: fo.Plan, state: int) -> None:
    """Read what an agent needs; the subgoals of noisy plans are worked out when asked for."""
    _ = plan.expected_discount[state], plan.policy[state]
    _ = plan.subgoal[state] if plan.engine == "paths" else None


def check_equal(plan: fo.Plan, fresh: fo.Plan) -> None:
    """Raise unless two plans are equal, number by number."""
    for name in ("policy", "subgoal", "log_promised", "expected_discount", "expected_time"):
        if not np.array_equal(np.asarray(getattr(plan, name)), np.asarray(getattr(fresh, name))):
            raise AssertionError(f"{name} differs from a plan made afresh")


def peers(side: int) -> Iterable[Row]:
    """Yield rows on SciPy's search and D* Lite, which follow the same changes of single cells."""
    world = random_maze(side)
    now, planner = Moment(world), fo.Planner(world, discount=DISCOUNT)
    planner.change()
    planner.plan(now.goal)
    other = DStarLite(world, now.goal, now.start)
    seconds: dict[str, list[float]] = {"ours": [], "SciPy": [], "D* Lite": []}

    def timed(name: str, call: Callable[[], Any]) -> Any:
        begin = time.process_time()
        result = call()
        seconds[name].append(time.process_time() - begin)
        return result

    def ours(edit: dict[str, Any]) -> float:
        planner.change(**edit)
        return float(planner.plan(now.goal).log_promised[now.start]) / np.log(DISCOUNT)

    for _ in range(PEER_EDITS):
        edit = anywhere(now)
        found = timed("ours", lambda: ours(edit))
        changed = planner.world
        backwards = _backwards(changed.next_states)
        timed("SciPy", lambda: breadth_first_order(backwards, now.goal))
        distance = timed("D* Lite", lambda: other.change(**edit))
        assert np.isclose(found, distance, rtol=1e-4), (found, distance)
    for name in ("SciPy", "D* Lite"):
        medians = {each: float(np.median(seconds[each])) for each in ("ours", name)}
        yield compared(
            "changes: one cell of a hall",
            f"{world.num_states:,} states, {PEER_EDITS} edits",
            ours=("change, plan", medians["ours"]),
            peer=(name, medians[name]),
            ratio=medians[name] / medians["ours"],
            unit="x as fast, median",
        )


def _backwards(next_states: np.ndarray) -> csr_array:
    count, size = next_states.shape
    begins = np.tile(np.arange(size, dtype=np.int32), count)
    return csr_array((np.ones(count * size), (next_states.ravel(), begins)), (size, size))


class DStarLite:
    """D* Lite for steps of one cell up, right, down and left, and an agent that stands still."""

    def __init__(self, world: Maze, goal: int, start: int) -> None:
        self.cells, self.goal, self.start = world.cells.tolist(), goal, start
        self.near = world.next_states.T.tolist()
        self.shut: set[int] = set()
        self.g, self.rhs = {}, {goal: 0.0}
        self.queue = [(self._key(goal), goal)]
        self._search()

    def change(self, close: Iterable[int] = (), open: Iterable[int] = ()) -> float:
        """Return the distance from the start after cells have changed."""
        self.shut = (self.shut | {*close}) - {*open}
        for cell in {near for each in (*close, *open) for near in (each, *self.near[each])}:
            self._update(cell)
        return self._search()

    def _key(self, cell: int) -> tuple[float, float]:
        best = min(self.g.get(cell, np.inf), self.rhs.get(cell, np.inf))
        (row, column), (to_row, to_column) = self.cells[cell], self.cells[self.start]
        return best + abs(row - to_row) + abs(column - to_column), best

    def _update(self, cell: int) -> None:
        if cell != self.goal:
            ahead = [] if cell in self.shut else self.near[cell]
            costs = [self.g.get(t, np.inf) for t in ahead if t != cell and t not in self.shut]
            self.rhs[cell] = 1 + min(costs, default=np.inf)
        if self.g.get(cell, np.inf) != self.rhs[cell]:
            heappush(self.queue, (self._key(cell), cell))

    def _search(self) -> float:
        unknown, start = np.inf, self.start
        while self.queue and (
            self.queue[0][0] < self._key(start)
            or self.rhs.get(start, unknown) != self.g.get(start, unknown)
        ):
            key, cell = heappop(self.queue)
            before, after = self.g.get(cell, unknown), self.rhs.get(cell, unknown)
            if before == after or key != self._key(cell):
                continue
            self.g[cell] = after if before > after else unknown
            for near in {cell, *self.near[cell]}:
                self._update(near)
        return self.rhs.get(self.start, unknown)


if __name__ == "__main__":
    main(measure)
