"""The page's planners, run in the browser, against the library on random scenes."""

import jax.numpy as jnp
import numpy as np
import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.environments import EIGHT_MOVES, FOUR_MOVES
from first_occupancy.environments._maze_moves import CORNERS
from first_occupancy.environments.arrows import ARROWS

EXACT = 1e-9
CHUNK = 25
NUMBERS_OF_CELLS = (9, 24, 60)
"""Free cells of the noisy scenes: few different ones, since the library compiles for each."""

PLANS = """
async (questions) => {
  const { answerPlan } = await import('/engine/answers.js');
  const { makeMemory } = await import('/engine/memory.js');
  const { fromText } = await import('/scene.js');
  return questions.map(({ scene, switches }) => {
    const plan = answerPlan(fromText(scene), switches, makeMemory());
    const plain = (_, part) => ArrayBuffer.isView(part) ? [...part] : part;
    return JSON.parse(JSON.stringify(plan, plain));
  });
}
"""

ROWS = """
async (questions) => {
  const { answerRow } = await import('/engine/answers.js');
  const { makeMemory } = await import('/engine/memory.js');
  const { fromText } = await import('/scene.js');
  return questions.map(({ scene, policy, cell }) => {
    const { soon, often } = answerRow(fromText(scene), policy, cell, makeMemory());
    return { soon: [...soon], often: [...often] };
  });
}
"""


def random_scene(rng, shape, walls):
    """Return a scene with a start, one to three goals, and base policies, some drawn by hand.

    Half of the scenes have one-way cells and costs of entering.
    """
    rows, columns = shape
    cells = np.full(rows * columns, "#")
    free = rng.permutation(rows * columns)[: rows * columns - walls]
    cells[free] = "."
    if rng.random() < 0.5:
        marks = rng.choice(list("^>v<123459"), len(free))
        cells[free] = np.where(rng.random(len(free)) < rng.choice([0.1, 0.4]), marks, ".")
    goals = min(int(rng.choice([1, 1, 2, 3])), len(free) - 1)
    cells[free[0]], cells[free[1 : 1 + goals]] = "S", "G"
    moves = int(rng.choice([4, 8]))
    drawn = [random_policy(rng, shape) for _ in range(rng.integers(2, 6))]
    return {
        "drawing": ["".join(line) for line in cells.reshape(shape)],
        "moves": moves,
        "corners": str(rng.choice(CORNERS)),
        "drawn": drawn if rng.random() < 0.4 else [],
        "discount": float(rng.choice([0.5, 0.9, 0.95, 0.999])),
        "noise": 0.0,
    }


def random_policy(rng, shape):
    arrows = rng.choice(list(".^>v<"), shape, p=[0.6, 0.1, 0.1, 0.1, 0.1])
    usual = str(rng.choice(["up", "right", "down", "left"]))
    return {"usual": usual, "arrows": ["".join(line) for line in arrows]}


def world_of(scene):
    moves = EIGHT_MOVES if scene["moves"] == 8 else FOUR_MOVES
    corners = scene.get("corners", "forbid")
    return fo.maze(scene["drawing"], moves=moves, noise=scene["noise"], corners=corners)


def policies_of(scene, world):
    """Return the action probabilities of each base policy in each state."""
    moves = np.repeat(np.arange(world.num_actions)[:, None], world.num_states, axis=1)
    if scene["drawn"]:
        moves = np.stack([drawn_moves(policy, world) for policy in scene["drawn"]])
    return np.eye(world.num_actions)[moves]


def drawn_moves(policy, world):
    names = list(world.action_names)
    letters = [policy["arrows"][row][column] for row, column in world.cells]
    return np.array([names.index(ARROWS.get(letter, policy["usual"])) for letter in letters])


def kernels_of(scene, world):
    """Return the discounted moves of each base policy."""
    times = np.ones(world.num_states) if world.entry_times is None else world.entry_times
    chains = world.policy_chains(policies_of(scene, world))
    return [chain.toarray() * scene["discount"] ** times for chain in chains]


def visits_of(kernel):
    """Return the sum of all powers of a kernel, by elimination that only adds positive numbers."""
    reached = np.array(kernel)
    for state in range(len(kernel)):
        loops = reached[state, state]
        reached = reached + np.outer(reached[:, state], reached[state]) / (1 - loops)
    return reached + np.eye(len(kernel))


def frs_of(scene, world):
    visits = [visits_of(kernel) for kernel in kernels_of(scene, world)]
    return np.stack([each / np.diag(each) for each in visits])


def cells_of(world):
    return np.flatnonzero(world.free)


def deterministic_questions(seed):
    rng = np.random.default_rng(seed)
    for _ in range(CHUNK):
        shape = tuple(rng.integers(2, 14, 2))
        walls = int(rng.uniform(0, 0.45) * shape[0] * shape[1])
        switches = [None, None, 0, 1, 2, 3][rng.integers(6)]
        scene = random_scene(rng, shape, min(walls, shape[0] * shape[1] - 2))
        yield {"scene": scene, "switches": switches}


def noisy_questions(seed):
    rng = np.random.default_rng(seed)
    for _ in range(CHUNK):
        free = int(rng.choice(NUMBERS_OF_CELLS))
        rows = int(rng.integers(2, 8))
        columns = -(-free // rows) + int(rng.integers(0, 4))
        scene = random_scene(rng, (rows, columns), rows * columns - free)
        scene["noise"] = float(rng.choice([0.02, 0.1, 0.3, 1.0]))
        yield {"scene": scene, "switches": [None, 0, 1, 2][rng.integers(4)]}


def library_plans(question):
    """Return the world, and the library's plan to each goal by its cell."""
    scene = question["scene"]
    world = world_of(scene)
    planner = fo.Planner(world, policies=policies_of(scene, world), discount=scene["discount"])
    cells = cells_of(world)
    plan = {
        int(cells[goal]): planner.plan(goal, max_switches=question["switches"], refine=0)
        for goal in world.goals
    }
    return world, planner, plan


@pytest.mark.parametrize("seed", range(10))
def test_without_noise_plans_are_the_librarys_ties_included(engine, seed):
    questions = list(deterministic_questions(seed))
    for question, answer in zip(questions, engine(PLANS, questions), strict=True):
        world, _, plans = library_plans(question)
        cells = cells_of(world)
        for found in answer["plans"]:
            plan = plans[found["goal"]]
            assert np.take(found["policy"], cells).tolist() == plan.policy.tolist()
            assert to_states(found["subgoal"], cells) == plan.subgoal.tolist()
            np.testing.assert_allclose(
                np.take(found["discount"], cells), np.exp(plan.log_promised), rtol=EXACT
            )
        check_tour(answer, world, plans, question["scene"]["discount"])


@pytest.mark.parametrize("seed", range(6))
def test_under_noise_plans_are_the_librarys_and_ties_go_to_the_first(engine, seed):
    questions = list(noisy_questions(100 + seed))
    for question, answer in zip(questions, engine(PLANS, questions), strict=True):
        world, planner, plans = library_plans(question)
        cells = cells_of(world)
        for found in answer["plans"]:
            plan = plans[found["goal"]]
            np.testing.assert_allclose(
                np.take(found["discount"], cells), np.exp(plan.log_promised), rtol=EXACT
            )
            check_choices(found, plan, question, world, planner)
        check_tour(answer, world, plans, question["scene"]["discount"])


def to_states(on_cells, cells):
    states = dict(zip(cells.tolist(), range(len(cells)), strict=True)) | {-1: -1}
    return [states[cell] for cell in np.take(on_cells, cells).tolist()]


def check_choices(found, plan, question, world, planner):
    """Each choice is the library's, or as good up to rounding, which decides in the library."""
    scene, cells = question["scene"], cells_of(world)
    frs = frs_of(scene, world)
    policy, subgoal = np.take(found["policy"], cells), np.array(to_states(found["subgoal"], cells))
    differs = (policy != plan.policy) | (subgoal != plan.subgoal)
    if not differs.any():
        return
    # A leg was chosen for the discounts of some sweep before.
    limit = question["switches"] if question["switches"] is not None else world.num_states
    before = [planner.plan(int(plan.goal), max_switches=k).promised for k in range(min(limit, 12))]
    before.append(np.eye(world.num_states)[int(plan.goal)])
    for state in np.flatnonzero(differs):
        leg = frs[policy[state], state, subgoal[state]]
        values = [float(leg * discounts[subgoal[state]]) for discounts in before]
        assert np.isclose(values, float(plan.promised[state]), rtol=EXACT, atol=0).any()
        leader = frs[:, state, subgoal[state]]
        assert policy[state] == np.flatnonzero(leader > leader.max() * (1 - 1e-11))[0]


def check_tour(answer, world, plans, discount):
    """The order of the goals is the library's best, and drawn legs are those of `unroll`."""
    cells = cells_of(world)
    goals = [int(np.searchsorted(cells, goal["goal"])) for goal in answer["plans"]]
    ordered = sorted(goals)
    logs = np.stack([plans[int(cells[goal])].log_promised for goal in ordered], axis=1)
    try:
        tour = planning.best_order(world.start, ordered, logs)
    except fo.InputError:
        assert answer["tourDiscount"] is None
        return
    assert answer["tourDiscount"] == pytest.approx(tour.discount, rel=EXACT)
    if world.noise == 0:
        assert goals == list(tour.order)
    here = world.start
    for found, goal in zip(answer["plans"], goals, strict=True):
        legs = [(leg["policy"], leg["subgoal"]) for leg in found["legs"]]
        if world.noise == 0:
            expected = plans[found["goal"]].legs(here)
            assert legs == [(leg.policy, int(cells[leg.subgoal])) for leg in expected]
            assert np.prod([leg["factor"] for leg in found["legs"]]) == pytest.approx(
                discount_of(found["legs"], answer, world, discount), rel=EXACT
            )
        assert not legs or legs[-1][1] == found["goal"]
        here = goal


def discount_of(legs, answer, world, discount):
    """Return the discount of walking the drawn cells, each step of which the policy makes."""
    time = 0
    states = {int(cell): state for state, cell in enumerate(cells_of(world))}
    for leg in legs:
        assert leg["arrives"]
        for one, other in zip(leg["cells"], leg["cells"][1:], strict=False):
            move = answer["actions"][leg["policy"]][one]
            assert world.next_states[move, states[one]] == states[other]
            time += 1 if world.entry_times is None else world.entry_times[states[other]]
    return discount**time


def library_rows(scene, world, policy, state):
    """Return F(s, .) and M(s, .); with costs of entering F by plans without a switch."""
    policies, discount = policies_of(scene, world), scene["discount"]
    if world.entry_times is None:
        chain = fo.chain(world.mdp, jnp.asarray(policies[policy]))
        return [
            np.asarray(module.solve(chain, discount=discount))[state]
            for module in (fo.first_occupancy, fo.successor)
        ]
    planner = fo.Planner(world, policies=policies[[policy]], discount=discount)
    plans = [planner.plan(goal, max_switches=0) for goal in range(world.num_states)]
    soon = np.array([float(plan.promised[state]) for plan in plans])
    return soon, soon * np.diag(visits_of(kernels_of(scene, world)[policy]))


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_rows_are_the_librarys_frs_and_srs(engine, noise):
    rng = np.random.default_rng(7)
    questions, expected = [], []
    for _ in range(20):
        scene = random_scene(rng, (5, 6), 6) | {"noise": noise}
        world = world_of(scene)
        policies = policies_of(scene, world)
        policy, state = int(rng.integers(len(policies))), int(rng.integers(world.num_states))
        questions.append({"scene": scene, "policy": policy, "cell": int(cells_of(world)[state])})
        expected.append(library_rows(scene, world, policy, state))
    for question, rows, (soon, often) in zip(
        questions, engine(ROWS, questions), expected, strict=True
    ):
        cells = cells_of(world_of(question["scene"]))
        np.testing.assert_allclose(np.take(rows["soon"], cells), soon, rtol=EXACT)
        np.testing.assert_allclose(np.take(rows["often"], cells), often, rtol=EXACT)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.6, 1.0])
def test_value_iteration_and_the_optimum_are_the_librarys(engine, noise):
    rng = np.random.default_rng(8)
    questions = [
        {"scene": random_scene(rng, (5, 6), 6) | {"noise": noise, "drawn": []}, "switches": k}
        for k in (0, 1, 2, 3, None, None)
    ]
    for question, answer in zip(questions, engine(PLANS, questions), strict=True):
        scene, world = question["scene"], world_of(question["scene"])
        cells, goal = (
            cells_of(world),
            int(np.searchsorted(cells_of(world), answer["plans"][0]["goal"])),
        )
        kernels, values = np.stack(kernels_of(scene, world)), np.eye(world.num_states)[goal]
        for _ in range(answer["sweeps"]["sweeps"]):
            values = (kernels @ values).max(axis=0)
            values[goal] = 1
        np.testing.assert_allclose(np.take(answer["sweeps"]["discount"], cells), values, rtol=EXACT)
        best = fo.plan(world, goal, discount=scene["discount"], refine=None).expected_discount
        assert answer["worth"]["optimum"] == pytest.approx(float(best[world.start]), rel=1e-8)
        worth = answer["worth"]
        rounds = [worth["plan"], worth["followed"], *worth["refined"], worth["optimum"]]
        assert (np.diff(rounds) >= -EXACT * np.array(rounds[1:])).all()


@pytest.mark.parametrize("seed", range(2))
def test_following_and_refining_bring_what_the_library_says(engine, seed):
    questions = [
        question
        for question in noisy_questions(200 + seed)
        if question["scene"]["noise"] in (0.1, 0.3)
    ]
    compared = 0
    for question, answer in zip(questions, engine(PLANS, questions), strict=True):
        world = world_of(question["scene"])
        if not answer["worth"] or not answer["worth"]["plan"]:
            continue
        _, planner, plans = library_plans(question)
        cells, found = cells_of(world), answer["plans"][0]
        plan = plans[found["goal"]]
        # Rounding decides between equal legs in the library, and then another plan is followed.
        if np.take(found["policy"], cells).tolist() != plan.policy.tolist():
            continue
        rounds = [answer["worth"]["followed"], *answer["worth"]["refined"]]
        expected = [
            planner.plan(int(plan.goal), max_switches=question["switches"], refine=refine)
            for refine in [*range(len(rounds)), 99]
        ]
        values = [float(each.expected_discount[world.start]) for each in expected]
        assert [*rounds, rounds[-1]] == pytest.approx(values, rel=EXACT)
        compared += len(rounds) > 1
    assert compared >= 3


def test_following_a_tour_is_worth_the_product_of_what_the_library_says(engine):
    """Both numbers that the page compares are of the tour through all goals, in its order."""
    questions = [each for seed in range(300, 304) for each in noisy_questions(seed)]
    compared = 0
    for question, answer in zip(questions, engine(PLANS, questions), strict=True):
        if answer["tourDiscount"] is None:
            assert answer["tourFollowed"] is None
            continue
        assert answer["tourFollowed"] >= answer["tourDiscount"] * (1 - EXACT)
        scene, world = question["scene"], world_of(question["scene"])
        cells, here, product = cells_of(world), world.start, 1.0
        times = np.ones(world.num_states) if world.entry_times is None else world.entry_times
        moves = policies_of(scene, world)
        for found in answer["plans"]:
            goal = int(np.searchsorted(cells, found["goal"]))
            policy = np.take(found["policy"], cells)
            chosen = np.where(
                (policy < 0)[:, None],
                1 / world.num_actions,
                moves[policy, np.arange(world.num_states)],
            )
            kernel = world.policy_chains(chosen[None])[0].toarray() * scene["discount"] ** times
            visits = visits_of(kernel)
            product *= visits[here, goal] / visits[goal, goal]
            here = goal
        assert answer["tourFollowed"] == pytest.approx(product, rel=1e-8)
        compared += len(answer["plans"]) > 1
    assert compared >= 10


WALKS = """
async ([scenes, switches, count]) => {
  const { answerPlan } = await import('/engine/answers.js');
  const { makeMemory } = await import('/engine/memory.js');
  const { seeded } = await import('/engine/random.js');
  const { costAt } = await import('/engine/room.js');
  const { walk } = await import('/engine/walk.js');
  const { fromText } = await import('/scene.js');
  return scenes.map((drawn, number) => {
    const scene = fromText(drawn), plan = answerPlan(scene, switches, makeMemory()), discounts = [];
    const random = seeded(number + 1);
    for (let run = 0; run < count; run++) {
      let time = 0, steps = 0;
      for (const { to } of walk(scene, plan, random)) {
        time += costAt(scene, to);
        if (++steps === 3000) { time = Infinity; break; }
      }
      discounts.push(scene.discount ** time);
    }
    return { expected: plan.tourFollowed, note: plan.note, discounts };
  });
}
"""


@pytest.mark.parametrize("switches", [None, 1])
def test_walks_are_on_average_worth_what_the_page_compares_them_with(engine, switches):
    several = {"moves": 4, "drawn": [], "discount": 0.9}
    several["drawing"] = ["S....#..", "..#..#.G", ".....#..", "#.##....", ".G.#...G"]
    hall = ["S" + "." * 32, *["." * 33] * 31, "." * 6 + "G" + "." * 26]
    scenes = [several | {"noise": noise} for noise in (0.1, 0.4)]
    if switches is None:
        scenes.append({"drawing": hall, "moves": 4, "drawn": [], "discount": 0.95, "noise": 0.3})
    for answer in engine(WALKS, [scenes, switches, 6000]):
        discounts = np.array(answer["discounts"])
        error = discounts.std() / np.sqrt(len(discounts))
        assert abs(discounts.mean() - answer["expected"]) < 4 * error
    assert (answer["note"] is not None) == (switches is None)


REMEMBERED = """
async (drawn) => {
  const { answerPlan } = await import('/engine/answers.js');
  const { makeMemory } = await import('/engine/memory.js');
  const { fromText } = await import('/scene.js');
  const scene = fromText(drawn), memory = makeMemory();
  return [1, 2, 3].map(() => answerPlan(scene, null, memory).cost);
}
"""


def test_a_plan_that_is_remembered_is_said_to_have_taken_as_long_as_it_did(engine):
    scene = {"drawing": ["S" + "." * 29, *["." * 30] * 28, "." * 29 + "G"], "moves": 4}
    costs = engine(REMEMBERED, scene | {"drawn": [], "discount": 0.95, "noise": 0.2})
    assert costs[0]["plan"] > 0
    assert costs[1:] == costs[:1] * 2


def test_a_refined_plan_is_the_librarys(engine):
    scene = {"moves": 4, "drawn": [], "discount": 0.95, "noise": 0.15}
    scene["drawing"] = ["S....#..", "..#..#..", ".....#..", "#.##....", "...#...G"]
    world = world_of(scene)
    (answer,) = engine(PLANS, [{"scene": scene, "switches": None}])
    plan, refined = (
        fo.plan(world, world.goals[0], discount=0.95, refine=rounds) for rounds in (0, 1)
    )
    followed = [float(each.expected_discount[world.start]) for each in (plan, refined)]
    assert [answer["worth"]["followed"], answer["worth"]["refined"][0]] == pytest.approx(
        followed, rel=EXACT
    )
    assert followed[0] < followed[1]


SHARED = """
async (drawing) => {
  const { answerPlan } = await import('./engine/answers.js');
  const { makeMemory } = await import('./engine/memory.js');
  const { fromText } = await import('./scene.js');
  const plain = (_, part) => ArrayBuffer.isView(part) ? [...part] : part;
  const scene = fromText({ drawing, moves: 8, drawn: [], discount: .95, noise: .1 });
  const plans = [
    await lab.ask('plan', { scene, switches: null }), answerPlan(scene, null, makeMemory())];
  return plans.map(({ plans }) => JSON.parse(JSON.stringify(plans, plain)));
}
"""


def test_workers_that_share_the_policies_find_the_same_plan(page):
    drawing = ["S" + "." * 14, *["." * 15] * 5, "." * 7 + "#" * 8, *["." * 15] * 7, "." * 14 + "G"]
    page.evaluate("Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 })")
    workers = len(page.workers)
    shared, alone = page.evaluate(SHARED, drawing)
    assert shared == alone
    assert len(page.workers) == workers + 3


FAR = """
async (drawing) => {
  const { fromText } = await import('/scene.js');
  const { makeRoom } = await import('/engine/room.js');
  const { foldLegs } = await import('/engine/legtable.js');
  const { planToGoal } = await import('/engine/frp.js');
  const room = makeRoom(fromText({ drawing, moves: 4, drawn: [], discount: .5, noise: 1 }));
  const table = foldLegs(room);
  return [null, 0, 2].map((switches) => {
    const plan = planToGoal(table, room.goals[0], switches);
    return { log: [...plan.log], inLogs: table.logs !== null };
  });
}
"""


def test_discounts_too_small_to_be_multiplied_are_added_as_logarithms(engine):
    walls = ["#" * 24 + ".", "." + "#" * 24] * 7
    drawing = [line for wall in walls for line in ("." * 25, wall)] + ["." * 24 + "G"]
    world = fo.maze(drawing, noise=1.0)
    planner = fo.Planner(world, discount=0.5)
    answers = engine(FAR, drawing)
    for switches, answer in zip((None, 0, 2), answers, strict=True):
        plan = planner.plan(world.goals[0], max_switches=switches, refine=0)
        np.testing.assert_allclose(answer["log"], plan.log_promised, rtol=EXACT)
        assert answer["inLogs"]
        assert min(answer["log"]) < -670


FOLDED = """
async ([scenes, quickly]) => {
  if (!quickly) WebAssembly.Module = function () { throw new WebAssembly.CompileError(); };
  const { fromText } = await import('/scene.js');
  const { makeRoom } = await import('/engine/room.js');
  const { foldLegs } = await import('/engine/legtable.js');
  const { prepareRows } = await import('/engine/rows.js');
  const { simdKernel } = await import('/engine/simd.js');
  const tables = scenes.map((scene) => {
    const room = makeRoom(fromText(scene)), { best, leader } = foldLegs(room);
    const own = [...prepareRows(room, 0).own];
    return { best: [...best], leader: [...leader].filter((_, at) => best[at] > 0), own };
  });
  return { tables, kernel: simdKernel() !== null };
}
"""


def test_the_kernel_finds_what_plain_javascript_finds_to_the_last_bit(browser, address):
    rng = np.random.default_rng(17)
    scenes = [random_scene(rng, (7, 9), 12) | {"noise": 0.1} for _ in range(12)]
    answers = []
    for quickly in (True, False):
        page = browser.new_page()
        page.goto(f"{address}/icon.svg")
        answers.append(page.evaluate(FOLDED, [scenes, quickly]))
        page.close()
    assert [answer["kernel"] for answer in answers] == [True, False]
    assert answers[0]["tables"] == answers[1]["tables"]


SWEPT = """
async (cases) => {
  const { fromText } = await import('/scene.js');
  const { makeRoom } = await import('/engine/room.js');
  const { settle } = await import('/engine/outwards.js');
  const { factorise, firstVisitsTo } = await import('/engine/banded.js');
  return cases.map(({ scene, moves }) => {
    const room = makeRoom(fromText(scene)), guess = new Float64Array(room.count);
    guess[room.goals[0]] = 1;
    const swept = settle(room, moves, room.goals[0], guess);
    const exact = firstVisitsTo(factorise(room, moves), room.goals[0]);
    return { swept: swept && [...swept], exact: [...exact] };
  });
}
"""


def test_sweeps_outwards_settle_on_the_exact_values_or_give_up(engine):
    # Policies to the goal, with some moves at random; and ones that point anywhere.
    rng, cases = np.random.default_rng(23), []
    for noise in (0.02, 0.1, 0.3, 0.6) * 8:
        scene = random_scene(rng, (14, 17), 40) | {"noise": noise, "drawn": []}
        world = world_of(scene)
        moves = rng.integers(-1, world.num_actions, world.num_states)
        if rng.random() < 0.7:
            plan = planning.plan_paths(world.next_states, world.goals[0], discount=0.9)
            moves = np.where(rng.random(world.num_states) < 0.1, -1, plan.policy)
        cases.append({"scene": scene, "moves": moves.tolist()})
    answers = engine(SWEPT, cases)
    settled = [answer for answer in answers if answer["swept"]]
    assert len(settled) >= 16
    for answer in settled:
        exact = np.array(answer["exact"])
        far = exact < 1e-290  # numbers that have few digits
        np.testing.assert_allclose(np.array(answer["swept"])[~far], exact[~far], rtol=1e-11)
