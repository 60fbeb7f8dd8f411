"""Links, files and undoing in a real Chromium: nothing that was drawn is lost."""

import subprocess
import sys

import pytest

import first_occupancy as fo
from first_occupancy.web import single_file
from looking import centre_of, download, drawing, settled, slide, state, type_in


def test_a_shared_link_holds_the_whole_scene(page, address):
    page.click("[data-skills=drawn]")
    page.mouse.wheel(0, -2000)
    page.click("button[data-tool=walls]")
    page.mouse.click(*centre_of(page, 3 * 11 + 3))
    slide(page, "discount", 70)
    slide(page, "switches", 1)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share")
    page.wait_for_selector("#toast:not([hidden])")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(address + "/#v=1&size=11x11")
    before = page.evaluate("import('./scene.js').then((s) => s.toText(lab.state.scene))")
    other = page.context.new_page()
    other.goto(link)
    other.evaluate("lab.ready.then(() => lab.settled())")
    after = other.evaluate("import('./scene.js').then((s) => s.toText(lab.state.scene))")
    assert after == before
    assert state(other, "switches") == 1
    assert state(other, "plan.worth") == state(page, "plan.worth")


def test_changes_can_be_undone_and_presets_chosen_again(page):
    page.click("button[data-tool=walls]")
    before = drawing(page)
    page.mouse.click(*centre_of(page, 2 * 11 + 5))
    settled(page)
    after = drawing(page)
    assert page.input_value("#preset") == ""  # no longer the preset
    page.click("#undo")
    settled(page)
    assert drawing(page) == before
    assert page.input_value("#preset") == "FourRooms"
    assert page.locator("#undo").is_disabled()
    page.click("#redo")
    settled(page)
    assert drawing(page) == after
    assert page.locator("#redo").is_disabled()
    page.keyboard.press("Control+z")
    settled(page)
    assert drawing(page) == before
    for keys, shown in (
        ("Control+Shift+Z", after),
        ("Control+y", after),  # nothing more to do again
        ("Control+z", before),
        ("Control+y", after),
    ):
        page.keyboard.press(keys)
        assert drawing(page) == shown
    page.click("#clear")
    page.select_option("#preset", "FourRooms")
    settled(page)
    assert drawing(page) == before


def test_a_broken_link_says_so_and_opens_something(page, address):
    other = page.context.new_page()
    other.goto(address + "/#v=1&size=99x99&walls=zz")
    other.evaluate("lab.ready.then(() => lab.settled())")
    assert other.inner_text("#toast") == "This link does not hold a scene; here is another one."
    assert state(other, "scene.rows") == 11


def test_neither_the_skip_link_nor_a_broken_one_loses_the_scene(page):
    page.click("#clear")
    page.wait_for_timeout(500)  # until the link is written
    link = page.url
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "board"
    assert page.locator("#toast").is_hidden()
    assert page.url == link
    page.evaluate("location.hash = 'v=1&size=99x99'")
    page.wait_for_selector("#toast:not([hidden])")
    assert page.inner_text("#toast") == "This link does not hold a scene; yours is still here."
    assert page.url == link
    page.click("#show-escape")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "variant"


def test_the_maze_file_is_what_the_library_reads(page, tmp_path):
    world = fo.maze(download(page, "maze", tmp_path).read_text())
    assert (world.num_states, world.cell(world.start), len(world.goals)) == (68, (9, 1), 1)


def test_figures_show_the_plan(page, tmp_path):
    slide(page, "switches", 3)
    svg = download(page, "svg", tmp_path).read_text()
    assert svg.startswith("<svg xmlns=")
    assert svg.count("<polyline") > 6
    assert ">S</text>" in svg
    png = download(page, "png", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5000


def test_there_is_no_script_without_a_plan(page):
    slide(page, "switches", 0)
    page.click("#download")
    page.click("[data-export=script]")
    page.wait_for_selector("#toast:not([hidden])")
    assert page.inner_text("#toast").startswith("There is no plan from S to the goal")


@pytest.mark.parametrize(("chance", "corners"), [(0, None), (0.1, None), (0, "strict")])
def test_the_script_makes_the_same_plan(page, tmp_path, chance, corners):
    if corners:
        page.click("[data-skills='8']")
        page.select_option("#corners", corners)
    slide(page, "noise", chance)
    slide(page, "switches", 2)
    path = download(page, "script", tmp_path)
    said = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout
    *legs, last = said.splitlines()
    assert float(last.split()[-1]) == pytest.approx(state(page, "plan.tourDiscount"), rel=1e-5)
    shown = state(page, "plan.plans[0].legs")
    assert [line.split(" until ")[1] for line in legs] == [
        str(divmod(leg["subgoal"], 11)) for leg in shown
    ]


def test_a_resize_forgets_cells_that_are_gone(page):
    page.focus("#board")
    page.keyboard.press("ArrowDown")
    page.mouse.click(*centre_of(page, 9 * 11 + 9))
    type_in(page, "rows", "6")
    page.press("#rows", "Enter")
    settled(page)
    assert (page.inner_text("#cursor-reading"), state(page, "pinned")) == ("", False)
    assert state(page, "from") < 6 * 11


def test_a_saved_page_opens_from_disk_and_opens_the_same_links(page, opened, tmp_path):
    path = tmp_path / "lab.html"
    path.write_text(single_file.page(), "utf-8")
    slide(page, "noise", 0.1)
    slide(page, "switches", 9)
    page.click("#share")
    link = page.url.partition("#")[2]
    saved = opened(f"file://{path}#{link}")
    assert state(saved, "plan.worth") == state(page, "plan.worth")
    assert state(saved, "plan.plans[0].legs") == state(page, "plan.plans[0].legs")
