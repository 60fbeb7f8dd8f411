// The maze itself: painting it, and drawing on it by pointer and keys.
import { heat, policyColour, role } from "./colours.js";
import { drawAgent, drawArrow, drawCoordinates, drawFloor, drawGoal, drawGrid, drawLegs, drawMarks, drawStart, outline } from "./drawing.js";
import { $ } from "./elements.js";
import { arrives, shownLegs } from "./legs.js";
import { canvasPen } from "./pens.js";
import { state } from "./state.js";
/** @import { GoalPlan, Pen, Plan, Scene } from "./types" */

const MARGIN = 18; // for the numbers of rows and columns
const canvas = $("board");
let geometry = { cell: 1, left: 0, top: 0 };

export const boardGeometry = () => geometry;

export function paintBoard() {
  const { scene } = state;
  const guided = innerHeight >= 700 && !$("guide").hidden; // then the board stays on the screen, in one column too
  const room = innerWidth > 980 ? Math.max(260, innerHeight - 410) : innerHeight * (guided ? 0.38 : 0.75);
  const pen = canvasPen(canvas, scene.rows, scene.columns, room, MARGIN);
  geometry = pen;
  drawCoordinates(pen, scene, MARGIN);
  drawBoard(pen);
  if (state.agent) drawAgent(pen, state.agent.cell, state.agent.trail, scene.columns);
  // In small cells the start is larger than its outline, which would cross out the letter.
  const { from } = state, shown = from !== null && !scene.walls[from] && (pen.cell > 16 || from !== scene.start);
  if (shown) outline(pen, from, scene.columns, role("ink"), state.pinned ? 3.2 : 1.6);
  if (state.cursor !== null && document.activeElement === canvas) outline(pen, state.cursor, scene.columns, role("focus"), 3);
}

// Everything but what comes and goes; figures are made of it too.
/** @param {Pen} pen */
export function drawBoard(pen) {
  const { scene, plan } = state, first = fits(plan, scene) ? plan.plans[0] : null, noisy = scene.noise > 0;
  drawFloor(pen, scene, (cell) => {
    const value = first?.discount[cell];
    return value ? heat("fr", 0.06 + 0.34 * value) : null;
  });
  drawGrid(pen, scene);
  drawMarks(pen, scene);
  const byHand = state.tool === "arrows" && scene.drawn.length > 0;
  if (plan && first && !byHand && pen.cell >= 11) drawChoices(pen, scene, plan, first);
  if (plan && first) {
    const elsewhere = state.from !== null && state.from !== scene.start, tour = plan.plans.flatMap(({ legs }) => legs);
    if (elsewhere || byHand) drawLegs(pen, tour, scene.columns, { noisy, thickness: 0.4, alpha: 0.6 });
    if (!byHand) drawLegs(pen, shownLegs(), scene.columns, { noisy, chosen: state.leg });
  }
  if (byHand) drawPolicy(pen, scene, Number(state.policy));
  const order = fits(plan, scene) ? plan.plans.map(({ goal }) => goal) : scene.goals;
  for (const goal of scene.goals) {
    const place = order.indexOf(goal);
    drawGoal(pen, goal, scene.columns, scene.goals.length > 1 && place >= 0 && arrives(plan) ? String(place + 1) : "G");
  }
  if (scene.start >= 0) drawStart(pen, scene.start, scene.columns);
}

/** @param {Pen} pen @param {Scene} scene @param {Plan} plan @param {GoalPlan} first */
function drawChoices(pen, scene, plan, first) {
  for (let cell = 0; cell < first.policy.length; cell++) {
    const policy = first.policy[cell];
    if (policy >= 0 && !scene.walls[cell]) drawArrow(pen, cell, scene.columns, plan.actions[policy][cell], policyColour(policy), 0.75, 0.8);
  }
}

/** @param {Pen} pen @param {Scene} scene @param {number} number */
function drawPolicy(pen, scene, number) {
  const { usual, arrows } = scene.drawn[Math.min(number, scene.drawn.length - 1)];
  const base = ["up", "right", "down", "left"].indexOf(usual);
  for (let cell = 0; cell < arrows.length; cell++) {
    if (scene.walls[cell]) continue;
    const own = arrows[cell] > 0;
    drawArrow(pen, cell, scene.columns, own ? arrows[cell] - 1 : base, policyColour(number), own ? 1 : 0.4, own ? 1.1 : 0.8);
  }
}

/** @type {(plan: Plan | null, scene: Scene) => plan is Plan} */
const fits = (plan, scene) => plan !== null && plan.rows === scene.rows && plan.columns === scene.columns && plan.plans.length > 0;
