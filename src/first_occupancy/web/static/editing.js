// What strokes, keys and controls do to the scene.
import { $, all } from "./elements.js";
import { describe } from "./legs.js";
import { keep, linkSoon, toast, writeLink } from "./links.js";
import { askRow, lookAt, lookAway, lookWhereItStillIs, pin, restingCell } from "./looking.js";
import { stopPlaying } from "./play.js";
import { PRESETS } from "./presets.js";
import { clearedWalls, fromText, resized, toFragment } from "./scene.js";
import { showSettings } from "./settings.js";
import { repaint, state } from "./state.js";
/** @import { Edit, Scene, Tool } from "./types" */

const SIDES = /** @type {("rows" | "columns")[]} */ (["rows", "columns"]);
// The walls, start and goals of a scene: noise and discount do not make it another maze.
/** @param {Scene} scene */
const mazeOf = (scene) => toFragment({ ...scene, moves: 4, corners: "forbid", drawn: [], discount: 0.95, noise: 0 }, null);
const KNOWN = PRESETS.map(({ scene }) => mazeOf(fromText(scene)));
let askPlan = () => {};

// `ask` is called after every change.
/** @param {() => void} ask */
export function onChange(ask) { askPlan = ask; }

export function sceneChanged() {
  if (state.agent) stopPlaying();
  state.leg = null;
  lookWhereItStillIs();
  $("preset").selectedIndex = KNOWN.indexOf(mazeOf(state.scene)) + 1;
  if (state.cursor === null) $("cursor-reading").textContent = "";
  askPlan();
  askRow();
  showSettings();
  linkSoon();
  // The maps follow with their answers.
  repaint("board");
}

/** @type {Edit} */
export const edit = {
  begin: keep,
  pin,
  away: lookAway,
  /** @param {number} cell @param {boolean} [byKeys] */
  look(cell, byKeys = false) {
    if (byKeys) $("cursor-reading").textContent = describe(cell);
    repaint("board");
    lookAt(cell);
  },
  /** @param {number} cell @param {number} wall */
  wall(cell, wall) {
    const { scene } = state;
    if (scene.walls[cell] === wall || cell === scene.start || scene.goals.includes(cell)) return;
    scene.walls[cell] = wall;
    scene.marks[cell] = 0;
    sceneChanged();
  },
  /** @param {number} cell @param {number} mark */
  mark(cell, mark) {
    const { scene } = state;
    if (cell === scene.start || scene.goals.includes(cell) || (!scene.walls[cell] && scene.marks[cell] === mark)) return;
    scene.walls[cell] = 0;
    scene.marks[cell] = mark;
    sceneChanged();
  },
  // Moves a goal, or with null the start; returns whether it could.
  /** @param {number | null} goal @param {number} cell */
  move(goal, cell) {
    const { scene } = state;
    if (goal !== null && !scene.goals.includes(goal)) return false; // undone while it was dragged
    if (scene.walls[cell] || cell === scene.start || scene.goals.includes(cell)) return false;
    if (goal === null) {
      if (state.from === scene.start) state.from = cell;
      scene.start = cell;
    } else scene.goals[scene.goals.indexOf(goal)] = cell;
    sceneChanged();
    return true;
  },
  /** @param {number} cell */
  goal(cell) {
    const { scene } = state;
    if (cell === scene.start) return;
    if (scene.goals.includes(cell)) scene.goals = scene.goals.filter((goal) => goal !== cell);
    else if (scene.goals.length >= 8) return toast("There can be at most eight goals.");
    else {
      scene.walls[cell] = 0;
      scene.goals.push(cell);
    }
    sceneChanged();
  },
  /** @param {number} one @param {number} other */
  arrow(one, other) {
    const { scene } = state, policy = scene.drawn[/** @type {number} */ (state.policy)];
    const arrow = { [-scene.columns]: 1, 1: 2, [scene.columns]: 3, "-1": 4 }[other - one];
    if (!policy || !arrow) return;
    policy.arrows[one] = arrow;
    sceneChanged();
  },
  focus: () => repaint("board"),
};

/** @param {Scene} scene @param {number | null} switches */
export function open(scene, switches) {
  const from = restingCell(scene);
  Object.assign(state, { scene, switches, from, plan: null, row: null, target: null, cursor: null, policy: null, pinned: false, leg: null });
  setTool(scene.drawn.length || state.tool !== "arrows" ? state.tool : "look");
  sceneChanged();
}

// What was looked at stays, as far as it is still there.
/** @param {Scene} scene @param {number | null} switches */
export function reopen(scene, switches) {
  const { from, policy, pinned, scene: { rows, columns } } = state, least = scene.drawn.length || scene.moves;
  open(scene, switches);
  if (policy !== null) state.policy = Math.min(policy, least - 1);
  if (from !== null && !scene.walls[from] && rows === scene.rows && columns === scene.columns) Object.assign(state, { from, pinned });
  askRow();
  showSettings();
}

/** @param {Tool} tool */
export function setTool(tool) {
  state.tool = tool;
  $("board").dataset.tool = tool;
  $("mark").hidden = tool !== "terrain";
  for (const button of all("[data-tool]:not(canvas)")) button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  repaint("board");
}

function resize() {
  // An emptied field keeps the size.
  const [rows, columns] = SIDES.map((id) => Math.min(60, Math.max(3, Math.round(Number($(id).value || state.scene[id])))));
  if (rows === state.scene.rows && columns === state.scene.columns) return showSettings();
  writeLink();
  open(resized(state.scene, rows, columns), state.switches);
}

function clearWalls() {
  writeLink();
  state.scene.walls = clearedWalls(state.scene);
  state.scene.marks.fill(0);
  sceneChanged();
}

export function wireEditing() {
  for (const id of SIDES) $(id).addEventListener("change", resize);
  $("clear").addEventListener("click", clearWalls);
  for (const button of all("[data-tool]:not(canvas)")) button.addEventListener("click", () => setTool(/** @type {Tool} */ (button.dataset.tool)));
}
