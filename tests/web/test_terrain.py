"""One-way cells and costs of entering: drawn, planned with, played, linked and saved."""

import subprocess
import sys

import numpy as np
import pytest

import first_occupancy as fo
from looking import centre_of, colours, download, drawing, settled, slide, state

MUD = "Mud and a one-way door"
COLUMNS = 15


def open_mud(page):
    page.select_option("#preset", MUD)
    settled(page)
    slide(page, "switches", 99)


def paste(page, text):
    page.evaluate(
        """text => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true });
        document.body.dispatchEvent(event); }""",
        text,
    )
    settled(page)


def test_a_plan_goes_round_mud_and_through_a_one_way_door(page):
    open_mud(page)
    world = fo.maze(drawing(page))
    plan = fo.plan(world, world.goals[0], discount=0.95, refine=0)
    legs = state(page, "plan.plans[0].legs")
    assert [divmod(leg["subgoal"], COLUMNS) for leg in legs] == [
        world.cell(leg.subgoal) for leg in plan.legs(world.start)
    ]
    assert any(8 * COLUMNS + 7 in leg["cells"] for leg in legs)  # the door
    assert state(page, "plan.tourDiscount") == pytest.approx(float(plan.promised[world.start]))
    assert "the shortest there is" in page.inner_text("#readout")
    # With a wall in the door only the mud is left: fewer steps, but more time.
    page.click("button[data-tool=walls]")
    page.mouse.click(*centre_of(page, 8 * COLUMNS + 7))
    settled(page)
    assert "16 steps (time 34), the quickest there is" in page.inner_text("#readout")
    assert "(time" in page.inner_text("#legs")


def test_terrain_is_drawn_by_brush_and_by_keys(page):
    before = drawing(page)
    assert page.locator("#mark").is_hidden()
    page.click("button[data-tool=terrain]")
    page.select_option("#mark", label="takes 5")
    plain = colours(page, "board")
    page.mouse.move(*centre_of(page, 3 * 11 + 1))
    page.mouse.down()
    page.mouse.move(*centre_of(page, 3 * 11 + 3))
    page.mouse.up()
    settled(page)
    page.mouse.move(1, 1)
    assert drawing(page)[3] == "#555.#....#"
    assert colours(page, "board") > plain
    page.mouse.click(*centre_of(page, 3 * 11 + 2))  # the same again erases
    page.select_option("#mark", label="only right")
    page.mouse.click(*centre_of(page, 4 * 11 + 5))  # a wall becomes a one-way cell
    page.mouse.click(*centre_of(page, 9 * 11 + 1))  # but not the start
    settled(page)
    assert drawing(page)[3:5] == ["#5.5.#....#", "#....>....#"]
    assert drawing(page)[9] == before[9]
    page.focus("#board")
    page.evaluate("lab.state.cursor = 7 * 11 + 1")
    for key in ("+", "+", "-", "ArrowRight", "^", "ArrowRight", "v", "ArrowRight", "<"):
        page.keyboard.press(key)
    settled(page)
    assert drawing(page)[7] == "#2^v<#....#"
    assert "(7, 4): one-way, only left" in page.inner_text("#cursor-reading")
    page.keyboard.press(".")
    settled(page)
    assert drawing(page)[7] == "#2^v.#....#"
    for _ in range(9):
        page.keyboard.press("Control+z")
    settled(page)
    assert drawing(page)[7] == before[7]
    page.click("#clear")
    settled(page)
    assert not set("".join(drawing(page))) & set("^>v<23456789")


def test_a_pasted_drawing_opens_and_a_wrong_one_says_why(page):
    paste(page, "S.>.3\r\n##9#.\r\n....G\r\n\r\n")
    for key, rows in (("Control+z", 11), ("Control+y", 3)):
        page.keyboard.press(key)
        settled(page)
        assert len(drawing(page)) == rows
    assert drawing(page) == ["S.>.3", "##9#.", "....G"]
    slide(page, "switches", 9)
    world = fo.maze(drawing(page))
    plan = fo.plan(world, world.goals[0], discount=0.95, refine=0)
    assert state(page, "plan.tourDiscount") == pytest.approx(float(plan.promised[world.start]))
    for wrong, why in {
        "S.x\n..G": 'the pasted text has "x"',
        "S.\n..G": "equally long",
        "SS\n.G": "one start",
        "##\n##": "a free cell",
        "." * 61: "at most 60 rows",
    }.items():
        paste(page, wrong)
        assert why in page.inner_text("#toast")
        assert drawing(page) == ["S.>.3", "##9#.", "....G"]


def test_links_maze_files_and_scripts_hold_the_terrain(page, opened, tmp_path):
    open_mud(page)
    slide(page, "noise", 0.1)
    page.click("#share")
    other = opened(page.url)
    assert drawing(other) == drawing(page)
    assert state(other, "plan.worth") == state(page, "plan.worth")
    world = fo.maze(download(page, "maze", tmp_path).read_text())
    assert (world.entry_times.max(), (world.exits >= 0).sum()) == (7, 1)
    path = download(page, "script", tmp_path)
    said = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    assert float(said.split()[-1]) == pytest.approx(state(page, "plan.tourDiscount"), rel=1e-5)


def test_the_agent_takes_as_long_as_the_plan_says(page):
    page.emulate_media(reduced_motion="reduce")
    paste(page, "S9v.\n##.#\nG..#")
    slide(page, "switches", 9)
    page.click("#play")
    page.wait_for_selector("body[data-agent=arrived]")
    said = page.inner_text("#readout")
    assert said.startswith("Arrived after 6 steps (time 14): discount 0.488"), said
    walked = [cell for leg in state(page, "plan.plans[0].legs") for cell in leg["cells"][1:]]
    assert state(page, "agent.trail") == [0, *walked]


def test_start_and_goals_hide_the_terrain_below_them(page):
    open_mud(page)
    page.focus("#board")
    page.evaluate("lab.state.cursor = 5 * 15 + 6")
    page.keyboard.press("s")
    settled(page)
    assert drawing(page)[5] == "#.....S77.....#"
    page.evaluate("lab.state.cursor = 5 * 15 + 1")
    page.keyboard.press("s")
    settled(page)
    assert drawing(page)[5] == "#S....777.....#"


def test_frs_are_learned_with_costs_of_entering(engine):
    found = engine("""async () => {
      const { fromText } = await import('/scene.js');
      const { beginPractice, practise, learned } = await import('/engine/practice.js');
      const { answerRow } = await import('/engine/answers.js');
      const { makeMemory } = await import('/engine/memory.js');
      const scene = fromText({ drawing: ['S.4.', '.>..', '9..G'], moves: 4, drawn: [],
        discount: .9, noise: 0 });
      const practice = beginPractice(scene, .3, 5);
      practise(practice, 20000);
      return [1, 2].map((policy) => [[...learned(practice, policy, 0).soon],
        [...answerRow(scene, policy, 0, makeMemory()).soon]]); }""")
    for learned, exact in found:
        np.testing.assert_allclose(learned, exact, atol=1e-6)
    assert found[0][1][:4] == pytest.approx([1, 0.9, 0.9**5, 0.9**6])
