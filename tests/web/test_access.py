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
    assert set(sizes) == {"S", "1", "2"}
    assert min(sizes.values()) >= 8


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
    assert state(page, "switches") == state(page, "plan.most_switches") - 1
    page.press("#download", "Enter")
    assert page.locator("#downloads").is_visible()
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.locator("#downloads").is_hidden()
    assert page.evaluate("document.activeElement.id") == "help"
    page.keyboard.press("?")
    assert page.locator("#keys").evaluate("dialog => dialog.open")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_nothing_sticks_out_on_a_phone_or_in_the_dark(browser, address, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.evaluate("lab.ready.then(() => lab.settled())")
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    for view in ("plan", "escape"):
        page.click(f"#show-{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(json.loads(f"[{background[4:-1]}]")) < 200) == (scheme == "dark")
    context.close()


def test_a_touch_looks_at_a_cell(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(address)
    page.evaluate("lab.ready.then(() => lab.settled())")
    before = drawing(page)
    page.touchscreen.tap(*centre_of(page, 2 * 11 + 3))
    settled(page)
    assert state(page, "from") == 2 * 11 + 3
    assert drawing(page) == before
    page.locator("#fr-map").scroll_into_view_if_needed()
    page.touchscreen.tap(*centre_of(page, 1 * 11 + 3, "fr-map"))
    settled(page)
    assert "From (2, 3) to (1, 3)" in page.inner_text("#row-reading")
    page.locator("#board").scroll_into_view_if_needed()
    page.tap("[data-tool=walls]")
    page.touchscreen.tap(*centre_of(page, 2 * 11 + 3))
    assert state(page, f"scene.walls[{2 * 11 + 3}]") == 1
    context.close()


def test_pressed_buttons_can_be_told_in_high_contrast(browser, address):
    context = browser.new_context(forced_colors="active")
    page = context.new_page()
    page.goto(address)
    page.evaluate("lab.ready.then(() => lab.settled())")
    colour = "button => getComputedStyle(button).backgroundColor"
    for one, other in (
        ("#show-plan", "#show-escape"),
        ("[data-tool=walls]", "[data-tool=goals]"),
        ("#policies button:first-child", "#policies button:last-child"),
    ):
        assert page.locator(one).evaluate(colour) != page.locator(other).evaluate(colour)
    context.close()
