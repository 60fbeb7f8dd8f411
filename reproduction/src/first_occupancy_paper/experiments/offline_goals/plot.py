"""Figures: success on every set beside the table's best, and classic control (`plot_control`)."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy_paper.experiments.answers import wilson
from first_occupancy_paper.experiments.offline_goals.find import TABLE, counts
from first_occupancy_paper.experiments.offline_goals.network_peers import NETWORKS
from first_occupancy_paper.experiments.offline_goals.plot_control import plot_control
from first_occupancy_paper.experiments.offline_goals.position_graph import NAME
from first_occupancy_paper.experiments.offline_goals.variants import VARIANTS
from first_occupancy_paper.rows.row import Row, where
from first_occupancy_paper.worlds.point_maze_logs import SETS


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name; none without rows."""
    return _success(where(rows, "variant", "reached")) | plot_control(rows)


def _success(attempts: Sequence[Row]) -> dict[str, Figure]:
    if not attempts:
        return {}
    figure, ((ax,),) = style.figure(1, 1, size=(style.PAGE, 3.2))
    tried = {row["variant"] for row in attempts}
    shown = [name for name in (*VARIANTS, *NETWORKS, NAME) if name in tried]
    for number, name in enumerate(shown):
        _draw(ax, attempts, name, number, (number - len(shown) / 2) * 0.8 / len(shown))
    places, best = range(len(SETS)), [TABLE[each] for each in SETS]
    ax.plot(best, places, "|", color=style.BLACK, markersize=14, label="table")
    ax.set_yticks(places, ["-".join(each) for each in SETS], fontsize=style.TEXT)
    ax.set_xlim(-2, 102)
    label_axes(ax, "goals reached (%)")
    ax.legend(fontsize=style.TEXT, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return {"success": figure}


def _draw(axes: Axes, rows: Sequence[Row], name: str, number: int, shift: float) -> None:
    label: str | None = name
    for place, (maze, kind) in enumerate(SETS):
        reached, total = counts(rows, name, maze, kind)
        if not total:
            continue
        low, high = wilson(reached, total)
        colour = style.colour(number)
        axes.plot([100 * low, 100 * high], [place + shift] * 2, color=colour, linewidth=style.THIN)
        axes.plot(
            [100 * reached / total],
            [place + shift],
            "os"[number // 8],  # colours repeat after eight
            color=colour,
            markersize=3,
            label=label,
        )
        label = None
