"""Draw when three plans arrive: the soonest, the surest, and the one for a deadline.

    python docs/draw_arrivals.py

writes `docs/pictures/arrivals.png`. The short way leads along pits, into which noise may push; the
long way is safe. The soonest plan takes the short way, the surest one the long way, and the plan
for a deadline decides by the time that is left.
"""

from pathlib import Path

import numpy as np

import first_occupancy as fo
from first_occupancy import plotting
from first_occupancy.plotting import style

DRAWING = [*["............"] * 3, "S..........G", "............"]
PITS = [(4, column) for column in range(2, 10)]
NOISE, DISCOUNT, DEADLINE, LATEST = 0.1, 0.9, 18, 32


def draw() -> plotting.NotebookFigure:
    """Return the figure: for each plan, the probability of having arrived by each time."""
    world = fo.maze(DRAWING, noise=NOISE)
    goal = world.goals[0]
    plans = {
        f"soonest (discount {DISCOUNT})": fo.plan(world, goal, discount=DISCOUNT, avoid=PITS),
        "surest (discount 1)": fo.plan(world, goal, discount=1.0, avoid=PITS),
        f"by the deadline ({DEADLINE})": fo.plan(world, goal, deadline=DEADLINE, avoid=PITS),
    }
    figure, ((ax,),) = plotting.figure(1, 1, size=(style.PAGE * 0.7, 2.8))
    times = np.arange(LATEST + 1)
    for number, (name, plan) in enumerate(plans.items()):
        arrival, colour = plan.arrival(world.start), style.colour(number)
        ax.step(times, arrival.by(times), where="post", color=colour, linewidth=style.LINE)
        share = arrival.by(DEADLINE)
        ax.plot([], [], color=colour, label=f"{name}: {share:.3f} in time")
    ax.axvline(DEADLINE, ymax=0.98, color=style.FAINT, linewidth=style.THIN, linestyle="--")
    ax.text(DEADLINE - 0.2, 1, "deadline ", fontsize=style.TEXT, ha="right", va="center")
    ax.set(xlabel="steps", ylabel="probability of having arrived", xlim=(8, LATEST), ylim=(0, 1.05))
    ax.legend(frameon=False, fontsize=style.TEXT, loc="lower right")
    return figure


if __name__ == "__main__":
    plotting.save(draw(), Path(__file__).parent / "pictures" / "arrivals.png")
