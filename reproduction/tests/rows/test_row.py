from first_occupancy_paper.rows.row import grouped, where

ROWS = [
    {"part": "plan", "noise": 0.2, "share": 3},
    {"part": "tour"},
    {"part": "plan", "noise": 0.1, "share": 2},
    {"part": "tour", "noise": 0.2, "share": 1},
]


def test_rows_are_chosen_by_what_they_have_and_by_its_value() -> None:
    assert where(ROWS, "noise") == [ROWS[0], ROWS[2], ROWS[3]]
    assert where(ROWS, part="tour") == [ROWS[1], ROWS[3]]
    assert where(ROWS, "share", part="tour", noise=0.2) == [ROWS[3]]
    assert where(ROWS, noise=None) == []


def test_groups_stand_in_the_order_of_their_first_rows_and_leave_out_rows_without_the_name() -> (
    None
):
    assert grouped(ROWS, "noise") == {0.2: [ROWS[0], ROWS[3]], 0.1: [ROWS[2]]}
    assert list(grouped(ROWS, "part", "noise")) == [("plan", 0.2), ("plan", 0.1), ("tour", 0.2)]
