// The base policies: one for each move, or drawn by hand.
import { keep } from "./links.js";
import { DIRECTIONS } from "./scene.js";
import { state } from "./state.js";

const $ = (id) => document.getElementById(id);

const arrowless = ({ rows, columns }, usual) => ({ usual, arrows: new Uint8Array(rows * columns) });

function choose(kind, setTool) {
  const { scene } = state;
  if (kind === "drawn") {
    if (!scene.drawn.length) scene.drawn = ["right", "up"].map((usual) => arrowless(scene, usual));
    state.policy = 0;
    setTool("arrows");
  } else {
    Object.assign(scene, { drawn: [], moves: Number(kind) });
    state.policy = Math.min(state.policy, Number(kind) - 1);
    if (state.tool === "arrows") setTool("walls");
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
export function wireSkills(changed, setTool) {
  const on = (button, kind, change) => button.addEventListener(kind, () => {
    keep();
    change();
    changed();
  });
  for (const button of document.querySelectorAll("[data-skills]")) on(button, "click", () => choose(button.dataset.skills, setTool));
  on($("usual"), "change", () => { state.scene.drawn[shown()].usual = $("usual").value; });
  on($("add-policy"), "click", add);
  on($("drop-policy"), "click", drop);
}
