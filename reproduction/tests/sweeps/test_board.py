"""Whatever workers do, the board hands out every task until it is done, and none twice."""

from hypothesis import given
from hypothesis import strategies as st

from first_occupancy_paper.sweeps.board import MOST_DEATHS, Board
from first_occupancy_paper.sweeps.chunks import CHUNK_SECONDS


@given(st.integers(1, 40), st.integers(1, 5), st.data())
def test_every_task_is_done_once_and_never_in_two_hands(num_tasks, num_workers, data):
    board = Board(num_tasks, num_workers)
    in_hand: dict[int, list[list[int]]] = {}
    done: list[int] = []
    deaths = 0
    for worker in range(num_workers):
        board.join(worker)
        in_hand[worker] = []
    while not board.is_cleared:
        for worker, chunk in board.hand_out():
            in_hand[worker].append(chunk)
        held = [task for chunks in in_hand.values() for chunk in chunks for task in chunk]
        assert len(set(held)) == len(held)
        assert not set(held) & set(done)
        busy = [worker for worker, chunks in in_hand.items() if chunks]
        assert busy, "somebody must have something to do"
        worker = data.draw(st.sampled_from(busy))
        if deaths < MOST_DEATHS - 1 and data.draw(st.booleans()):
            deaths += 1
            del in_hand[worker]
            assert board.died(worker) == []
            newcomer = 100 + deaths
            board.join(newcomer)
            in_hand[newcomer] = []
        else:
            chunk = in_hand[worker].pop(0)
            number = data.draw(st.integers(1, len(chunk)))
            seconds = data.draw(st.sampled_from([0.001, CHUNK_SECONDS, 10.0]))
            done += board.done(worker, number=number, seconds=seconds)
    assert sorted(done) == list(range(num_tasks))


def test_the_task_that_workers_die_of_is_given_up_and_no_other():
    num_tasks, deadly = 50, 17
    board = Board(num_tasks, 1)
    done, given_up, worker = [], [], 0
    board.join(worker)
    given: list[list[int]] = []
    while not board.is_cleared:
        given += [chunk for _, chunk in board.hand_out()]
        if deadly in given[0]:
            given_up += board.died(worker)
            given, worker = [], worker + 1
            board.join(worker)
        else:
            number = len(given.pop(0))
            done += board.done(worker, number=number, seconds=1e-3)
    assert given_up == [deadly]
    assert sorted([*done, deadly]) == list(range(num_tasks))


def sizes_of_chunks(*, seconds: float) -> list[int]:
    board = Board(300, 1)
    board.join(0)
    sizes = []
    while not board.is_cleared:
        for _, chunk in list(board.hand_out()):
            sizes.append(len(chunk))
            board.done(0, number=len(chunk), seconds=seconds * len(chunk))
    return sizes


def test_short_tasks_go_out_in_growing_chunks_and_long_ones_one_by_one():
    assert sizes_of_chunks(seconds=1e-4)[:4] == [1, 2, 2, 8]
    assert max(sizes_of_chunks(seconds=CHUNK_SECONDS / 20)) == 20
    assert set(sizes_of_chunks(seconds=2 * CHUNK_SECONDS)) == {1}
