"""A Python script that makes a scene's plan with the library, to go on from there."""

from first_occupancy.core.errors import InputError
from first_occupancy.web.noise import is_small_enough
from first_occupancy.web.rooms import arrow_lines, room, tidy
from first_occupancy.web.scenes import MOST_GOALS, PlanQuestion, Scene


def script(question: PlanQuestion) -> str:
    """Return the script's text; it prints the legs, goal by goal, and the expected discount."""
    scene = question.scene
    lines = tidy(scene.drawing)
    imports = _imports()
    parts = [
        '"""A scene of the first-occupancy lab: `first-occupancy lab` shows it."""\n',
        imports,
        "# JAX computes in float32 unless told otherwise.",
        'jax.config.update("jax_enable_x64", True)\n',
        _maze(lines, scene),
        f"discount = {scene.discount!r}",
        f"max_switches = {question.switches!r}  # None: until no switch helps; 0: GPI\n",
        _policies(scene),
        _planner(scene),
        f"goals = list(world.goals[:{MOST_GOALS}])",
        _tour(),
    ]
    return "\n".join(parts)


def _imports() -> str:
    return "import jax\nimport numpy as np\n\nimport first_occupancy as fo\n"


def _maze(lines: list[str], scene: Scene) -> str:
    drawing = "\n".join(f'    "{line}",' for line in lines)
    moves = _moves(scene)
    noise = f", noise={scene.noise!r}" if scene.noise else ""
    return f"drawing = [\n{drawing}\n]\nworld = fo.maze(drawing{moves}{noise})"


def _moves(scene: Scene) -> str:
    return ", moves=fo.EIGHT_MOVES" if scene.moves == 8 else ""


def _policies(scene: Scene) -> str:
    if not scene.drawn:
        return (
            "# One policy for each move, which always takes it.\n"
            "names = world.action_names\n"
            "actions = np.repeat(np.arange(world.num_actions)[:, None], world.num_states, axis=1)\n"
        )
    drawn = []
    for number in range(len(scene.drawn)):
        lines = "\n".join(f'        "{line}",' for line in arrow_lines(scene, number))
        drawn.append(f"    [\n{lines}\n    ],")
    arrows = "\n".join(drawn)
    return (
        f"# Policies drawn by hand.\narrows = [\n{arrows}\n]\n"
        f"names = {[chr(ord('A') + number) for number in range(len(scene.drawn))]!r}\n"
        "actions = np.stack([fo.drawn_policy(world, lines).argmax(axis=1) for lines in arrows])\n"
    )


def _planner(scene: Scene) -> str:
    planner = "planner = fo.Planner({}, policies=actions, discount=discount)\n"
    if scene.noise and not _is_exact(scene):
        return (
            "# In so large a room the plan is made as if there were no noise.\n"
            + planner.format(f"fo.maze(drawing{_moves(scene)})")
        )
    return planner.format("world")


def _is_exact(scene: Scene) -> bool:
    try:
        return scene.noise > 0 and is_small_enough(room(scene))
    except InputError:
        return False


def _tour() -> str:
    return """plans = {goal: planner.plan(goal, max_switches=max_switches) for goal in goals}
logs = np.stack([np.asarray(plans[goal].log_discount) for goal in goals], axis=1)
tour = fo.best_order(world.start, goals, logs)
here = world.start
for goal in tour.order:
    for leg in fo.unroll(plans[goal], here):
        print(names[leg.policy], "until", world.cell(leg.subgoal))
    here = goal
print(f"expected discount {tour.discount:.6g}")
"""
