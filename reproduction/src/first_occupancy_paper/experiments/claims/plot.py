"""The figures: shortest paths by number of sweeps in FourRooms, and bounds on the FR's norm."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from first_occupancy.plotting import style
from first_occupancy.plotting.curves import label_axes
from first_occupancy_paper.rows.row import Row, where


def plot(rows: Sequence[Row]) -> dict[str, Figure]:
    """Return the figures by name."""
    return {
        "norms": _norms(where(rows, "printed", part="bounds")),
        "sweeps": _sweeps(where(rows, kind="sweeps")),
    }


def _norms(rows: Sequence[Row]) -> Figure:
    sizes = [row["num_states"] for row in rows]
    figure, axes = style.figure(1, 2, size=(style.PAGE, 2.5))
    # The left panel shows the difference between the bounds, the right one their limit.
    for ax, largest in zip(axes[0], (12, max(sizes)), strict=True):
        for name, colour, line, label in (
            ("printed", style.VERMILLION, "--", r"$\kappa$ as printed, $\gamma^{S+1}$"),
            ("tight", style.INK, "-", r"with $\gamma^{S}$"),
        ):
            ax.plot(sizes, [row[name] for row in rows], line, color=colour, label=label)
        attained = [row["attained"] for row in rows]
        ax.plot(
            sizes, attained, "o", color=style.FR, markersize=3.5, label="walk through all states"
        )
        ax.set_xlim(0, largest * 1.03)
        top = max(row["printed"] for row in rows if row["num_states"] <= largest)
        ax.set_ylim(0, top * 1.12)
        label_axes(ax, r"number of states $S$", r"$\|F^\pi(s)\|_1$")
    limit = rows[0]["limit"]
    axes[0, 1].axhline(limit, color=style.FAINT, linewidth=style.THIN, linestyle=":")
    axes[0, 1].annotate(
        rf"$1 / (1-\gamma) = {limit:.0f}$",
        (max(sizes), limit),
        xytext=(0, 3),
        textcoords="offset points",
        fontsize=style.TEXT,
        ha="right",
        va="bottom",
    )
    axes[0, 1].legend(loc="lower right", fontsize=style.TEXT, frameon=False)
    return figure


def _sweeps(rows: Sequence[Row]) -> Figure:
    figure, axes = style.figure(size=(style.COLUMN * 1.3, 2.6))
    ax = axes[0, 0]
    sweeps = [row["sweeps"] for row in rows]
    for name, colour, line, label in (
        ("frp", style.FR, "-o", "FRP"),
        ("in_place", style.FR, ":^", "FRP, sweeps in place"),
        ("vi", style.VI, "-s", "VI"),
    ):
        shares = [100 * row[name] / row["pairs"] for row in rows]
        ax.plot(sweeps, shares, line, color=colour, markersize=3, linewidth=style.LINE, label=label)
    share = 100 * rows[0]["frp"] / rows[0]["pairs"]
    ax.annotate(
        "GPI",
        (0, share),
        xytext=(1.2, share - 8),
        fontsize=style.TEXT,
        color=style.GPI,
        arrowprops={"arrowstyle": "-", "color": style.GPI, "linewidth": style.THIN},
    )
    ax.set_ylim(0, 104)
    title = f"FourRooms, all {rows[0]['pairs']:,} pairs of start and goal"
    label_axes(ax, "sweeps", "paths that are shortest (%)", title=title, legend="lower right")
    return figure
