"""The page by keyboard and by touch, on phones, in the dark, and with its largest maze."""

import json

import pytest

from looking import centre_of, drawing, settled, state


def test_start_and_goals_can_be_told_apart_in_the_largest_maze(page):
    page.select_option("#preset", "Great hall")
    settled(page)
    page.evaluate(
        """() => {
        window.written = [];
        CanvasRenderingContext2D.prototype.fillText = function (text) {
          if (this.canvas.id === 'board') written.push([text, parseFloat(this.font.slice(4))]);
        };
        dispatchEvent(new Event('resize')); }"""
    )
    settled(page)
    sizes = dict(page.evaluate("written"))
    assert {"S", "G"} <= set(sizes)
    assert min(sizes.values()) >= 8


def test_the_keyboard_can_do_it_all(page):
    page.keyboard.press("k")
    page.wait_for_function("() => lab.state.switches === null && lab.state.plan.mostSwitches === 3")
    page.focus("#board")
    for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    settled(page)
    assert page.locator("#legend").is_visible()
    assert state(page, "cursor") == state(page, "from") == 7 * 11 + 2
    assert page.inner_text("#cursor-reading").startswith("(7, 2): free, plan: ")
    page.keyboard.press("Enter")
    assert state(page, "pinned")
    page.keyboard.press("Enter")
    assert not state(page, "pinned")
    page.keyboard.press("Space")
    settled(page)
    assert drawing(page)[7][2] == "#"
    assert page.inner_text("#cursor-reading") == "(7, 2): wall"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("s")
    assert page.inner_text("#cursor-reading").startswith("(6, 2): start")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("g")
    settled(page)
    assert drawing(page)[6][:5] == "#.SG."
    page.keyboard.press("[")
    settled(page)
    assert state(page, "switches") == state(page, "plan.mostSwitches") - 1
    page.press("#download", "Enter")
    assert page.locator("#downloads").is_visible()
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.locator("#downloads").is_hidden()
    assert page.evaluate("document.activeElement.id") == "help"
    page.keyboard.press("?")
    assert page.locator("#keys").evaluate("dialog => dialog.open")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_nothing_sticks_out_on_a_phone_or_in_the_dark(opened, width, scheme):
    page = opened(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    for view in ("plan", "learn", "escape"):
        page.click(f"#show-{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(json.loads(f"[{background[4:-1]}]")) < 200) == (scheme == "dark")


PHONE = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True}


def test_a_touch_pins_a_cell_and_draws_only_with_a_tool(opened):
    page = opened(**PHONE)
    before = drawing(page)
    page.touchscreen.tap(*centre_of(page, 2 * 11 + 3))
    settled(page)
    assert (state(page, "from"), state(page, "pinned")) == (2 * 11 + 3, True)
    assert drawing(page) == before
    page.locator("#fr-map").scroll_into_view_if_needed()
    page.touchscreen.tap(*centre_of(page, 1 * 11 + 3, "fr-map"))
    settled(page)
    assert "From (2, 3) to (1, 3)" in page.inner_text("#row-reading")
    page.locator("#board").scroll_into_view_if_needed()
    page.tap("button[data-tool=walls]")
    page.touchscreen.tap(*centre_of(page, 2 * 11 + 3))
    settled(page)
    assert state(page, f"scene.walls[{2 * 11 + 3}]") == 1
    # The cell that was looked at is a wall now: the maps show another one, not nothing.
    assert (state(page, "from"), state(page, "pinned")) == (9 * 11 + 1, False)
    assert sum(value > 0 for value in state(page, "row.soon")) > 1


def test_on_a_phone_the_maps_follow_the_board_and_steps_are_in_order(opened):
    page = opened(**PHONE)
    top = {
        name: page.locator(name).bounding_box()["y"]
        for name in ("#board", "#fr-map", "#switches", "#play", "#vi-map", "#noise")
    }
    assert list(top.values()) == sorted(top.values())
    between = page.locator("#fr-map").bounding_box()["y"] - sum(
        page.locator("#board").bounding_box()[side] for side in ("y", "height")
    )
    assert between < 300
    steps = page.locator("h2 b, .switches b").all()
    order = sorted(steps, key=lambda step: step.bounding_box()["y"])
    assert [step.inner_text() for step in order] == ["1", "2", "3"]


def test_a_finger_that_looks_can_scroll_and_one_that_draws_cannot(opened):
    page = opened(**PHONE)
    action = "board => getComputedStyle(board).touchAction"
    assert "pan-y" in page.locator("#board").evaluate(action)
    page.tap("button[data-tool=walls]")
    assert page.locator("#board").evaluate(action) == "none"


def test_pressed_buttons_can_be_told_in_high_contrast(opened):
    page = opened(forced_colors="active")
    colour = "button => getComputedStyle(button).backgroundColor"
    for one, other in (
        ("#show-plan", "#show-escape"),
        ("button[data-tool=look]", "button[data-tool=goals]"),
        ("#policies button:first-child", "#policies button:last-child"),
    ):
        assert page.locator(one).evaluate(colour) != page.locator(other).evaluate(colour)
