"""The five sentences of the guide, and what each shows."""

import re

from looking import settled, state


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
    page.wait_for_function("lab.state.switches === null", timeout=20000)
    assert "3 legs with 2 switches, 16 steps" in page.inner_text("#readout")
    page.click("#guide-next")
    page.click("#guide-show")
    page.wait_for_function("document.getElementById('row-reading').innerText.startsWith('Leg 1')")
    page.click("#guide-next")
    page.click("#guide-show")
    settled(page)
    assert state(page, "scene.noise") == 0.2
    assert re.search("promises a discount of [0-9.]+ on average", page.inner_text("#readout"))
    assert "Choosing anew in every cell brings 0.36" in page.inner_text("#readout")
    assert page.input_value("#preset") == "FourRooms"  # noise does not make it another maze
