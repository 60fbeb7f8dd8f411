"""Small MDPs as graphs: circles for states, curved arrows for transitions (Fig. "explore_envs").

An arrow carries one line for each way to make the transition: (actions; probability;
reward). Actions that agree in both share a line. Positions are in units of
`INCHES_PER_UNIT`, so text keeps its print size however large the graph.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import ArrayLike, Float
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.path import Path

from first_occupancy.core.mdp import MDP
from first_occupancy.plotting import style
from first_occupancy.plotting.figure_files import NotebookFigure

INCHES_PER_UNIT = 1.0
NODE_RADIUS = 0.16
BEND, LINE_HEIGHT = 0.3, 0.125
"""How far arrows between neighbours are pulled aside, and the labels' lines, in units."""

MARGIN = 0.85
"""Around the outermost nodes, for loops and their labels."""

Point = Float[np.ndarray, " 2"]


def line_layout(num_states: int) -> Float[np.ndarray, "S 2"]:
    """Return positions from left to right, one unit apart."""
    return np.stack([np.arange(num_states), np.zeros(num_states)], axis=1).astype(float)


def star_layout(num_states: int, *, radius: float = 2.0) -> Float[np.ndarray, "S 2"]:
    """Return positions with state 0 in the middle and the others around it, clockwise.

    The place straight below state 0 stays empty, for the arrow from state 0 to itself.
    """
    angles = -np.pi / 2 - 2 * np.pi * np.arange(1, num_states) / num_states
    around = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([np.zeros((1, 2)), around])


def mdp_figure(mdp: MDP, *, positions: Float[ArrayLike, "S 2"] | None = None) -> NotebookFigure:
    """Return an MDP as a graph, with one arrow for each pair of states that an action connects.

    Arrows bend to their left, so that the two directions between a pair of states stay apart.
    States in which an episode may begin have a thick rim.

    Args:
        mdp: world to draw; its labels remain readable up to some ten states.
        positions: (x, y) of each state, as `line_layout` and `star_layout` make them; from left to
            right by default.
    """
    places = line_layout(mdp.num_states) if positions is None else np.asarray(positions, float)
    low, high = _limits(places)
    figure = NotebookFigure(figsize=tuple((high - low) * INCHES_PER_UNIT), facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1))
    draw_mdp(ax, mdp, places)
    return figure


def draw_mdp(ax: Axes, mdp: MDP, places: Float[np.ndarray, "S 2"]) -> Axes:
    """Return the Axes with an MDP as a graph, states at places that are at least 1 apart."""
    states = _names(mdp.state_names, mdp.num_states)
    actions = _names(mdp.action_names, mdp.num_actions)
    _clear(ax, places)
    possible = np.asarray(mdp.transition).max(axis=1) > 0
    for here, there in np.argwhere(possible).tolist():
        text = _label(mdp, here, there, actions)
        if here == there:
            _draw_loop(ax, places[here], _free_angle(places, possible, here), text)
        else:
            _draw_arrow(ax, places, here, there, text, _label_time(possible, here, there))
    for place, name, chance in zip(places, states, np.asarray(mdp.start_distribution), strict=True):
        width = 1.5 * style.LINE if chance > 0 else style.THIN
        ax.add_patch(
            Circle(place, NODE_RADIUS, facecolor="white", edgecolor=style.INK, linewidth=width)
        )
        ax.text(place[0], place[1], name, ha="center", va="center", fontsize=style.TITLE)
    return ax


def _names(names: Sequence[str] | None, count: int) -> list[str]:
    """Return the names, or numbers where there are none."""
    return [*map(str, range(count))] if names is None else [*map(style.literal, names)]


def _limits(places: Float[np.ndarray, "S 2"]) -> tuple[Point, Point]:
    """Return the lower left and the upper right corner of the drawing."""
    return places.min(axis=0) - MARGIN, places.max(axis=0) + MARGIN


def _clear(ax: Axes, places: Float[np.ndarray, "S 2"]) -> None:
    """Make room for the graph, and say what its labels mean."""
    low, high = _limits(places)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()
    note = "(actions; probability; reward)"
    ax.text(low[0] + 0.06, low[1] + 0.06, note, fontsize=style.SMALL, color=style.WALL)


def _label(mdp: MDP, here: int, there: int, actions: list[str]) -> str:
    """Return the arrow's lines, in the order of each line's first action."""
    groups: dict[tuple[float, float], list[str]] = {}
    chances = np.asarray(mdp.transition)[here, :, there]
    rewards = np.asarray(mdp.reward)[here, :, there]
    for name, chance, reward in zip(actions, chances, rewards, strict=True):
        if chance > 0:
            groups.setdefault((float(chance), float(reward)), []).append(name)
    return "\n".join(
        f"({_list(names, actions)}; {chance:.3g}; {reward:.6g})"
        for (chance, reward), names in groups.items()
    )


def _list(names: list[str], actions: list[str]) -> str:
    """Return the names joined, or what they leave out where that is shorter."""
    missing = [name for name in actions if name not in names]
    if not missing and len(names) > 1:
        return "all"
    if len(missing) == 1 and len(names) > 2:
        return f"not {missing[0]}"
    return ",".join(names)


def _label_time(possible: np.ndarray, here: int, there: int) -> float:
    """Return where along an arrow, from 0 to 1, its label has room: away from a hub."""
    links = (possible | possible.T).sum(axis=1)
    crowding = int(links[here]) - int(links[there])
    return 0.5 if abs(crowding) <= 1 else 0.5 + 0.15 * float(np.sign(crowding))


def _draw_arrow(
    ax: Axes, places: Float[np.ndarray, "S 2"], here: int, there: int, text: str, time: float
) -> None:
    """Draw the arrow between two nodes, with the label outside its bend at `time`."""
    begin, end = places[here], places[there]
    distance = float(np.hypot(*(end - begin)))
    left = np.array([begin[1] - end[1], end[0] - begin[0]]) / distance
    # Longer arrows bend more than in proportion, to clear the nodes in between.
    control = (begin + end) / 2 + BEND * (distance / _spacing(places)) ** 1.5 * left
    first, last = _rim(begin, control), _rim(end, control)
    _draw_path(ax, Path([first, control, last], [Path.MOVETO, Path.CURVE3, Path.CURVE3]))
    rest = 1 - time
    place = rest**2 * first + 2 * rest * time * control + time**2 * last
    ahead = rest * (control - first) + time * (last - control)
    angle = float(np.arctan2(ahead[1], ahead[0]))
    # Along the arrow, but never upside down.
    tilt = angle - np.pi * round(angle / np.pi)
    _draw_label(ax, place, _direction(angle + np.pi / 2), text, tilt=tilt)


def _draw_loop(ax: Axes, place: Point, angle: float, text: str) -> None:
    """Draw the arrow from a node to itself, on the side given by the angle."""
    begin, end = (place + NODE_RADIUS * _direction(angle + turn) for turn in (0.55, -0.55))
    first, second = (place + 3.2 * NODE_RADIUS * _direction(angle + turn) for turn in (0.5, -0.5))
    _draw_path(ax, Path([begin, first, second, end], [Path.MOVETO, *[Path.CURVE4] * 3]))
    top = 0.125 * begin + 0.375 * first + 0.375 * second + 0.125 * end
    _draw_label(ax, top, _direction(angle), text)


def _draw_path(ax: Axes, path: Path) -> None:
    ax.add_patch(
        FancyArrowPatch(
            path=path,
            arrowstyle="-|>,head_length=0.45,head_width=0.2",
            mutation_scale=9,
            color=style.INK,
            linewidth=style.THIN,
        )
    )


def _draw_label(ax: Axes, place: Point, outwards: Point, text: str, *, tilt: float = 0.0) -> None:
    """Write the label so that its box, turned by `tilt`, is just outside the arrow."""
    lines = text.split("\n")
    half = np.array([0.026 * max(map(len, lines)), LINE_HEIGHT * len(lines) / 2])
    along, across = _direction(tilt), _direction(tilt + np.pi / 2)
    reach = half @ np.abs([along @ outwards, across @ outwards]) + 0.04
    x, y = place + reach * outwards
    look = {"ha": "center", "va": "center", "rotation_mode": "anchor", "linespacing": 1.1}
    ax.text(x, y, text, fontsize=style.SMALL, rotation=float(np.degrees(tilt)), **look)


def _free_angle(places: Float[np.ndarray, "S 2"], possible: np.ndarray, state: int) -> float:
    """Return where a loop fits best: above, if nothing is there, or in the widest gap."""
    linked = (possible[state] | possible[:, state]) & (np.arange(len(places)) != state)
    steps = places[linked] - places[state]
    angles = np.sort(np.arctan2(steps[:, 1], steps[:, 0]))
    if len(angles) == 0 or np.cos(angles - np.pi / 2).max() < np.cos(np.pi / 3):
        return np.pi / 2
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    widest = int(gaps.argmax())
    return float(angles[widest] + gaps[widest] / 2)


def _spacing(places: Float[np.ndarray, "S 2"]) -> float:
    """Return the smallest distance between two nodes."""
    apart = np.hypot(*(places[:, None] - places[None]).T)
    return float(apart[~np.eye(len(places), dtype=bool)].min())


def _direction(angle: float) -> Point:
    return np.array([np.cos(angle), np.sin(angle)])


def _rim(centre: Point, towards: Point) -> Point:
    """Return the point of a node's circle in some direction."""
    return centre + NODE_RADIUS * (towards - centre) / np.hypot(*(towards - centre))
