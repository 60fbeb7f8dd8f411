// The base policies: one for each move, or drawn by hand.
import { $, all } from "./elements.js";
import { keep } from "./links.js";
import { DIRECTIONS } from "./scene.js";
import { state } from "./state.js";
/** @import { Corners, Direction, Tool } from "./types" */

/** @param {{ rows: number, columns: number }} grid @param {Direction} usual */
const arrowless = ({ rows, columns }, usual) => ({ usual, arrows: new Uint8Array(rows * columns) });

/** @param {string} kind @param {(tool: Tool) => void} setTool */
function choose(kind, setTool) {
  const { scene } = state;
  if (kind === "drawn") {
    if (!scene.drawn.length) scene.drawn = /** @type {Direction[]} */ (["right", "up"]).map((usual) => arrowless(scene, usual));
    state.policy = 0;
    setTool("arrows");
  } else {
    Object.assign(scene, { drawn: [], moves: Number(kind) });
    state.policy = Math.min(Number(state.policy), Number(kind) - 1);
    if (state.tool === "arrows") setTool("look");
  }
}

function add() {
  const { scene } = state;
  scene.drawn.push(arrowless(scene, DIRECTIONS[scene.drawn.length % 4]));
  state.policy = scene.drawn.length - 1;
}

// Until a plan has chosen a policy, the settings show the first.
const shown = () => state.policy ?? 0;

function drop() {
  state.scene.drawn.splice(shown(), 1);
  state.policy = 0;
}

// Each change is one to undo, and `changed` is told of it.
/** @param {() => void} changed @param {(tool: Tool) => void} setTool */
export function wireSkills(changed, setTool) {
  /** @param {HTMLElement} button @param {string} kind @param {() => void} change */
  const on = (button, kind, change) => button.addEventListener(kind, () => {
    keep();
    change();
    changed();
  });
  for (const button of all("[data-skills]")) on(button, "click", () => choose(String(button.dataset.skills), setTool));
  on($("corners"), "change", () => { state.scene.corners = /** @type {Corners} */ ($("corners").value); });
  on($("usual"), "change", () => { state.scene.drawn[shown()].usual = /** @type {Direction} */ ($("usual").value); });
  on($("add-policy"), "click", add);
  on($("drop-policy"), "click", drop);
}
