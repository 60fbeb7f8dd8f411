"""A search tries each action in each state once, or as often as chance needs."""

from first_occupancy.interop.enumeration._copy_search import Expander, search
from first_occupancy.interop.enumeration.copying import Copies
from functional_worlds import Corridor, full_state, plain_worlds


def test_paths_lead_where_the_search_found_each_state():
    told = []
    expander = Expander(Copies(Corridor()), full_state, 3, 0, 10, 0)
    found = search(expander, [0], limit=50, report=lambda *numbers: told.append(numbers))
    queue, edges = plain_worlds()
    assert found.keys == queue
    assert all(count == 1 for *_, count in found.edges)
    assert told[-1] == (len(queue), 0)
    for state, place in enumerate(queue):
        start, actions = found.path(state)
        here = queue[start]
        for action in actions:
            here = edges[here, action]
        assert here == place
