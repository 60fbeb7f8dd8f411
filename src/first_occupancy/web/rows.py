"""One row of the FR and of the SR: what a cell's heat maps show."""

from typing import Any

import numpy as np
from jaxtyping import Float

from first_occupancy.core.errors import InputError
from first_occupancy.representations import deterministic
from first_occupancy.representations._solvers import banded
from first_occupancy.representations._solvers.sparse import Factors
from first_occupancy.web.noise import blocks
from first_occupancy.web.rooms import Room, room, tidy
from first_occupancy.web.scenes import RowQuestion
from first_occupancy.web.work import Step


def answer_row(question: RowQuestion, step: Step) -> dict[str, Any]:
    """Return a `RowAnswer` as plain values.

    Args:
        question: the scene, the policy and the cell.
        step: called between the parts of the work; raises if it should stop.
    """
    lines = tidy(question.scene.drawing)
    answer: dict[str, Any] = {"rows": len(lines), "columns": len(lines[0]), "message": None}
    nothing = {"first_occupancy": [], "successor": []}
    try:
        here = room(question.scene)
        state = here.maze.state(question.row, question.column)
    except InputError:
        return answer | nothing | {"message": "Only free cells lead anywhere."}
    if question.policy >= len(here.policies):
        return answer | nothing | {"message": f"There are {len(here.policies)} policies."}
    step()
    fr, sr = _rows(here, question.policy, state)
    return answer | {"first_occupancy": here.floats(fr), "successor": here.floats(sr)}


def _rows(
    here: Room, policy: int, state: int
) -> tuple[Float[np.ndarray, " S"], Float[np.ndarray, " S"]]:
    """Return F(s, .) and M(s, .): a walk without noise, else M(s, g) / M(g, g)."""
    if here.maze.noise == 0:
        visits = Factors(here.chain(here.actions[policy]), here.discount).rows(np.array([state]))
        return deterministic.row(here.next_states[policy], state, discount=here.discount), visits[0]
    chain = banded.Blocks(*(part[0] for part in blocks(here, here.actions[[policy]])))
    visits, own = banded.solve_row(chain, int(here.cells[state]))
    return (visits / own)[here.cells], visits[here.cells]
