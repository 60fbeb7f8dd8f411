"""The figures: rewards, the optimum and the paper's values, ablations, learning, hidden goals."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy_paper.rows.row import Row

from ..answers import Mean, half_width, mean_of
from ..bars import bars_with_intervals
from ..exploration.protocols import PAPER
from .estimates import ablated, goal_shares, of_task, whole
from .find_peers import shares
from .peers import TOLD
from .variants import ABLATIONS, WHOLE

COLOURS = {
    "Sarsa": style.FAINT,
    "Sarsa+SR": style.SR,
    "Sarsa+FR": style.FR,
    "explorer, no planning": style.GPI,
    "explorer": style.ORANGE,
}
LABELS = {
    "Sarsa": "Sarsa",
    "Sarsa+SR": "Sarsa\n+SR",
    "Sarsa+FR": "Sarsa\n+FR",
    "explorer, no planning": "no\nplanning",
    "explorer": "planned",
}
PRINTED = ("Sarsa", "Sarsa+SR", "Sarsa+FR")


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    figures = {"tasks": _tasks(rows), "spread": _spread(rows), "learning": _learning(rows)}
    if ablated(rows):
        figures["ablations"] = _ablations(rows)
    if shares(rows):
        figures["peers"] = _peers(rows)
    if goal_shares(rows):
        figures["hidden_goal"] = _hidden_goal(rows)
    return figures


def _peers(rows: Sequence[Row]) -> Figure:
    """Return the share of the optimum of each method, by task."""
    found = {
        task: {name: mean_of(share) for name, share in methods.items()}
        for task, methods in shares(rows).items()
    }
    names = {task: list(methods) for task, methods in found.items()}
    return _by_task(found, names, TOLD, height=2.2)


def _by_task(
    found: Mapping[str, Mapping[str, Mean]],
    names: Mapping[str, Sequence[str]],
    mine: str,
    height: float,
) -> Figure:
    """Return a panel for each task, with a line for each name; ours is in colour."""
    figure, axes = style.figure(1, len(found), size=(style.PAGE, height))
    for number, (ax, (task, own)) in enumerate(zip(axes[0], found.items(), strict=True)):
        for place, name in enumerate(names[task]):
            if name in own:
                colour = COLOURS["explorer"] if name == mine else style.INK
                look = {"fmt": "o", "markersize": 3.5, "elinewidth": style.THIN, "color": colour}
                ax.errorbar(own[name].mean, place, xerr=own[name].half, **look)
        lines = len(names[task])
        ax.set_yticks(range(lines), names[task] if number == 0 else [""] * lines)
        ax.set_ylim(lines - 0.5, -0.5)
        ax.set_xlim(0, 1)
        label_axes(ax, title=task)
    figure.supxlabel("share of the optimum (mean and 95% interval)", fontsize=style.TEXT)
    return figure


def _tasks(rows: Sequence[Row]) -> Figure:
    """Return the mean reward compared with the paper's three methods and the optimum."""
    tasks = whole(rows)
    figure, axes = style.figure(1, len(tasks), size=(style.PAGE, 2.4))
    for number, (ax, (task, mine)) in enumerate(zip(axes[0], tasks.items(), strict=True)):
        paper = [PAPER[task, method] for method in PRINTED]
        means = np.array([mean for mean, _ in paper] + [mine.mean]) / 1e6
        # The paper prints standard errors over 100 trials.
        halves = np.array([1.98 * error for _, error in paper] + [mine.half_width]) / 1e6
        shown = (*PRINTED, "explorer")
        names, colours = [LABELS[name] for name in shown], [COLOURS[name] for name in shown]
        bars_with_intervals(ax, names, means, halves, colours=colours)
        ax.tick_params(axis="x", labelsize=style.SMALL - 1)
        ax.axhline(mine.optimum / 1e6, color=style.INK, linewidth=style.THIN, linestyle="--")
        label_axes(ax, y="total reward (millions)" if number == 0 else "", title=task)
    figure.supxlabel(
        "Sarsa: the paper's, 100 trials; planned: ours; dashed: optimum; lines: 95% intervals",
        fontsize=style.TEXT,
    )
    return figure


def _spread(rows: Sequence[Row]) -> Figure:
    """Return how the trials' shares of the optimum are spread."""
    tasks = whole(rows)
    figure, axes = style.figure(1, 1, size=(style.COLUMN * 1.3, 2.6))
    ax = axes[0, 0]
    for number, (task, mine) in enumerate(tasks.items()):
        totals = np.concatenate([row["totals"] for row in of_task(rows, task)])
        shares = np.sort(totals) / mine.optimum
        heights = np.arange(1, len(shares) + 1) / len(shares)
        ax.step(shares, heights, color=style.colour(number), linewidth=style.LINE, label=task)
    ax.set_xlim(0, None)
    ax.set_ylim(0, 1)
    label_axes(ax, "share of the optimum", "share of trials below", legend="upper left")
    return figure


def _learning(rows: Sequence[Row]) -> Figure:
    """Return how the mean reward grows, compared with the optimum."""
    tasks = whole(rows)
    figure, axes = style.figure(1, 1, size=(style.COLUMN * 1.3, 2.6))
    ax = axes[0, 0]
    for number, (task, mine) in enumerate(tasks.items()):
        own = of_task(rows, task)
        steps = np.array(own[0]["curve_steps"])
        shares = np.mean([row["curve"] for row in own], axis=0) / mine.optimum
        ax.plot(steps, shares, color=style.colour(number), linewidth=style.LINE, label=task)
    ax.plot([0, steps[-1]], [0, 1], color=style.FAINT, linewidth=style.THIN, linestyle="--")
    ax.set_xlim(0, steps[-1])
    ax.set_ylim(0, 1)
    label_axes(ax, "step", "reward so far,\nshare of the whole optimum", legend="upper left")
    return figure


def _ablations(rows: Sequence[Row]) -> Figure:
    """Return the share of the optimum without each part of the rule, and with other numbers."""
    tasks, ablations = whole(rows), ablated(rows)
    names = [WHOLE, *(n for n in ABLATIONS if any(n in each for each in ablations.values()))]
    found = {
        task: {
            name: Mean(each.share, each.half_share)
            for name, each in {WHOLE: tasks[task], **variants}.items()
        }
        for task, variants in ablations.items()
    }
    figure = _by_task(found, dict.fromkeys(found, names), WHOLE, height=0.9 + 0.2 * len(names))
    for ax, task in zip(figure.axes, found, strict=True):
        ax.axvline(
            tasks[task].share, color=COLOURS["explorer"], linewidth=style.THIN, linestyle=":"
        )
    return figure


def _hidden_goal(rows: Sequence[Row]) -> Figure:
    """Return each goal's share of its optimum, by agent."""
    shares = goal_shares(rows)
    figure, axes = style.figure(1, 1, size=(style.COLUMN, 2.4))
    ax = axes[0, 0]
    agents = [agent for agent in LABELS if agent in shares]
    means = np.array([shares[agent].mean() for agent in agents])
    halves = np.array([half_width(shares[agent]) for agent in agents])
    colours = [COLOURS[agent] for agent in agents]
    bars_with_intervals(ax, [LABELS[agent] for agent in agents], means, halves, colours=colours)
    # Spread by goal, so that a goal's dot has the same place in every bar.
    places = np.linspace(-0.25, 0.25, max(map(len, shares.values())))
    for place, agent in enumerate(agents):
        around = place + places[: len(shares[agent])]
        ax.plot(around, shares[agent], ".", markersize=2.5, color=style.INK, alpha=0.5)
    ax.set_ylim(0, 1.05)
    label_axes(ax, y="share of the goal's optimum", title="FourRooms, hidden goal")
    return figure
