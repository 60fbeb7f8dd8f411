"""The picture on the first page shows what happens: its numbers are those of the FRs."""

import importlib.util
import io
import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import first_occupancy as fo

DOCS = Path(__file__).parent.parent / "docs"
README = (DOCS.parent / "README.md").read_text(encoding="utf-8")
MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
DOORS = {(2, 5), (8, 5), (5, 1), (5, 7)}


@pytest.fixture(scope="module")
def drawing():
    """Return the program that draws it."""
    spec = importlib.util.spec_from_file_location("draw_plan", DOCS / "draw_plan.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def legs(drawing):
    return drawing.stretches()


def is_free(row, column):
    return (row, column) in DOORS or (0 < row < 10 and 0 < column < 10 and 5 not in (row, column))


def visits(leg):
    """Return the discounts at which a walk of the leg's skill is in the leg's last cell."""
    place, found = leg.cells[0], []
    for step in range(2_000):
        if place == leg.cells[-1]:
            found.append(0.95**step)
        ahead = tuple(np.add(place, MOVES[leg.skill]).tolist())
        place = ahead if is_free(*ahead) else place
    return found


def test_each_leg_follows_one_skill_from_the_start_to_the_goal(legs):
    assert legs[0].cells[0] == (9, 1)
    assert legs[-1].cells[-1] == (1, 9)
    assert all(one.cells[-1] == other.cells[0] for one, other in itertools.pairwise(legs))
    for leg in legs:
        assert all(is_free(*cell) for cell in leg.cells)
        steps = np.diff(leg.cells, axis=0)
        assert (steps == MOVES[leg.skill]).all()


def test_factors_are_the_first_visit_and_all_visits_of_a_simulated_walk(legs):
    for leg in legs:
        assert leg.fr == pytest.approx(visits(leg)[0], rel=1e-5)
        assert leg.sr == pytest.approx(sum(visits(leg)), rel=1e-5)


def test_the_product_is_the_plans_discount(drawing, legs):
    world = fo.four_rooms()
    plan = fo.plan(world, goal=(1, 9), discount=0.95)
    product = drawing.product([leg.fr for leg in legs])
    assert product == pytest.approx(float(plan.expected_discount[world.start]), rel=1e-5)
    assert product == pytest.approx(0.95**16, rel=1e-5)


def test_the_still_and_the_first_page_show_these_numbers(drawing, legs):
    written = drawing.Picture(legs, 16, over=True).texts()
    factors = [f"{leg.fr:.2f}" for leg in legs]
    assert factors == ["0.70", "0.66", "0.95"]
    assert all(written.count(factor) >= 2 for factor in factors)  # on the leg and in the product
    assert "0.44" in written
    product = " × ".join(factors) + " = 0.44"
    visited = "0.70 × 13.3 × 19.0 = 176"
    assert all(text in written for text in visited.replace("×", "").replace("=", "").split())
    assert [f"{leg.sr:.1f}" for leg in legs] == ["0.7", "13.3", "19.0"]
    assert drawing.product([leg.sr for leg in legs]) == pytest.approx(176, abs=0.5)
    for page in (README, (DOCS / "index.md").read_text(encoding="utf-8")):
        assert product in page
        assert visited in page


def test_while_the_agent_walks_the_factor_of_its_leg_is_the_discount_so_far(drawing, legs):
    assert f"{0.95**3:.2f}" in drawing.Picture(legs, 3).texts()
    on_second = drawing.Picture(legs, 10).texts()
    assert "0.70" in on_second
    assert f"{0.95**3:.2f}" in on_second
    assert "0.44" not in on_second


def test_the_kept_pictures_are_what_is_drawn_and_small(drawing, legs):
    """If not, `python docs/draw_plan.py` draws them again."""
    fresh = drawing.Picture(legs, 16, over=True).pixels().astype(float)
    file = (DOCS / "pictures" / "plan.gif").read_bytes()
    assert len(file) < 500_000
    film = Image.open(io.BytesIO(file))
    assert film.n_frames == 18
    film.seek(film.n_frames - 1)
    for kept in (Image.open(DOCS / "pictures" / "plan.png"), film):
        assert np.abs(np.asarray(kept.convert("RGB")) - fresh).mean() < 2
