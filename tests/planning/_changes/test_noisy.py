"""Values of noisy mazes that change, against exact values and plans made afresh."""

import numpy as np
import pytest

import first_occupancy as fo

RNG = np.random.default_rng(3)
DRAWING = ["".join(row) for row in np.where(RNG.random((12, 14)) < 0.2, "#", ".")]
GOAL, TOLERANCE = 9, 1e-6


def changed(planner, rng):
    """Close two cells, or open all."""
    free = np.setdiff1d(np.arange(planner.world.num_states), [GOAL])
    if rng.random() < 0.3:
        planner.change(open=free.tolist())
    planner.change(close=rng.choice(free, 2, replace=False).tolist())


@pytest.mark.parametrize("discount", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("noise", [0.1, 0.5, 1.0])
def test_after_every_change_values_are_bounds_of_what_is_best(discount, noise):
    rng = np.random.default_rng(6)
    planner = fo.Planner(fo.maze(DRAWING, noise=noise), discount=discount, dense_up_to=0)
    planner.change()
    planner.plan(GOAL, tolerance=TOLERANCE)
    for _ in range(12):
        changed(planner, rng)
        plan, draft = planner._drafted(GOAL, tolerance=TOLERANCE)
        best, fresh = (
            fo.Planner(planner.world, discount=discount, dense_up_to=0)._drafted(GOAL, **options)
            for options in ({}, {"tolerance": TOLERANCE})
        )
        lower, exact = np.asarray(draft.achieved, np.float64), best[1].achieved
        rounding = 1e-6 * exact + 1e-30  # of JAX's single precision
        assert (lower <= exact + rounding).all()
        assert (exact <= lower + plan.gap + rounding).all()
        assert plan.gap <= TOLERANCE
        if planner.touched is not None:
            assert (plan.engine, plan.known) == ("sparse", "lower bound")
            # Also where values are small, they are accurate.
            np.testing.assert_allclose(lower[exact > 1e-20], exact[exact > 1e-20], rtol=1e-3)
        promised = np.asarray(fresh[0].log_promised)
        np.testing.assert_allclose(np.asarray(plan.log_promised), promised, rtol=1e-5)
        followed = planner._dynamics.followed(np.asarray(plan.policy), np.array([GOAL]))[0]
        assert (lower <= followed + rounding).all()


def test_few_states_are_updated_and_cut_off_ones_are_planned_afresh():
    planner = fo.Planner(fo.maze([".." * 30, "##" * 29 + "..", ".." * 30], noise=0.1), discount=0.9,
                         dense_up_to=0)  # fmt: skip
    planner.change()
    first = planner.plan(0, tolerance=TOLERANCE)
    assert planner.touched is None
    planner.change(close=62)
    planner.plan(0, tolerance=TOLERANCE)
    planner.change(open=62)
    planner.plan(0, tolerance=TOLERANCE)
    assert planner.touched < 20
    planner.change(close=100)
    cut = planner.plan(0, tolerance=TOLERANCE)
    assert planner.touched is None
    assert first.expected_discount[80] > 0 == cut.expected_discount[80]


def test_without_a_tolerance_plans_are_made_afresh():
    planner = fo.Planner(fo.maze(DRAWING, noise=0.2), discount=0.9, dense_up_to=0)
    for cell in (20, 40):
        planner.change(close=cell)
        plan = planner.plan(GOAL)
        fresh = fo.Planner(planner.world, discount=0.9, dense_up_to=0).plan(GOAL)
        assert planner.touched is None
        assert plan.policy.tolist() == fresh.policy.tolist()
        assert plan.expected_discount.tolist() == fresh.expected_discount.tolist()


def test_lower_bounds_hold_for_values_that_are_too_high(monkeypatch):
    """Values are raised by up to a millionth; the bounds made of them are below the exact ones."""
    rng, world = np.random.default_rng(1), fo.maze(DRAWING, noise=0.2)
    planner = fo.Planner(world, discount=0.95, dense_up_to=0)
    planner.change()
    _, draft = planner._drafted(GOAL, tolerance=1e-9)
    engine, held = planner._engine, np.arange(world.num_states) == GOAL
    exact = planner._dynamics.followed(np.asarray(draft.policy), np.array([GOAL]))[0]
    for scale in (1e-6, 1e-9, 0):
        raised = np.minimum(exact * (1 + scale * rng.random(len(exact))), 1.0)
        monkeypatch.setattr(engine, "_values", raised)
        lower, gap = engine._bounds(held)
        assert (lower <= exact * (1 + 1e-13)).all()
        assert (exact <= lower + gap).all()
        assert gap < 100 * scale + 1e-10
