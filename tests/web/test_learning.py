"""FRs learned live on the drawn maze."""

import numpy as np

from looking import centre_of, settled, state

LEARNED = """
async () => {
  const { PRESETS } = await import('/presets.js');
  const { fromText } = await import('/scene.js');
  const { beginPractice, practise, learned } = await import('/engine/practice.js');
  const { answerRow } = await import('/engine/answers.js');
  const { makeMemory } = await import('/engine/memory.js');
  const scene = fromText(PRESETS[1].scene), errors = [];
  const practice = beginPractice(scene, 0.3, 5);
  const { soon } = answerRow(scene, 0, scene.start, makeMemory());
  for (let i = 0; i < 4; i++) {
    const found = learned(practice, 0, scene.start);
    errors.push(Math.max(...found.soon.map((value, cell) => Math.abs(value - soon[cell]))));
    practise(practice, 2000);
  }
  return { errors, share: learned(practice, 0, scene.start).share };
}
"""


def test_what_is_learned_comes_close_to_the_exact_fr(engine):
    found = engine(LEARNED)
    assert found["errors"] == sorted(found["errors"], reverse=True)
    assert found["errors"][-1] < 1e-6
    assert found["share"] == 1


def test_the_page_learns_pauses_and_starts_again(page):
    page.click("#show-learn")
    page.click("#learn-run")
    page.wait_for_function(
        "() => parseInt(document.getElementById('learn-reading').innerText.replace(',', '')) > 500"
    )
    page.click("#learn-run")
    settled(page)
    assert page.inner_text("#learn-run") == "Go on"
    said = page.inner_text("#learn-reading")
    page.wait_for_timeout(300)
    assert page.inner_text("#learn-reading") == said
    page.click("#learn-again")
    page.wait_for_function(
        "() => document.getElementById('learn-reading').innerText.startsWith('0 ')"
    )
    page.click("#show-plan")
    page.mouse.click(*centre_of(page, 8 * 11 + 2))
    page.click("#show-learn")
    page.wait_for_function(
        "() => document.getElementById('learn-reading').innerText.includes('(8, 2)')"
    )
    assert np.isclose(state(page, "row.soon[90]"), 1)


def test_a_maze_too_large_for_a_table_says_so(page):
    page.select_option("#preset", "Big maze")
    settled(page)
    page.click("#show-learn")
    assert "up to 1,024 cells" in page.inner_text("#learn-reading")
    assert page.locator("#learn-run").is_disabled()
