"""The escape: the story on the page. Its agents: `reproduction/tests/web`."""

import re

from looking import colours


def finish(page):
    page.locator("#speed").evaluate("slider => { slider.value = 4; }")
    page.wait_for_selector("body[data-escape=done]", timeout=60000)


def test_the_escape_goes_round_the_barrier(page):
    page.click("#show-escape")
    page.wait_for_selector("#phases li:first-child[aria-current]", timeout=60000)
    page.click("#escape-pause")
    page.wait_for_timeout(200)  # until the moment that was being shown is over
    before = page.inner_html("#escape-view")
    page.wait_for_timeout(400)
    assert page.inner_html("#escape-view") == before
    page.click("#escape-pause")
    finish(page)
    fr = page.locator("#escape-results tr:nth-child(2) td").all_inner_texts()
    assert re.fullmatch(r"home in \d+ steps, [1-9]\d* bumps?", fr[0])
    assert re.fullmatch(r"home in \d+ steps, 0 bumps", fr[1])
    assert colours(page, "fr-arena") > colours(page, "sr-arena")
    # What was seen can be shared, and the plan is still there.
    assert page.url.endswith("#v=1&escape=feeling&steps=200&seed=1")
    page.evaluate("location.hash = 'v=1&escape=printed&steps=100&seed=7'")
    page.wait_for_selector("body[data-escape=running]")
    assert (page.input_value("#variant"), page.input_value("#episode")) == ("printed", "100")
    page.click("#show-plan")
    assert "#v=1&size=11x11" in page.url


def test_another_agent_clears_the_old_ones_result(page):
    page.click("#show-escape")
    finish(page)
    assert page.locator("#escape-results").is_visible()
    page.locator("#speed").evaluate("slider => { slider.value = 0; }")
    page.select_option("#variant", "printed")
    assert page.locator("#escape-results").is_hidden()
    assert page.inner_text("#fr-steps") == ""
    assert page.get_attribute("body", "data-escape") == "running"


def test_several_seeds_give_a_success_rate(page):
    page.click("#show-escape")
    page.click("#escape-many")
    page.wait_for_selector("body[data-rates=done]", timeout=120000)
    cells = page.locator("#escape-rates td").all_inner_texts()
    assert all(re.fullmatch(r"home in \d+ of 20, \d+\.\d bumps on average", cell) for cell in cells)
    home = [int(cell.split()[2]) for cell in cells]
    assert home[1] > home[3]  # in the second escape, the FR agent over the SR agent
    page.select_option("#variant", "printed")
    assert page.locator("#escape-rates").is_hidden()
