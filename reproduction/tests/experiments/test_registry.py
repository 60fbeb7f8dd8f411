from first_occupancy_paper.experiments.registry import EXPERIMENTS, experiment


def test_experiments_are_found_by_names_that_differ():
    assert [experiment(each.name) for each in EXPERIMENTS] == list(EXPERIMENTS)
    assert len({each.name for each in EXPERIMENTS}) == len(EXPERIMENTS)


def test_those_without_kept_rows_have_settings_and_the_others_none():
    for each in EXPERIMENTS:
        for quick in (True, False):
            assert bool(each.settings(quick)) == (each.kept is None), each.name


def test_an_unknown_name_lists_the_known_ones(error_of):
    known = ", ".join(each.name for each in EXPERIMENTS)
    message = f"NAME must be one of {known}, got 'five_rooms'"
    assert error_of(lambda: experiment("five_rooms")) == message
