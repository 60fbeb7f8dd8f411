"""The escape: the page's agents against the library's, and the story on the page."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy_paper.experiments.escape import arena
from first_occupancy_paper.experiments.escape.agent import Learning, Rule, escape, explore
from looking import colours

SIZE = 25

AGENT = """
async ({ policies, variant, preference, plans, decay }) => {
  const { makeArena, arenaMoves } = await import('/engine/arena.js');
  const { escapeStep, explore } = await import('/engine/escape.js');
  const { makeLearner } = await import('/engine/learner.js');
  const { room, next } = arenaMoves(makeArena(), true);
  const learning = { entering: room.entering, stepSize: 0.05, decay };
  const learner = makeLearner(room.count, 8, learning);
  explore([learner], next, policies, room.goals[0]);
  const learned = learner.rows.reduce((sum, each) => sum + each, 0);
  const states = [room.start];
  let touched = false;
  for (let step = 0; step < 50 && states.at(-1) !== room.goals[0]; step++) {
    const state = states.at(-1), goal = room.goals[0];
    states.push(escapeStep(learner, next, { state, goal, plans, touched, variant, preference }));
    touched ||= states.at(-1) === state;
  }
  return { states, learned, after: learner.rows.reduce((sum, each) => sum + each, 0) };
}
"""


@pytest.mark.parametrize("variant", ["feeling", "printed", "new barrier"])
@pytest.mark.parametrize(("decay", "plans"), [(0.0, True), (1.0, False)])
def test_an_agent_learns_and_escapes_as_the_librarys(engine, variant, decay, plans):
    start, shelter = arena.ends(SIZE)
    moves = jnp.asarray(arena.next_states(SIZE, True))
    count, steps = moves.shape[1], 600
    reps = jnp.repeat(jnp.eye(count)[:, None, :], 8, axis=1)
    learning = Learning(0.99, 0.05, decay)
    reps, log = explore(
        reps, jax.random.key(3), moves, shelter, steps, 1, learning, most_steps=steps
    )
    learned = float(reps.sum())
    rule = Rule(
        settles=jnp.array(variant == "new barrier"),
        feels=jnp.array(variant == "feeling"),
        preference=jnp.asarray(arena.moves_by_preference(1)),
    )
    reps, trial = escape(reps, moves, start, shelter, rule, learning, plans=plans, max_steps=50)
    found = engine(
        AGENT,
        {
            "policies": np.asarray(log.policies).tolist(),
            "variant": variant,
            "preference": arena.moves_by_preference(1),
            "plans": plans,
            "decay": decay,
        },
    )
    assert found["learned"] == pytest.approx(learned, rel=1e-12)
    assert found["states"] == [state for state in trial.states.tolist() if state >= 0]
    assert found["after"] == pytest.approx(float(reps.sum()), rel=1e-12)


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
