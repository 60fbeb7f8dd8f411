"""The five sentences of the guide, what each shows, and words that newcomers ask for."""

import re

import pytest

from looking import settled, slide, state


def test_the_five_sentences_say_what_a_newcomer_asks(page):
    said = [page.inner_text("#guide-text")]
    for _ in range(4):
        page.click("#guide-next")
        said.append(page.inner_text("#guide-text"))
    assert page.inner_text("#guide-place") == "5 of 5"
    assert page.locator("#guide-next").is_disabled()
    for sentence, word in zip(
        said, ("strong green is soon", "GPI", "K = 2", "multiply", "average"), strict=True
    ):
        assert word in sentence
    page.click("#guide-close")
    assert page.locator("#guide").is_hidden()


def test_each_sentence_shows_what_it_says(page):
    page.click("#guide-next")
    page.click("#guide-show")
    settled(page)
    assert state(page, "switches") == 0
    page.click("#guide-next")
    page.click("#guide-show")
    page.wait_for_function("() => lab.state.switches === 2", timeout=20000)
    settled(page)
    assert page.inner_text("#readout").startswith("At most 2 switches: 3 legs, 16 steps")
    page.wait_for_timeout(1200)
    assert (state(page, "switches"), page.inner_text("#plan-it")) == (2, "Plan")  # no further
    page.click("#guide-next")
    page.click("#guide-show")
    page.wait_for_function(
        "() => document.getElementById('row-reading').innerText.startsWith('Leg 1')"
    )
    page.click("#guide-next")
    page.click("#guide-show")
    settled(page)
    assert state(page, "scene.noise") == 0.2
    assert re.search("promises a discount of [0-9.]+ on average", page.inner_text("#readout"))
    assert "Choosing again in every cell gives 0.36" in page.inner_text("#readout")
    assert page.input_value("#preset") == "FourRooms"  # noise does not make it another maze


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
    assert "Green: how soon the plan comes from a cell to the goal" in page.inner_text("#legend")
    colour = "element => getComputedStyle(element)"
    green = page.locator("figcaption .fr").first.evaluate(f"{colour}.color")
    for button in page.locator("button.primary, h2 b, .switches b").all():
        assert button.evaluate(f"{colour}.backgroundColor") != green
