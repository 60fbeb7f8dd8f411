"""Jobs of an experiment, and their seeds."""

from first_occupancy_paper.sweeps.jobs import jobs_of
from toy_experiment import TOY


def test_seeds_of_different_runs_do_not_overlap():
    seeds = [{job.seed for job in jobs_of(TOY, quick=False, seed=seed)} for seed in (0, 1, 2)]
    assert not seeds[0] & seeds[1]
    assert not seeds[1] & seeds[2]
