"""The page in a real Chromium: what one draws, slides and hovers is what the library says."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import first_occupancy as fo


def settled(page):
    page.evaluate("lab.settled()")


def state(page, expression):
    return page.evaluate(f"lab.state.{expression}")


def centre_of(page, cell, canvas="board"):
    """Return where on the screen a cell of a map is."""
    box = page.locator(f"#{canvas}").bounding_box()
    rows, columns = state(page, "scene.rows"), state(page, "scene.columns")
    size = box["height"] / rows
    left = box["x"] + (box["width"] - size * columns) / 2
    return left + (cell % columns + 0.5) * size, box["y"] + (cell // columns + 0.5) * size


def slide(page, name, value):
    page.locator(f"#{name}").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        value,
    )
    settled(page)


def test_it_opens_with_a_plan_and_both_heat_maps(page):
    assert state(page, "plan.worth.plan") == pytest.approx(0.95**16, rel=1e-5)
    assert "16" in page.inner_text("#readout")
    assert page.locator("#legs li").count() == 3
    assert page.locator("#worth td").first.inner_text() == "0.440"
    # Painted, not blank: the maps have more than one colour.
    for canvas in ("board", "fr-map", "sr-map", "vi-map"):
        assert colours(page, canvas) > 3


def colours(page, canvas):
    return page.locator(f"#{canvas}").evaluate(
        """canvas => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size; }"""
    )


def test_drawing_a_wall_changes_the_plan_and_erasing_it_brings_it_back(page):
    before = state(page, "plan.worth.plan")
    door = 2 * 11 + 5
    page.mouse.move(*centre_of(page, door))
    page.mouse.down()
    page.mouse.up()
    settled(page)
    assert state(page, f"scene.walls[{door}]") == 1
    world = fo.maze(state(page, "scene") and drawing(page))
    plan = fo.plan_paths(world.next_states, world.goals[0], discount=0.95)
    assert state(page, "plan.worth.plan") == pytest.approx(
        float(plan.discount[world.start]), rel=1e-5
    )
    page.mouse.down()
    page.mouse.up()
    settled(page)
    assert state(page, "plan.worth.plan") == before


def drawing(page):
    return page.evaluate("import('./scene.js').then(({ drawing }) => drawing(lab.state.scene))")


def test_a_fast_stroke_leaves_no_gaps(page):
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
        plan = fo.plan_paths(world.next_states, world.goals[0], discount=0.95, max_switches=k)
        expected = float(plan.discount[world.start])
        assert (state(page, "plan.worth.plan") or 0) == pytest.approx(expected, rel=1e-5)
        assert page.inner_text("#switches-value") == str(k)
        assert page.inner_text("#vi-caption").startswith(f"value iteration, {k + 1} sweep")
    slide(page, "switches", 0)
    assert "none of the policies leads from S to the goal" in page.inner_text("#readout")
    assert page.locator("#play").is_disabled()


def test_hovering_shows_the_rows_of_that_cell(page):
    cell, world = 8 * 11 + 2, fo.four_rooms()
    page.mouse.move(*centre_of(page, cell))
    settled(page)
    chain = fo.chain(world.mdp, fo.constant_policies(world.mdp)[1])
    expected = fo.first_occupancy.solve(chain, 0.95)[world.state(8, 2), world.state(8, 7)]
    assert state(page, f"row.first_occupancy[{8 * 11 + 7}]") == pytest.approx(
        float(expected), rel=1e-5
    )
    page.mouse.move(*centre_of(page, 8 * 11 + 7, "fr-map"))
    settled(page)
    reading = page.inner_text("#row-reading")
    assert "F = 0.774 = γ" in reading.replace("\n", "")
    assert "(8, 2) to (8, 7)" in reading
    # Another policy, by its key: down from there reaches (9, 2) only.
    page.keyboard.press("3")
    settled(page)
    assert page.evaluate("lab.state.row.first_occupancy.filter(Boolean).length") == 2


def test_numbers_can_be_asked_for(page):
    before = colours(page, "fr-map")
    page.click("#numbers")
    settled(page)
    assert page.get_attribute("#numbers", "aria-pressed") == "true"
    assert colours(page, "fr-map") != before


def test_the_agent_walks_the_plan(page):
    page.click("#play")
    page.wait_for_selector("body[data-agent=arrived]", timeout=20000)
    assert page.inner_text("#readout").startswith("Arrived after 16 steps")
    assert state(page, "agent.trail.length") == 17
    assert state(page, "agent.trail.at(-1)") == 11 + 9


def test_noise_discount_and_moves_change_the_answer(page):
    slide(page, "noise", 0.2)
    assert state(page, "plan.worth.followed") < state(page, "plan.worth.optimum") + 1e-9
    assert "re-choosing" in page.inner_text("#worth")
    slide(page, "noise", 0)
    page.click("[data-skills='8']")
    settled(page)
    assert page.locator("#policies button").count() == 8
    slide(page, "discount", 100)
    assert state(page, "scene.discount") == 0.999


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


def test_several_goals_are_visited_in_the_best_order(page):
    page.select_option("#preset", "Several goals")
    settled(page)
    assert page.evaluate("lab.state.plan.plans.length") == 5
    assert "best order of the 5 goals" in page.inner_text("#readout")
    page.click("[data-tool=goals]")
    page.mouse.click(*centre_of(page, 7 * 15 + 2))
    settled(page)
    assert page.evaluate("lab.state.plan.plans.length") == 6


def test_rooms_can_be_resized_and_cleared(page):
    page.fill("#rows", "20")
    page.press("#rows", "Enter")
    page.fill("#columns", "30")
    page.press("#columns", "Tab")
    settled(page)
    lines = drawing(page)
    assert (len(lines), len(lines[0])) == (20, 30)
    assert lines[0] == lines[-1] == "#" * 30  # the outer wall stays outside
    assert lines[1][:11] == "#....#...G."
    page.click("#clear")
    settled(page)
    assert sum(line.count("#") for line in drawing(page)) == 2 * 30 + 2 * 18


def test_a_shared_link_holds_the_whole_scene(page, address):
    page.click("[data-skills=drawn]")
    page.mouse.wheel(0, -2000)
    page.click("[data-tool=walls]")
    page.mouse.click(*centre_of(page, 3 * 11 + 3))
    slide(page, "discount", 70)
    slide(page, "switches", 1)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share")
    page.wait_for_selector("#toast:not([hidden])")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(address + "/#v=1&size=11x11")
    before = page.evaluate("import('./scene.js').then((s) => s.toQuestion(lab.state.scene))")
    other = page.context.new_page()
    other.goto(link)
    other.evaluate("lab.ready.then(() => lab.settled())")
    after = other.evaluate("import('./scene.js').then((s) => s.toQuestion(lab.state.scene))")
    assert after == before
    assert state(other, "switches") == 1
    assert state(other, "plan.worth") == state(page, "plan.worth")


def test_a_broken_link_says_so_and_opens_something(page, address):
    other = page.context.new_page()
    other.goto(address + "/#v=1&size=99x99&walls=zz")
    other.evaluate("lab.ready.then(() => lab.settled())")
    assert other.inner_text("#toast") == "This link does not hold a scene; here is another one."
    assert state(other, "scene.rows") == 11


def download(page, kind, folder):
    page.click("#download")
    with page.expect_download() as waiting:
        page.click(f"[data-export={kind}]")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_the_maze_file_is_what_the_library_reads(page, tmp_path):
    world = fo.maze(download(page, "maze", tmp_path).read_text())
    assert (world.num_states, world.cell(world.start), len(world.goals)) == (68, (9, 1), 1)


def test_figures_show_the_plan(page, tmp_path):
    svg = download(page, "svg", tmp_path).read_text()
    assert svg.startswith("<svg xmlns=")
    assert svg.count("<polyline") > 6
    assert ">S</text>" in svg
    png = download(page, "png", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5000


@pytest.mark.parametrize("chance", [0, 0.1])
def test_the_script_makes_the_same_plan(page, tmp_path, chance):
    slide(page, "noise", chance)
    slide(page, "switches", 2)
    path = download(page, "script", tmp_path)
    said = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    *legs, last = said.splitlines()
    assert float(last.split()[-1]) == pytest.approx(state(page, "plan.tour_discount"), rel=1e-5)
    shown = state(page, "plan.plans[0].legs")
    assert [line.split(" until ")[1] for line in legs] == [
        str(divmod(leg["subgoal"], 11)) for leg in shown
    ]


def test_the_keyboard_can_do_it_all(page):
    page.focus("#board")
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    settled(page)
    assert state(page, "cursor") == state(page, "from") == 7 * 11 + 2
    assert page.inner_text("#cursor-reading").startswith("(7, 2): free, plan: ")
    page.keyboard.press("Space")
    settled(page)
    assert drawing(page)[7][2] == "#"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("s")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("g")
    settled(page)
    assert drawing(page)[6][:5] == "#.SG."
    page.keyboard.press("[")
    settled(page)
    assert state(page, "switches") == state(page, "plan.most_switches") - 1
    page.keyboard.press("?")
    assert page.locator("#keys").evaluate("dialog => dialog.open")


def test_the_escape_goes_round_the_barrier(page):
    page.click("#show-escape")
    page.locator("#speed").evaluate("slider => { slider.value = 4; }")
    page.wait_for_selector("#phases li:nth-child(2)[aria-current]", timeout=60000)
    page.wait_for_selector("body[data-escape=done]", timeout=60000)
    fr = page.locator("#escape-results tr:nth-child(2) td").all_inner_texts()
    assert re.fullmatch(r"home in \d+ steps, [1-9]\d* bumps?", fr[0])
    assert re.fullmatch(r"home in \d+ steps, 0 bumps", fr[1])
    assert colours(page, "fr-arena") > colours(page, "sr-arena")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_nothing_sticks_out_on_a_phone_or_in_the_dark(browser, address, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.evaluate("lab.ready.then(() => lab.settled())")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(json.loads(f"[{background[4:-1]}]")) < 200) == (scheme == "dark")
    context.close()


def test_the_page_is_part_of_the_package():
    folder = Path(fo.__file__).parent / "web" / "static"
    assert {"index.html", "style.css", "main.js"} <= {path.name for path in folder.iterdir()}
    for path in folder.glob("*.[jhc]*"):
        addresses = set(re.findall(r"https?://[^\"'\s)<]+", path.read_text()))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path.name
