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
    """A policy drawn by hand.

    Attributes:
        usual: direction in cells without an arrow.
        arrows: lines of arrows over the drawing; '.', or nothing, is the usual direction.
    """

    usual: Direction
    arrows: Annotated[list[ArrowLine], Field(max_length=MOST_CELLS)] = []


class Scene(_Strict):
    """A drawing, its base policies, the discount and the noise.

    Attributes:
        drawing: lines of cells: '#' wall, '.' free, 'S' start (the last one counts), 'G' goals
            (the first eight count). Shorter lines are filled up with walls.
        moves: number of directions.
        drawn: policies drawn by hand; without any there is one for each move.
        discount: discount factor per step.
        noise: probability of a random move.
    """

    drawing: Annotated[list[Line], Field(min_length=1, max_length=MOST_CELLS)]
    moves: Annotated[Literal[4, 8], FROM_JSON] = 4
    drawn: Annotated[list[DrawnPolicy], Field(max_length=MOST_POLICIES)] = []
    discount: Annotated[Number, Field(ge=DISCOUNTS[0], le=DISCOUNTS[1])] = 0.95
    noise: Annotated[Number, Field(ge=0, le=1)] = 0.0


Switches = Annotated[int, Field(strict=True, ge=0, le=MOST_CELLS**2), FROM_JSON]


class PlanQuestion(_Strict):
    """A request for a plan in a scene.

    Attributes:
        scene: the scene.
        switches: upper bound on policy switches; null plans until convergence.
    """

    scene: Scene
    switches: Switches | None = None


class RowQuestion(_Strict):
    """How soon, and how often, one policy comes from a cell to every other.

    Attributes:
        scene: the scene.
        policy: number of the policy, from 0.
        row: row of the cell, from 0.
        column: column of the cell, from 0.
    """

    scene: Scene
    policy: Annotated[int, Field(strict=True, ge=0, le=MOST_POLICIES - 1), FROM_JSON]
    row: Coordinate
    column: Coordinate


class EscapeQuestion(_Strict):
    """Which agent escapes.

    Attributes:
        variant: see `experiments.escape.run`.
        episode_steps: steps of each episode of exploration.
        seed: random seed.
    """

    variant: Literal["printed", "feeling", "new barrier"] = "feeling"
    episode_steps: Annotated[int, Field(strict=True, ge=25, le=400, multiple_of=25), FROM_JSON] = (
        200
    )
    seed: Annotated[int, Field(strict=True, ge=0, le=2**31 - 1), FROM_JSON] = 0


class LegAnswer(BaseModel):
    """One leg: follow a policy until a subgoal.

    Attributes:
        policy: number of the policy.
        subgoal: cell of the subgoal.
        cells: cells on the way when no noise interferes.
    """

    policy: int
    subgoal: int
    cells: list[int]


class GoalAnswer(BaseModel):
    """The plan from every cell to one goal; -1 and null where there is nothing to follow.

    Attributes:
        goal: cell of the goal.
        policy: policy to follow from each cell.
        subgoal: cell of the subgoal from each cell.
        discount: expected discount from each cell.
        legs: legs from the start, or from the previous goal.
    """

    goal: int
    policy: list[int]
    subgoal: list[int]
    discount: list[float | None]
    legs: list[LegAnswer]


class SweepAnswer(BaseModel):
    """Value iteration to the first goal; -1 and null where it knows nothing.

    Attributes:
        sweeps: number of sweeps, as many as the planner's.
        action: best action in each cell.
        discount: expected discount from each cell.
    """

    sweeps: int
    action: list[int]
    discount: list[float | None]


class Worth(BaseModel):
    """Expected discounts from the start to the first goal; null where it is not reached."""

    plan: float | None
    """The value of the plan: the product of its legs."""
    followed: float | None
    """The value of following the plan, re-choosing in every cell."""
    sweeps: float | None
    """The value found by value iteration after as many sweeps."""
    optimum: float | None
    """The optimal value."""


class PlanAnswer(BaseModel):
    """Plans to all goals, in the best order to visit them."""

    rows: int
    """Rows of the drawing."""
    columns: int
    """Columns of the drawing."""
    message: str | None
    """What is missing in the drawing, in one sentence; null if nothing is."""
    note: str | None
    """Remark about the plan; null if there is none."""
    start: int | None
    """Cell of the start; null if there is none."""
    policies: list[str]
    """Names of the policies."""
    actions: list[list[int]]
    """The move that each policy takes in each cell, -1 on walls."""
    most_switches: int
    """The number beyond which no switch helps anywhere."""
    tour_discount: float | None
    """Expected discount of visiting all goals; null if they are not all reached."""
    plans: list[GoalAnswer]
    """Plans to the goals, in the order of the tour."""
    sweeps: SweepAnswer | None
    """Value iteration to the first goal; null without a plan."""
    worth: Worth | None
    """Expected discounts from the start to the first goal; null without a start or a plan."""


class RowAnswer(BaseModel):
    """F(s, .) and M(s, .) of one policy.

    Attributes:
        rows: rows of the drawing.
        columns: columns of the drawing.
        message: why there is no answer, in one sentence; null if there is one.
        first_occupancy: F(s, .) for every cell; null on walls and where it is 0.
        successor: M(s, .) for every cell; null on walls and where it is 0.
    """

    rows: int
    columns: int
    message: str | None
    first_occupancy: list[float | None]
    successor: list[float | None]


class Preset(BaseModel):
    """A scene to begin with.

    Attributes:
        name: name of the scene.
        about: description in one line.
        scene: the scene.
    """

    name: str
    about: str
    scene: Scene


class Status(BaseModel):
    """State of the server.

    Attributes:
        ready: whether all is compiled; before that, first answers under noise may take seconds.
        version: version of the library.
    """

    ready: bool
    version: str


class Refusal(BaseModel):
    """Why a request is not answered, in one sentence."""

    detail: str
