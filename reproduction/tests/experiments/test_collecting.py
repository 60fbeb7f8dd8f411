"""Rewards that can be taken once: the rows of a small run, and what the rules make of rows."""

import jax
import numpy as np
import pytest

from first_occupancy_paper.experiments.collecting.run import Config, drawn_places, drawn_world, run
from first_occupancy_paper.experiments.registry import experiment
from lines import deaf


@pytest.fixture(scope="module")
def rows():
    with jax.enable_x64(True):
        chosen = experiment("collecting")
        return [
            row
            for config, seeds in chosen.settings(True)
            for seed in range(seeds)
            for row in chosen.run(config, seed)
        ]


def test_no_share_exceeds_the_best(rows):
    assert all(0 < row["share"] <= 1 + 1e-9 for row in rows)
    assert {row["method"] for row in rows if not row["learned"]} == {
        *("orders", "nearest first", "best first"),
        *("FR-GPI", "SR-GPI", "FR-GPI over legs", "SR-GPI over legs"),
    }
    promised = [row for row in rows if "promised" in row and not row["learned"]]
    assert all(row["promised"] <= row["share"] * (1 + 1e-9) for row in promised)


def test_without_noise_orders_are_the_optimum():
    with jax.enable_x64(True):
        found = next(iter(run(Config(world="maze", rewards=5), 0)))
    assert found["method"] == "orders"
    assert found["share"] == pytest.approx(1, abs=1e-12)


def test_rewards_and_start_are_connected():
    for name in ("four_rooms", "maze", "map"):
        rng = np.random.default_rng(3)
        world = drawn_world(name, 0.0, rng)
        start, *places = drawn_places(world, 6, rng)
        reached, edge = {int(start)}, {int(start)}
        while edge:
            edge = {int(s) for here in edge for s in world.next_states[:, here]} - reached
            reached |= edge
        assert reached.issuperset(int(place) for place in places)


def test_rules_follow_the_rows(rows):
    by_id = {each.id: each for each in experiment("collecting").findings(rows)}
    assert by_id["certain"].verdict == "not settled by our runs"  # no row without noise
    assert by_id["promises"].verdict == "holds"
    assert "0 of 2 draws" in by_id["promises"].ours
    perfect = [{**row, "share": 1.0 if row["method"] == "orders" else 0.5} for row in rows]
    found = {each.id: str(each.verdict) for each in experiment("collecting").findings(perfect)}
    assert (found["noisy:0.2"], found["learned"]) == ("holds", "holds")
    assert found["ahead:FR-GPI"] == "holds"
    worse = [{**row, "share": 0.9 if row["method"] == "orders" else 0.95} for row in rows]
    found = {each.id: str(each.verdict) for each in experiment("collecting").findings(worse)}
    assert (found["noisy:0.2"], found["ahead:FR-GPI"]) == ("does not hold", "does not hold")


def test_the_figure_has_a_panel_for_each_world(rows):
    figure = experiment("collecting").plot(rows)["shares"]
    assert [ax.get_title() for ax in figure.axes] == ["FourRooms", "FourRooms, learned by TD"]


def test_sentences_follow_the_rows(rows):
    without_rows = ["certain", "noisy:0.1", "noisy:0.5"]
    assert deaf(experiment("collecting"), rows, besides=without_rows) == set()
