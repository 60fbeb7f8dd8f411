"""The page in a real Chromium: what one draws, slides and points at is what the library says."""

import json
import math
import re
from pathlib import Path

import pytest

import first_occupancy as fo
from first_occupancy import planning
from first_occupancy.environments import EIGHT_MOVES, escape_arena
from first_occupancy.environments.arrows import SYMBOLS
from first_occupancy.web import assets
from looking import centre_of, colours, drawing, settled, slide, state, type_in

ENOUGH = 9  # more switches than any plan here needs


def planned(page):
    """Let the page plan until no switch helps."""
    slide(page, "switches", ENOUGH)


def draw_with(page, tool):
    page.click(f"button[data-tool={tool}]")


def test_it_opens_without_switches_and_plays_the_planning(page):
    assert (state(page, "switches"), state(page, "plan.worth.plan")) == (0, 0)
    assert "none of the policies leads from S to the goal" in page.inner_text("#readout")
    page.click("#plan-it")
    assert page.inner_text("#plan-it") == "Stop"
    shown = []
    while page.inner_text("#plan-it") == "Stop":
        shown.append(int(page.inner_text("#switches-value")))
        page.wait_for_timeout(50)
    shown.append(int(page.inner_text("#switches-value")))
    assert sorted(set(shown)) == list(range(4))
    assert state(page, "plan.worth.plan") == pytest.approx(0.95**16)
    assert state(page, "plan.sweeps.sweeps") == 4
    assert "16" in page.inner_text("#readout")
    assert page.locator("#legs li").count() == 3
    assert page.locator("#worth td").first.inner_text() == "0.440"
    # Painted, not blank: the maps have more than one colour.
    for canvas in ("board", "fr-map", "sr-map", "vi-map"):
        assert colours(page, canvas) > 3


def test_drawing_a_wall_changes_the_plan_and_erasing_it_brings_it_back(page):
    planned(page)
    draw_with(page, "walls")
    before = state(page, "plan.worth.plan")
    door = 2 * 11 + 5
    page.mouse.move(*centre_of(page, door))
    page.mouse.down()
    page.mouse.up()
    settled(page)
    assert state(page, f"scene.walls[{door}]") == 1
    world = fo.maze(state(page, "scene") and drawing(page))
    plan = planning.plan_paths(world.next_states, world.goals[0], discount=0.95)
    assert state(page, "plan.worth.plan") == pytest.approx(
        float(plan.promised[world.start]), rel=1e-9
    )
    page.mouse.down()
    page.mouse.up()
    settled(page)
    assert state(page, "plan.worth.plan") == before


def test_a_fast_stroke_leaves_no_gaps(page):
    draw_with(page, "walls")
    page.mouse.move(*centre_of(page, 7 * 11 + 1))
    page.mouse.down()
    page.mouse.move(*centre_of(page, 7 * 11 + 4))
    page.mouse.up()
    settled(page)
    assert drawing(page)[7] == "#####" + "#....#"


def test_start_and_goal_can_be_dragged(page):
    for cell, to in ((9 * 11 + 1, 8 * 11 + 3), (1 * 11 + 9, 6 * 11 + 8)):
        page.mouse.move(*centre_of(page, cell))
        page.mouse.down()
        page.mouse.move(*centre_of(page, to), steps=4)
        page.mouse.up()
        settled(page)
    assert state(page, "scene.start") == 8 * 11 + 3
    assert state(page, "scene.goals") == [6 * 11 + 8]
    assert state(page, "plan.plans[0].goal") == 6 * 11 + 8


def test_sliding_k_goes_from_gpi_to_the_converged_plan(page):
    world = fo.maze(drawing(page))
    for k in range(4):
        slide(page, "switches", k)
        plan = planning.plan_paths(world.next_states, world.goals[0], discount=0.95, max_switches=k)
        expected = float(plan.promised[world.start])
        assert state(page, "plan.worth.plan") == pytest.approx(expected, rel=1e-9)
        assert page.inner_text("#switches-value") == str(k)
        assert page.inner_text("#vi-caption").startswith(f"value iteration, {k + 1} sweep")
    slide(page, "switches", 1)
    assert "no 2 policies, one after the other, lead from S" in page.inner_text("#readout")
    assert page.get_attribute("#switches", "aria-valuetext") == "1 switch"
    slide(page, "switches", 0)
    assert "none of the policies leads from S to the goal" in page.inner_text("#readout")
    assert page.locator("#play").is_disabled()


def test_pointing_at_a_cell_shows_its_rows_and_its_plan(page):
    planned(page)
    cell, world = 8 * 11 + 2, fo.four_rooms()
    page.keyboard.press("2")
    page.mouse.move(*centre_of(page, cell))
    settled(page)
    chain = fo.chain(world.mdp, fo.constant_policies(world.mdp)[1])
    expected = fo.first_occupancy.solve(chain, discount=0.95)[world.state(8, 2), world.state(8, 7)]
    assert state(page, f"row.soon[{8 * 11 + 7}]") == pytest.approx(float(expected), rel=1e-9)
    assert page.inner_text("#legs-title") == "Plan from (8, 2)"
    plan = fo.plan(world, (1, 9), discount=0.95, refine=0)
    legs = plan.legs(world.state(8, 2))
    shown = page.locator("#legs li").all_inner_texts()
    assert len(shown) == len(legs)
    for line, leg in zip(shown, legs, strict=True):
        assert f"until {world.cell(leg.subgoal)}" in line
    factors = [float(text.strip("× ")) for text in page.locator("#legs .factor").all_inner_texts()]
    assert math.prod(factors) == pytest.approx(float(plan.promised[world.state(8, 2)]), rel=2e-3)


def test_a_click_pins_the_cell_so_that_the_maps_can_be_pointed_at(page):
    page.keyboard.press("2")
    page.mouse.click(*centre_of(page, 8 * 11 + 2))
    page.mouse.move(*centre_of(page, 3 * 11 + 3), steps=5)
    page.mouse.move(*centre_of(page, 8 * 11 + 7, "fr-map"), steps=5)
    settled(page)
    assert (state(page, "pinned"), state(page, "from")) == (True, 8 * 11 + 2)
    reading = page.inner_text("#row-reading")
    assert "F = 0.774 = γ" in reading.replace("\n", "")
    assert "(8, 2) to (8, 7)" in reading
    assert page.inner_text("#pinned").startswith("(8, 2): free. Pinned")
    planned(page)  # what is said of the cell follows the plan
    assert page.inner_text("#pinned").startswith("(8, 2): free, plan: → until (8, 7). Pinned")
    # Another policy, by its key: down from there reaches (9, 2) only.
    page.keyboard.press("3")
    settled(page)
    assert sum(value > 0 for value in state(page, "row.soon")) == 2
    page.keyboard.press("Escape")
    settled(page)
    assert (state(page, "pinned"), state(page, "from")) == (False, 9 * 11 + 1)
    # Without a pin the pointer, once it leaves the board, looks from the start again.
    page.mouse.move(*centre_of(page, 8 * 11 + 2))
    page.mouse.move(*centre_of(page, 8 * 11 + 7, "fr-map"))
    settled(page)
    assert state(page, "from") == 9 * 11 + 1


def test_pointing_at_a_leg_shows_its_f_in_the_map(page):
    planned(page)
    page.hover("#legs li:nth-child(2) button")
    settled(page)
    leg = state(page, "plan.plans[0].legs[1]")
    assert (state(page, "row.from"), state(page, "row.policy")) == (leg["from"], leg["policy"])
    assert state(page, f"row.soon[{leg['subgoal']}]") == pytest.approx(leg["factor"], rel=1e-12)
    said = page.inner_text("#row-reading").replace("\n", "")
    assert said.startswith("Leg 2: from (2, 1) to (2, 9) with →: F = 0.663")
    page.mouse.move(5, 5)
    settled(page)
    assert state(page, "row.from") == state(page, "scene.start")


def test_each_touch_repaints_all_that_it_changes(page):
    # Only some parts of the page are painted after a touch. All of it painted anew is the same.
    touches = {
        "open": lambda: page.select_option("#preset", "Several goals"),
        "tool": lambda: draw_with(page, "walls"),
        "wall": lambda: page.mouse.click(*centre_of(page, state(page, "scene.start") + 1)),
        "hover": lambda: page.mouse.move(*centre_of(page, state(page, "scene.start") - 1)),
        "switches": lambda: slide(page, "switches", 1),
        "policy": lambda: page.keyboard.press("3"),
        "noise": lambda: slide(page, "noise", 0.2),
        "moves": lambda: page.click("[data-skills='8']"),
        "goal": lambda: page.press("#board", "g"),
        "numbers": lambda: page.click("#numbers"),
    }
    before = None
    for name, touch in touches.items():
        touch()
        settled(page)
        shown = page.evaluate(SHOWN)
        page.evaluate(WIPE)
        settled(page)
        assert page.evaluate(SHOWN) == shown, name
        assert shown != before or name == "tool", name
        before = shown


SHOWN = """() => [...document.querySelectorAll('#plan-view canvas')]
  .map(canvas => canvas.toDataURL())
  .concat(document.getElementById('row-reading').innerText)"""
WIPE = """() => {
  for (const id of ['board', 'fr-map', 'sr-map', 'vi-map']) document.getElementById(id).width = 0;
  document.getElementById('row-reading').innerText = '';
  dispatchEvent(new Event('resize')); }"""


def test_numbers_can_be_asked_for(page):
    before = colours(page, "fr-map")
    page.click("#numbers")
    settled(page)
    assert page.get_attribute("#numbers", "aria-pressed") == "true"
    assert colours(page, "fr-map") != before


def test_the_agent_walks_the_drawn_plan_cell_by_cell(page):
    planned(page)
    page.click("#play")
    assert page.inner_text("#play span") == "Stop"
    page.click("#play")
    assert (page.inner_text("#play span"), state(page, "agent")) == ("Play", None)
    page.click("#play")
    page.wait_for_selector("body[data-agent=arrived]", timeout=20000)
    assert page.inner_text("#readout").startswith("Arrived after 16 steps")
    drawn = [leg["cells"] for leg in state(page, "plan.plans[0].legs")]
    assert state(page, "agent.trail") == [drawn[0][0], *(cell for leg in drawn for cell in leg[1:])]
    assert page.inner_text("#play span") == "Play"


def test_under_noise_a_walk_is_compared_with_what_such_walks_are_worth(page):
    slide(page, "noise", 0.1)
    planned(page)
    page.click("#play")
    page.wait_for_selector("body[data-agent=arrived]", timeout=60000)
    said = re.search(
        r"Mean of 1 run: ([\d.e-]+); expected, choosing again in every cell: ([\d.e-]+)\.",
        page.inner_text("#readout"),
    )
    assert float(said[1]) == pytest.approx(state(page, "runs[0]"), rel=2e-3)
    assert float(said[2]) == pytest.approx(state(page, "plan.tourFollowed"), rel=2e-3)


def test_legs_under_noise_are_policies_until_a_place_and_do_not_jump(page):
    slide(page, "noise", 0.3)
    planned(page)
    columns, walls = state(page, "scene.columns"), state(page, "scene.walls")
    legs = state(page, "plan.plans[0].legs")
    for leg in legs:
        for one, other in zip(leg["cells"], leg["cells"][1:], strict=False):
            assert abs(one - other) in (1, columns)
            assert not walls[other]
        assert leg["arrives"] == (leg["cells"][-1] == leg["subgoal"])
    assert math.prod(leg["factor"] for leg in legs) == pytest.approx(
        state(page, "plan.worth.plan"), rel=1e-9
    )
    assert "step" not in page.inner_text("#legs")


def test_noise_discount_and_moves_change_the_answer(page):
    planned(page)
    slide(page, "noise", 0.2)
    assert state(page, "plan.worth.followed") < state(page, "plan.worth.optimum") + 1e-9
    assert "choosing again in every cell" in page.inner_text("#worth")
    assert "solving for the FRs of 4 policies (18,496 numbers)" in page.inner_text("#cost")
    slide(page, "noise", 0)
    page.click("[data-skills='8']")
    settled(page)
    assert page.locator("#policies button").count() == 8
    slide(page, "discount", 100)
    assert state(page, "scene.discount") == 0.999
    assert page.get_attribute("#discount", "aria-valuetext") == "0.999"


def test_diagonal_moves_keep_the_chosen_rule(page, opened):
    assert page.locator("#corners").is_hidden()
    page.click("[data-skills='8']")
    found = {}
    for corners in ("strict", "allow", "forbid", "strict"):
        page.select_option("#corners", corners)
        planned(page)
        world = fo.maze(drawing(page), moves=EIGHT_MOVES, corners=corners)
        plan = planning.plan_paths(world.next_states, world.goals[0], discount=0.95)
        found[corners] = float(plan.promised[world.start])
        assert state(page, "plan.worth.plan") == pytest.approx(found[corners], rel=1e-9)
    assert found["strict"] < found["forbid"] == found["allow"]  # no two walls touch at a corner
    page.click("#share")
    assert "corners=strict" in page.url
    other = opened(page.url)
    assert other.input_value("#corners") == "strict"
    assert state(other, "plan.worth") == state(page, "plan.worth")
    page.click("#undo")
    settled(page)
    assert state(page, "scene.corners") == "forbid"
    assert page.input_value("#preset") == "FourRooms"  # the rule does not make it another maze


def test_policies_can_be_drawn_by_hand(page):
    page.click("[data-skills=drawn]")
    settled(page)
    assert state(page, "plan.policies") == ["A", "B"]
    page.locator("#board").scroll_into_view_if_needed()
    page.mouse.move(*centre_of(page, 8 * 11 + 3))
    page.mouse.down()
    page.mouse.move(*centre_of(page, 6 * 11 + 3), steps=6)
    page.mouse.up()
    settled(page)
    assert [state(page, f"plan.actions[0][{row * 11 + 3}]") for row in (6, 7, 8)] == [1, 0, 0]
    # Arrows have no diagonals: a stroke across goes up and right by turns.
    page.mouse.move(*centre_of(page, 9 * 11 + 6))
    page.mouse.down()
    page.mouse.move(*centre_of(page, 7 * 11 + 8))
    page.mouse.up()
    settled(page)
    ways = ((9, 6), (9, 7), (8, 7), (8, 8))
    arrows = [state(page, f"scene.drawn[0].arrows[{row * 11 + column}]") for row, column in ways]
    assert arrows == [2, 1, 2, 1]


def test_a_goal_too_far_for_its_discount_to_be_a_number_is_not_walled_off(page):
    lines = ["." * 60 if row % 2 == 0 else "#" * 59 + "." for row in range(40)]
    lines[3::4] = ["." + "#" * 59] * 10
    lines[0], lines[38] = "S" + "." * 59, "G" + "." * 59
    scene = {"drawing": lines, "moves": 4, "drawn": [], "discount": 0.5, "noise": 0}
    page.evaluate(
        """scene => import('./scene.js').then(({ fromText, toFragment }) => {
        location.hash = toFragment(fromText(scene), null);
        return new Promise(read => addEventListener('hashchange', () => read())); })""",
        scene,
    )
    settled(page)
    said = page.inner_text("#readout")
    assert said.startswith("At most 38 switches: 39 legs, 1218 steps")
    assert "less than 10" in said
    assert page.locator("#play").is_enabled()
    slide(page, "switches", 3)
    assert "no 4 policies, one after the other, lead" in page.inner_text("#readout")


def test_several_goals_are_visited_in_the_best_order(page):
    page.select_option("#preset", "Several goals")
    settled(page)
    planned(page)
    assert page.evaluate("lab.state.plan.plans.length") == 5
    assert "best order of the 5 goals" in page.inner_text("#readout")
    assert "to goal 1" in page.inner_text("#vi-caption")
    assert page.inner_text("#worth caption") == "expected discount from S to goal 1"
    slide(page, "noise", 0.2)
    # Both numbers are of the tour: 0.765, of the first goal alone, is in the table that says so.
    said = page.inner_text("#readout")
    assert "The plan promises a discount of 0.00455 on average" in said
    again = re.search(r"Choosing again in every cell gives ([\d.]+) for the same 5 goals", said)
    assert float(again[1]) == pytest.approx(state(page, "plan.tourFollowed"), rel=2e-3)
    assert "0.765" not in said
    assert re.search(r"choosing again in every cell\s+0\.765", page.inner_text("#worth"))
    slide(page, "noise", 0)
    draw_with(page, "goals")
    page.mouse.click(*centre_of(page, 7 * 15 + 2))
    settled(page)
    assert page.evaluate("lab.state.plan.plans.length") == 6


def test_rooms_can_be_resized_and_cleared(page):
    type_in(page, "rows", "")
    page.press("#rows", "Tab")
    assert (page.input_value("#rows"), len(drawing(page))) == ("11", 11)
    type_in(page, "rows", "20")
    page.press("#rows", "Enter")
    type_in(page, "columns", "30")
    page.press("#columns", "Tab")
    settled(page)
    lines = drawing(page)
    assert (len(lines), len(lines[0])) == (20, 30)
    assert lines[0] == lines[-1] == "#" * 30  # the outer wall stays outside
    assert lines[1][:11] == "#....#...G."
    page.click("#clear")
    settled(page)
    assert sum(line.count("#") for line in drawing(page)) == 2 * 30 + 2 * 18


def test_a_plan_that_switches_more_often_than_k_says_so(page):
    slide(page, "noise", 0.1)
    slide(page, "switches", 1)
    assert page.evaluate("lab.state.plan.plans[0].legs.length") > 2
    assert page.inner_text("#readout").startswith("At most 1 switch: the plan promises a discount")
    assert "may switch more often, and arrives sooner" in page.inner_text("#readout")


def test_in_large_mazes_a_plan_made_without_noise_is_called_so(page):
    page.select_option("#preset", "Big maze")
    slide(page, "noise", 0.2)
    slide(page, "switches", 500)
    worth = state(page, "plan.worth")
    assert worth["plan"] > worth["optimum"] > worth["followed"]
    rows = page.locator("#worth tr").all_inner_texts()
    assert re.match(r"FR-planning, K = \d+, if there were no noise", rows[0])
    assert rows[1].startswith("… followed with it")


def test_the_legs_multiply_for_the_fr_and_not_for_the_sr(page):
    planned(page)
    world, product = fo.four_rooms(), 1.0
    srs = fo.successor.solve(fo.chain(world.mdp, fo.constant_policies(world.mdp)), discount=0.95)
    here = world.start
    for leg in state(page, "plan.plans[0].legs"):
        there = world.state(*divmod(leg["subgoal"], 11))
        product *= float(srs[leg["policy"], here, there])
        here = there
    factors = page.locator("#legs .factor").all_inner_texts()
    assert factors == ["0.698", "× 0.663", "× 0.950"]
    said = page.inner_text("#product")
    assert said.startswith("The FR's product, 0.440, says how soon")
    assert f"With the SR it would be {product:.1f}: it counts visits" in said


def test_the_page_is_part_of_the_package():
    folder = Path(fo.__file__).parent / "web" / "static"
    assert {"index.html", "style.css", "main.js"} <= {path.name for path in folder.iterdir()}
    for path in folder.rglob("*.[jhc]*"):
        addresses = set(re.findall(r"https?://[^\"'\s)<]+", path.read_text()))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path.name


def test_the_page_weighs_less_than_300_kilobytes():
    assert sum(len(content) for content, _ in assets.load().values()) < 300_000


def static(name):
    return (Path(fo.__file__).parent / "web" / "static" / name).read_text()


def test_the_elements_that_the_types_name_are_on_the_page():
    named = re.search(r"interface Elements \{(.*?)\n\}", static("types.d.ts"), re.DOTALL)[1]
    ids = set(re.findall(r"^  \"?([\w-]+)\"?:", named, re.MULTILINE))
    assert len(ids) > 50
    assert ids <= set(re.findall(r'id="([\w-]+)"', static("index.html")))


def test_moves_and_presets_that_the_page_repeats_are_the_librarys(engine):
    names = json.loads(re.search(r"MOVES = (\[.*\]);", static("panels.js"))[1])
    assert names == [name for name, _ in EIGHT_MOVES]
    scene = static("scene.js")
    assert json.loads(re.search(r"DIRECTIONS = (\[.*\]);", scene)[1]) == names[:4]
    steps, symbols, presets = engine("""async () => {
      const { MOVES, SYMBOLS } = await import('/engine/room.js');
      const { PRESETS } = await import('/presets.js');
      return [MOVES, SYMBOLS, PRESETS]; }""")
    assert [tuple(step) for step in steps] == [step for _, step in EIGHT_MOVES]
    assert symbols == [SYMBOLS[name] for name in names]
    drawings = {preset["name"]: preset["scene"]["drawing"] for preset in presets}
    assert (fo.maze(drawings["FourRooms"]).free == fo.four_rooms().free).all()
    arena = fo.maze(drawings["Escape arena"], moves=EIGHT_MOVES)
    assert (arena.free == escape_arena().free).all()
    assert (arena.start, arena.goals) == (escape_arena().start, escape_arena().goals)
