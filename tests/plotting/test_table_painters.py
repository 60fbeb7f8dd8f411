import jax
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.interop.data.corrected_intervals import corrected_interval, plan_interval
from first_occupancy.interop.data.resampled_logs import resample_transitions

WORLD = fo.maze(["S.#", "..G"], noise=0.2)
FRS = fo.occupancies(WORLD, fo.constant_policies(WORLD), discount=0.5)


def values_on(ax):
    return ax.collections[-1].get_array().reshape(2, 3)[WORLD.free]


def test_frs_are_seen_from_the_start_with_a_panel_for_each_policy():
    for options in ({"world": WORLD}, {"state": (0, 0)}):
        figure = fo.plot(FRS, **options)
        *panels, bar = figure.axes
        assert [panel.get_title() for panel in panels] == ["up", "right", "down", "left"]
        assert bar.get_ylabel() == "F((0, 0), ·)"
        for number, panel in enumerate(panels):
            drawn = panel.collections[2].get_array().reshape(2, 3)[WORLD.free]
            np.testing.assert_allclose(drawn, FRS.values[number, 0])


def test_one_policy_can_be_drawn_from_any_state(error_of):
    panel, _ = fo.plot(FRS, state=(1, 2), policy=3).axes
    np.testing.assert_allclose(
        panel.collections[2].get_array().reshape(2, 3)[WORLD.free], FRS.values[3, 4]
    )
    said = error_of(lambda: fo.plot(FRS, policy=4))
    assert said == "plot: policy must be in 0..3, got 4"


def test_frs_without_a_maze_are_matrices():
    unnamed = fo.Occupancies(FRS.values, discount=0.5, representation=fo.first_occupancy)
    *panels, _ = fo.plot(unnamed).axes
    for number, panel in enumerate(panels):
        np.testing.assert_allclose(panel.images[0].get_array(), FRS.values[number])


def test_an_evaluation_has_curves_or_maps():
    plan = fo.plan(WORLD, (1, 2), discount=0.5)
    result = fo.evaluate(plan, WORLD, fo.constant_policies(WORLD), discount=0.5)
    (ax,) = fo.plot(result).axes
    assert [line.get_label() for line in ax.lines] == ["optimal", "re-choosing", "leg by leg"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), np.sort(result.optimal)[::-1])
    *maps, _ = fo.plot(result, world=WORLD).axes
    np.testing.assert_allclose(
        maps[2].collections[2].get_array().reshape(2, 3)[WORLD.free], result.leg_by_leg
    )
    figure, grid = plotting.figure()
    assert fo.plot(result, grid[0, 0], world=WORLD) is figure
    assert grid[0, 0].get_title() == "gap to the optimum"


def test_logs_show_how_often_states_were_left():
    log = fo.transition_log([0, 0, 1], [1, 1, 3], num_states=5)
    for thing in (log, fo.count_transitions(log)):
        (ax,) = fo.plot(thing).axes
        assert ax.lines[0].get_ydata().tolist() == [2, 1, 0, 0, 0]
        assert ax.get_title() == "3 of 5 states never left"
        ax, _ = fo.plot(thing, world=WORLD).axes
        drawn = ax.collections[2].get_array().reshape(2, 3)
        assert drawn[WORLD.free].filled(0).tolist() == [2, 1, 0, 0, 0]


def test_long_logs_have_a_logarithmic_scale():
    log = fo.transition_log([0] * 200 + [1], [1] * 200 + [0], num_states=5)
    (ax,) = fo.plot(log).axes
    assert ax.get_yscale() == "symlog"
    ax, _ = fo.plot(log, world=WORLD).axes
    assert ax.collections[2].norm.vmax == 200


def test_intervals_are_bands_and_agreement_is_a_map():
    counted = fo.count_transitions(fo.transition_log([0, 0, 1, 1], [1, 0, 4, 1], num_states=5))
    resampled = resample_transitions(counted, jax.random.key(0), discount=0.5, num_resamples=40)
    frs = fo.first_occupancy.solve(counted.chains, discount=0.5)
    ends = corrected_interval(frs, resampled)
    (ax,) = fo.plot(ends).axes
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    np.testing.assert_allclose(heights.max(), np.asarray(ends.high).max())
    sure = plan_interval(fo.plan(counted, 4, discount=0.5), resampled)
    assert len(fo.plot(sure).axes) == 1
    ax, bar = fo.plot(sure, world=WORLD).axes
    assert bar.get_ylabel() == "agreement"
    np.testing.assert_allclose(
        ax.collections[2].get_array().reshape(2, 3)[WORLD.free], sure.agreement
    )


def test_an_arrival_is_a_distribution_with_its_mean():
    arrival = fo.plan(WORLD, 4, discount=0.9).arrival(0)
    (ax,) = fo.plot(arrival).axes
    line, mean = ax.lines
    np.testing.assert_allclose(line.get_ydata(), arrival.distribution(len(line.get_xdata())))
    assert line.get_ydata().sum() >= 0.995
    assert mean.get_xdata()[0] == arrival.mean
