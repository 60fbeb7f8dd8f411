// A Python script that makes a scene's plan with the library, to go on from there.
import { EXACT_UP_TO } from "./engine/answers.js";
import { MOST_GOALS } from "./engine/room.js";
import { DIRECTIONS, drawing } from "./scene.js";
/** @import { Scene } from "./types" */

const ARROWS = "^>v<";

/** @param {Scene} scene @param {number | null} switches */
export function script(scene, switches) {
  return `"""A scene of the first-occupancy lab: \`first-occupancy lab\` shows it."""

import jax
import numpy as np

import first_occupancy as fo
from first_occupancy import environments, planning

# JAX computes in float32 unless told otherwise.
jax.config.update("jax_enable_x64", True)

drawing = [
${quoted(drawing(scene), 4)}
]
world = fo.maze(drawing${moves(scene)}${scene.noise ? `, noise=${number(scene.noise)}` : ""})
discount = ${number(scene.discount)}
max_switches = ${switches ?? "None"}  # None: until no switch helps; 0: GPI

${policies(scene)}
${planner(scene)}
goals = list(world.goals[:${MOST_GOALS}])
plans = {goal: planner.plan(goal, max_switches=max_switches, refine=0) for goal in goals}
logs = np.stack([np.asarray(plans[goal].log_promised) for goal in goals], axis=1)
tour = planning.best_order(world.start, goals, logs)
here = world.start
for goal in tour.order:
    for leg in plans[goal].legs(here):
        print(names[leg.policy], "until", world.cell(leg.subgoal))
    here = goal
print(f"promised discount {tour.discount:.6g}")
`;
}

/** @param {string[]} lines @param {number} indent */
const quoted = (lines, indent) => lines.map((line) => `${" ".repeat(indent)}"${line}",`).join("\n");
/** @param {Scene} scene */
const moves = (scene) => (scene.moves === 8 ? `, moves=environments.EIGHT_MOVES${scene.corners === "forbid" ? "" : `, corners="${scene.corners}"`}` : "");
/** @param {number} value */
const number = (value) => (Number.isInteger(value) ? `${value}.0` : String(value));

/** @param {Scene} scene */
function policies(scene) {
  if (!scene.drawn.length) {
    return `# One policy for each move, which always takes it.
names = world.action_names
actions = np.repeat(np.arange(world.num_actions)[:, None], world.num_states, axis=1)
`;
  }
  const drawn = scene.drawn.map((_, policy) => `    [\n${quoted(arrowLines(scene, policy), 8)}\n    ],`).join("\n");
  const names = scene.drawn.map((_, policy) => `"${String.fromCharCode(65 + policy)}"`).join(", ");
  return `# Policies drawn by hand.
arrows = [
${drawn}
]
names = [${names}]
actions = np.stack([environments.drawn_policy(world, lines).argmax(axis=1) for lines in arrows])
`;
}

// A hand-drawn policy with an arrow on every cell, as \`drawn_policy\` reads it.
/** @param {Scene} scene @param {number} policy */
function arrowLines({ rows, columns, drawn }, policy) {
  const { usual, arrows } = drawn[policy], base = DIRECTIONS.indexOf(usual);
  const letters = Array.from(arrows, (arrow) => ARROWS[arrow ? arrow - 1 : base]);
  return Array.from({ length: rows }, (_, row) => letters.slice(row * columns, (row + 1) * columns).join(""));
}

/** @param {Scene} scene */
function planner(scene) {
  const made = "planner = fo.Planner(WORLD, policies=actions, discount=discount)";
  if (!scene.noise || scene.rows * scene.columns <= EXACT_UP_TO) return made.replace("WORLD", "world");
  return `# In so large a maze the plan is made as if there were no noise.\n${made.replace("WORLD", `fo.maze(drawing${moves(scene)})`)}`;
}
