"""The sentences of the guide, what each shows and where, and words that newcomers ask for."""

import re

import pytest

from looking import settled, slide, state

IDEAS = ("Strong green is soon", "counts visits", "GPI", "K = 2", "multiply", "average")
"""One idea for each sentence, by words that a newcomer looks for."""


def test_each_sentence_has_one_idea_and_is_short(page):
    said = [page.inner_text("#guide-text")]
    for _ in IDEAS[1:]:
        page.click("#guide-next")
        said.append(page.inner_text("#guide-text"))
    assert page.inner_text("#guide-place") == f"{len(IDEAS)} of {len(IDEAS)}"
    assert page.locator("#guide-next").is_disabled()
    for place, (sentence, idea) in enumerate(zip(said, IDEAS, strict=True)):
        assert [other for other in IDEAS if other in sentence] == [idea], place
        assert len(sentence) < 180
    # The first one names one representation, and no letters for numbers.
    assert re.findall(r"\b(?:FR|SR|GPI|[FKM]|γ)\b", said[0]) == ["FR"]
    page.click("#guide-close")
    assert page.locator("#guide").is_hidden()


def show(page, number):
    """Go to a sentence of the guide, counted from 0, and let it show what it says."""
    for _ in range(number - int(page.inner_text("#guide-place").split()[0]) + 1):
        page.click("#guide-next")
    page.click("#guide-show")
    if number == 3:
        page.wait_for_function("() => lab.state.switches === 2", timeout=20000)
    settled(page)
    page.wait_for_timeout(200)  # what is shown is brought into view once more when it is there


def test_each_sentence_shows_what_it_says(page):
    show(page, 2)
    assert state(page, "switches") == 0
    show(page, 3)
    assert page.inner_text("#readout").startswith("At most 2 switches: 3 legs, 16 steps")
    page.wait_for_timeout(1200)
    assert (state(page, "switches"), page.inner_text("#plan-it")) == (2, "Plan")  # no further
    show(page, 4)
    page.wait_for_function(
        "() => document.getElementById('row-reading').innerText.startsWith('Leg 1')"
    )
    show(page, 5)
    assert state(page, "scene.noise") == 0.2
    assert re.search("promises a discount of [0-9.]+ on average", page.inner_text("#readout"))
    assert "Choosing again in every cell gives 0.36" in page.inner_text("#readout")
    assert page.input_value("#preset") == "FourRooms"  # noise does not make it another maze


SCREENS = [(390, 844), (768, 1024), (1280, 800)]
PLACES = (
    ("fr-map",),
    ("fr-map", "sr-map"),
    ("switches", "readout"),
    ("switches", "switches-value", "plan-it", "readout"),
    ("legs", "product"),
    ("readout", "play"),
)
"""For each sentence, the controls and places that show what it is about."""

WORDS = ("readout", "legs", "product", "switches-value", "row-reading")

SEEN = """
id => {
  const part = document.getElementById(id), box = part.getBoundingClientRect();
  const { left, top, right, bottom } = box, corner = 8; // rounded
  const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  const points = [];
  for (const x of [left + corner, (left + right) / 2, right - corner]) {
    for (const y of [top + corner, (top + bottom) / 2, bottom - corner]) points.push([x, y]);
  }
  const covered = points.filter((point) => {
    const there = document.elementFromPoint(...point);
    return !part.contains(there);
  });
  return inside && right > left && bottom > top && !covered.length;
}
"""
"""Whether all of an element is on the screen, and nothing lies over it."""


def words(page):
    return {name: page.inner_text(f"#{name}") for name in WORDS}


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_guide_board_and_change_are_on_the_screen_together(opened, screen):
    width, height = screen
    touch = {"has_touch": True, "is_mobile": True} if width == 390 else {}
    page = opened(viewport={"width": width, "height": height}, **touch)
    for number, places in enumerate(PLACES):
        if number:
            page.click("#guide-next")
        assert page.evaluate(SEEN, "guide"), (number, "before it is shown")
        before = words(page)
        show(page, number)
        for part in ("guide", "board", *places):
            assert page.evaluate(SEEN, part), (number, part)
        changed = {name for name in WORDS if words(page)[name] != before[name]}
        assert number not in (3, 5) or changed & set(places), number
    page.click("#play")
    page.wait_for_selector("body[data-agent=arrived]", timeout=60000)
    settled(page)
    for part in ("guide", "board", "readout"):
        assert page.evaluate(SEEN, part), part


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_the_guide_and_the_board_stay_while_one_scrolls(opened, screen):
    width, height = screen
    page = opened(viewport={"width": width, "height": height})
    for part in ("maps", "switching", "worth", "noise"):
        page.locator(f"#{part}").evaluate("part => part.scrollIntoView({ block: 'nearest' })")
        settled(page)
        for seen in ("guide", "board", part):
            assert page.evaluate(SEEN, seen), (part, seen)
    page.click("#guide-close")
    settled(page)
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.stage')).position") == "relative"
    )


@pytest.mark.parametrize("view", ["plan", "learn", "escape"])
def test_abbreviations_are_spelled_out_where_they_first_appear(page, view):
    if view != "plan":
        page.click(f"#show-{view}")
        page.wait_for_function(f"() => !document.getElementById('{view}-view').hidden")
        settled(page)
    for closed in (False, True):
        said = page.inner_text(f"#{view}-view")
        for short, long in (
            ("FR", "first-occupancy representation"),
            ("SR", "successor representation"),
            ("GPI", "generalised policy improvement"),
        ):
            first = re.search(rf"\b{short}s?\b", said)
            assert first is None or long in said[: first.end()], (short, closed)
        if view == "plan" and not closed:
            page.click("#guide-close")


def test_noise_and_refinement_are_explained_where_they_are_read(page):
    assert page.locator("#noise-means").is_visible()
    assert "chance that a random move replaces" in page.inner_text("#noise-means")
    assert "Refined:" not in page.inner_text("#worth")
    slide(page, "noise", 0.2)
    slide(page, "switches", 9)
    assert "… refined once" in page.inner_text("#worth")
    assert "Refined: every cell takes the policy" in page.inner_text("#worth")


def test_all_legs_of_a_plan_are_in_view(page):
    slide(page, "noise", 0.2)
    slide(page, "switches", 9)
    assert page.locator("#legs li").count() == 6
    assert page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(legs)")


def test_green_is_how_soon_and_no_buttons_colour(page):
    assert "Green: how soon the plan gets to the goal" in page.inner_text("#legend")
    colour = "element => getComputedStyle(element)"
    green = page.locator("figcaption .fr").first.evaluate(f"{colour}.color")
    for button in page.locator("button.primary, h2 b, .switches b").all():
        assert button.evaluate(f"{colour}.backgroundColor") != green
