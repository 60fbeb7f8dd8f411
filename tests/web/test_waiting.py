"""What the page does before the server has answered, and when it does not."""

import pytest

from looking import centre_of, settled, slide, state

DOOR = 2 * 11 + 5


@pytest.fixture
def page(browser, address):
    """Open the lab as elsewhere, but what the network says to the console is no trouble."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    trouble = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(address)
    page.evaluate("lab.ready.then(() => lab.settled())")
    yield page
    context.close()
    assert not trouble


def hold_plans(page):
    """Return the questions for plans from now on, none of them answered."""
    held = []
    page.route("**/api/plan", lambda route: held.append(route))
    return held


def let_go(page, held):
    held[-1].continue_()
    settled(page)


def answer_once(page, answer):
    """Answer the next question for a plan otherwise."""
    answers = iter([answer])
    page.route("**/api/plan", lambda route: next(answers, lambda each: each.continue_())(route))


def test_a_question_that_broke_off_is_asked_again_although_the_server_is_there(page):
    answer_once(page, lambda route: route.abort())
    page.mouse.click(*centre_of(page, DOOR))
    page.wait_for_selector("#status:not([hidden])")
    assert state(page, f"plan.plans[0].policy[{DOOR}]") >= 0
    page.wait_for_selector("#status", state="hidden")
    settled(page)
    assert state(page, f"plan.plans[0].policy[{DOOR}]") == -1


def test_a_question_stopped_by_an_older_one_is_asked_again(page):
    refusal = {"detail": "The same page has asked anew since."}
    answer_once(page, lambda route: route.fulfill(status=409, json=refusal))
    slide(page, "switches", 0)
    assert state(page, "plan.tour_discount") is None
    assert page.inner_text("#readout").startswith("No switch (GPI)")


def test_nobody_walks_on_by_a_plan_that_is_no_longer_true(page):
    held = hold_plans(page)
    page.mouse.click(*centre_of(page, DOOR))
    page.keyboard.press("p")
    assert page.evaluate("lab.state.agent.moving")
    let_go(page, held)
    assert state(page, "agent") is None


def test_what_is_said_of_an_older_scene_fades_while_a_plan_is_long_in_coming(page):
    held = hold_plans(page)
    page.select_option("#preset", "Two rooms")
    page.wait_for_selector("body[data-waiting]")
    assert "16 steps" in page.inner_text("#readout")
    assert page.locator("#readout").evaluate("said => getComputedStyle(said).opacity") < "0.5"
    let_go(page, held)
    assert "12 steps" in page.inner_text("#readout")
    assert page.locator("#readout").evaluate("said => getComputedStyle(said).opacity") == "1"


def test_drawn_policies_can_be_changed_and_undone_before_the_first_plan(page):
    page.click("[data-skills=drawn]")
    settled(page)
    held = hold_plans(page)
    page.fill("#rows", "12")
    page.press("#rows", "Enter")
    assert state(page, "policy") is None
    page.select_option("#usual", "left")
    assert state(page, "scene.drawn[0].usual") == "left"
    page.keyboard.press("Control+z")
    assert state(page, "policy") is None
    let_go(page, held)
    assert state(page, "policy") == 0


def test_an_escape_that_breaks_off_says_what_to_do(page):
    page.route("**/api/escape", lambda route: route.abort())
    page.click("#show-escape")
    page.wait_for_selector("body[data-escape=broken]")
    said = page.inner_text("#escape-reading")
    assert said.endswith("there is no answer. Is the lab still running? Run begins again.")
    page.unroute("**/api/escape")
    page.click("#escape-run")
    page.wait_for_selector("#phases li:first-child[aria-current=step]", timeout=60000)


def test_a_page_whose_beginning_got_no_answer_begins_again(page):
    answers = iter([lambda route: route.abort()])
    page.route("**/api/presets", lambda route: next(answers, lambda each: each.continue_())(route))
    page.reload()
    page.wait_for_selector("#status:not([hidden])")
    page.wait_for_selector("#legs li")
    assert page.locator("#preset option").count() > 5
