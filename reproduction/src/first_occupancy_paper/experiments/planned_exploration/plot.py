"""The figures: rewards, the optimum and the paper's values, ablations, learning, hidden goals."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy_paper.rows.row import Row, where

from ..answers import half_width, mean_of
from ..bars import bars_with_intervals
from ..exploration.protocols import PAPER
from .estimates import Shares, by_task, shares, shares_by, shares_by_task
from .peers import TOLD
from .variants import WHOLE

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
    tasks = by_task(rows, "task")
    figures = {"tasks": _tasks(tasks), "spread": _spread(tasks), "learning": _learning(tasks)}
    if ablations := shares_by_task(rows, "ablation", "variant"):
        figures["ablations"] = _ablations(tasks, ablations)
    if methods := shares_by_task(rows, "peer", "agent"):
        figures["peers"] = _by_task(methods, TOLD, height=2.2)
    if agents := shares_by(where(rows, part="hidden_goal"), "agent"):
        figures["hidden_goal"] = _hidden_goal(agents)
    return figures


def _by_task(found: Mapping[str, Shares], mine: str, height: float) -> Figure:
    """Return a panel for each task, with a line for each name; ours is in colour."""
    figure, axes = style.figure(1, len(found), size=(style.PAGE, height))
    for number, (ax, (task, own)) in enumerate(zip(axes[0], found.items(), strict=True)):
        for place, (name, trials) in enumerate(own.items()):
            colour = COLOURS["explorer"] if name == mine else style.INK
            look = {"fmt": "o", "markersize": 3.5, "elinewidth": style.THIN, "color": colour}
            ax.errorbar(trials.mean(), place, xerr=half_width(trials), **look)
        ax.set_yticks(range(len(own)), list(own) if number == 0 else [""] * len(own))
        ax.set_ylim(len(own) - 0.5, -0.5)
        ax.set_xlim(0, 1)
        label_axes(ax, title=task)
    figure.supxlabel("share of the optimum (mean and 95% interval)", fontsize=style.TEXT)
    return figure


def _tasks(tasks: Mapping[str, Sequence[Row]]) -> Figure:
    """Return the mean reward compared with the paper's three methods and the optimum."""
    figure, axes = style.figure(1, len(tasks), size=(style.PAGE, 2.4))
    shown = (*PRINTED, "explorer")
    names, colours = [LABELS[name] for name in shown], [COLOURS[name] for name in shown]
    for number, (ax, (task, rows)) in enumerate(zip(axes[0], tasks.items(), strict=True)):
        mine = mean_of(np.concatenate([row["totals"] for row in rows]))
        paper = [PAPER[task, method] for method in PRINTED]
        means = np.array([mean for mean, _ in paper] + [mine.mean]) / 1e6
        # The paper prints standard errors over 100 trials.
        halves = np.array([1.98 * error for _, error in paper] + [mine.half]) / 1e6
        bars_with_intervals(ax, names, means, halves, colours=colours)
        ax.tick_params(axis="x", labelsize=style.SMALL - 1)
        best = rows[0]["optimum"] / 1e6
        ax.axhline(best, color=style.INK, linewidth=style.THIN, linestyle="--")
        label_axes(ax, y="total reward (millions)" if number == 0 else "", title=task)
    figure.supxlabel(
        "Sarsa: the paper's, 100 trials; planned: ours; dashed: optimum; lines: 95% intervals",
        fontsize=style.TEXT,
    )
    return figure


def _spread(tasks: Mapping[str, Sequence[Row]]) -> Figure:
    """Return how the trials' shares of the optimum are spread."""
    figure, axes = style.figure(1, 1, size=(style.COLUMN * 1.3, 2.6))
    ax = axes[0, 0]
    for number, (task, rows) in enumerate(tasks.items()):
        ordered = np.sort(shares(rows))
        heights = np.arange(1, len(ordered) + 1) / len(ordered)
        ax.step(ordered, heights, color=style.colour(number), linewidth=style.LINE, label=task)
    ax.set_xlim(0, None)
    ax.set_ylim(0, 1)
    label_axes(ax, "share of the optimum", "share of trials below", legend="upper left")
    return figure


def _learning(tasks: Mapping[str, Sequence[Row]]) -> Figure:
    """Return how the mean reward grows, compared with the optimum."""
    figure, axes = style.figure(1, 1, size=(style.COLUMN * 1.3, 2.6))
    ax = axes[0, 0]
    for number, (task, rows) in enumerate(tasks.items()):
        steps = rows[0]["curve_steps"]
        grown = np.mean([row["curve"] for row in rows], axis=0) / rows[0]["optimum"]
        ax.plot(steps, grown, color=style.colour(number), linewidth=style.LINE, label=task)
    ax.plot([0, steps[-1]], [0, 1], color=style.FAINT, linewidth=style.THIN, linestyle="--")
    ax.set_xlim(0, steps[-1])
    ax.set_ylim(0, 1)
    label_axes(ax, "step", "reward so far,\nshare of the whole optimum", legend="upper left")
    return figure


def _ablations(tasks: Mapping[str, Sequence[Row]], ablations: Mapping[str, Shares]) -> Figure:
    """Return the share of the optimum without each part of the rule, and with other numbers."""
    found = {task: {WHOLE: shares(tasks[task]), **own} for task, own in ablations.items()}
    height = 0.9 + 0.2 * max(map(len, found.values()))
    figure = _by_task(found, WHOLE, height=height)
    for ax, own in zip(figure.axes, found.values(), strict=True):
        mean = own[WHOLE].mean()
        ax.axvline(mean, color=COLOURS["explorer"], linewidth=style.THIN, linestyle=":")
    return figure


def _hidden_goal(found: Shares) -> Figure:
    """Return each goal's share of its optimum, by agent."""
    figure, axes = style.figure(1, 1, size=(style.COLUMN, 2.4))
    ax = axes[0, 0]
    agents = [agent for agent in LABELS if agent in found]
    means, halves = np.transpose([mean_of(found[agent]) for agent in agents])
    colours = [COLOURS[agent] for agent in agents]
    bars_with_intervals(ax, [LABELS[agent] for agent in agents], means, halves, colours=colours)
    # Spread by goal, so that a goal's dot has the same place in every bar.
    places = np.linspace(-0.25, 0.25, max(map(len, found.values())))
    for place, agent in enumerate(agents):
        around = place + places[: len(found[agent])]
        ax.plot(around, found[agent], ".", markersize=2.5, color=style.INK, alpha=0.5)
    ax.set_ylim(0, 1.05)
    label_axes(ax, y="share of the goal's optimum", title="FourRooms, hidden goal")
    return figure
