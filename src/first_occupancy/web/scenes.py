"""What the page sends and what it gets back; the OpenAPI description is made of these.

Whatever fits the description is answered. A drawing may be unfinished (no start, no goal, walls
only): the answer then carries a `message` for the person who draws, and no error.

Cells are counted row by row over the whole drawing, walls included.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

MOST_CELLS = 60
"""Cells a side of the drawing may have."""

MOST_POLICIES = 8
MOST_GOALS = 8

DISCOUNTS = (0.5, 0.999)


def _whole(value: object) -> object:
    """Return 4.0 as 4: JSON has one kind of number, and the description calls both integers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


FROM_JSON = BeforeValidator(_whole)
Line = Annotated[str, StringConstraints(pattern=r"^[#.SG]{1,60}$")]
ArrowLine = Annotated[str, StringConstraints(pattern=r"^[.^>v<]{0,60}$")]
Direction = Literal["up", "right", "down", "left"]
Coordinate = Annotated[int, Field(strict=True, ge=0, le=MOST_CELLS - 1), FROM_JSON]
Number = Annotated[float, Field(strict=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DrawnPolicy(_Strict):
    """A policy drawn by hand: arrows over the drawing; '.', or nothing, is its usual direction."""

    usual: Direction
    arrows: Annotated[list[ArrowLine], Field(max_length=MOST_CELLS)] = []


class Scene(_Strict):
    """A drawing, the policies one has in it, and what time and chance do.

    '#' wall, '.' free, 'S' start (the last one counts), 'G' goals (the first eight count). Shorter
    lines are filled up with walls. Without `drawn` policies there is one for each move.
    """

    drawing: Annotated[list[Line], Field(min_length=1, max_length=MOST_CELLS)]
    moves: Annotated[Literal[4, 8], FROM_JSON] = 4
    drawn: Annotated[list[DrawnPolicy], Field(max_length=MOST_POLICIES)] = []
    discount: Annotated[Number, Field(ge=DISCOUNTS[0], le=DISCOUNTS[1])] = 0.95
    noise: Annotated[Number, Field(ge=0, le=1)] = 0.0


Switches = Annotated[int, Field(strict=True, ge=0, le=MOST_CELLS**2), FROM_JSON]


class PlanQuestion(_Strict):
    """Plan in a scene with so many switches at most; without a number, until none helps."""

    scene: Scene
    switches: Switches | None = None


class RowQuestion(_Strict):
    """How soon, and how often, one policy comes from a cell to every other."""

    scene: Scene
    policy: Annotated[int, Field(strict=True, ge=0, le=MOST_POLICIES - 1), FROM_JSON]
    row: Coordinate
    column: Coordinate


class EscapeQuestion(_Strict):
    """Which agent escapes: see `experiments.escape.run` for the variants."""

    variant: Literal["printed", "feeling", "new barrier"] = "feeling"
    episode_steps: Annotated[int, Field(strict=True, ge=25, le=400, multiple_of=25), FROM_JSON] = (
        200
    )
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 1), FROM_JSON] = 0


class LegAnswer(BaseModel):
    """One leg: follow a policy until a subgoal; `cells` is its way when nothing goes wrong."""

    policy: int
    subgoal: int
    cells: list[int]


class GoalAnswer(BaseModel):
    """The plan from every cell to one goal; -1 and null where there is nothing to follow."""

    goal: int
    policy: list[int]
    subgoal: list[int]
    discount: list[float | None]
    legs: list[LegAnswer]


class SweepAnswer(BaseModel):
    """Value iteration to the first goal, as many sweeps; -1 and null where it knows nothing."""

    sweeps: int
    action: list[int]
    discount: list[float | None]


class Worth(BaseModel):
    """Expected discounts from the start to the first goal; null where it is not reached."""

    plan: float | None
    """What the plan promises: the product of its legs."""
    followed: float | None
    """What following it brings when the plan is looked up anew in every cell."""
    sweeps: float | None
    """What value iteration knows of it after as many sweeps."""
    optimum: float | None


class PlanAnswer(BaseModel):
    """Plans to all goals, in the best order to visit them."""

    rows: int
    columns: int
    message: str | None
    note: str | None
    start: int | None
    policies: list[str]
    actions: list[list[int]]
    """The move that each policy takes in each cell, -1 on walls."""
    most_switches: int
    """The number beyond which no switch helps anywhere."""
    tour_discount: float | None
    plans: list[GoalAnswer]
    sweeps: SweepAnswer | None
    worth: Worth | None


class RowAnswer(BaseModel):
    """F(s, .) and M(s, .) of one policy, for every cell; null on walls."""

    rows: int
    columns: int
    message: str | None
    first_occupancy: list[float | None]
    successor: list[float | None]


class Preset(BaseModel):
    """A scene to begin with."""

    name: str
    about: str
    scene: Scene


class Status(BaseModel):
    """Whether all is compiled; before that, first answers under noise may take seconds."""

    ready: bool
    version: str


class Refusal(BaseModel):
    """Why a request is not answered, in one sentence."""

    detail: str
