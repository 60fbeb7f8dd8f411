// The cell that is looked at: its plan is drawn, and the rows of a policy from it are in the maps.
import { ask } from "./asking.js";
import { $ } from "./elements.js";
import { describe, paintLegs, shownLegs } from "./legs.js";
import { repaint, state, whileWaiting } from "./state.js";
/** @import { Scene } from "./types" */

// Where one looks from unless pointing at something: the start, or else the first free cell.
/** @param {Scene} scene */
export function restingCell(scene) {
  const cell = scene.start >= 0 ? scene.start : scene.walls.indexOf(0);
  return cell < 0 ? null : cell;
}

// Looks at a cell, unless another is pinned.
/** @param {number | null} cell */
export function lookAt(cell) {
  if (state.pinned || cell === state.from || (cell !== null && state.scene.walls[cell])) return;
  lookFrom(cell);
}

// Looks from nowhere in particular.
export const lookAway = () => lookAt(restingCell(state.scene));

// Keeps looking at a cell; the same one again is let go.
/** @param {number} cell */
export function pin(cell) {
  if (state.scene.walls[cell]) return;
  state.pinned = !(state.pinned && cell === state.from);
  lookFrom(state.pinned ? cell : state.from);
}

export function unpin() {
  if (!state.pinned) return;
  state.pinned = false;
  lookFrom(restingCell(state.scene));
}

/** @param {number | null} cell */
function lookFrom(cell) {
  state.from = cell;
  state.leg = null;
  if (state.plan) paintLegs();
  sayPinned();
  repaint("board");
  askRow();
}

// After a change of the scene the cell may be gone.
export function lookWhereItStillIs() {
  const { scene, from } = state;
  if (from !== null && from < scene.walls.length && !scene.walls[from]) return;
  state.pinned = false;
  state.from = restingCell(scene);
  sayPinned();
}

// What is said of the pinned cell and of the keyboard's: both name the plan from there.
export function sayCells() {
  sayPinned();
  if ($("cursor-reading").textContent && state.cursor !== null) $("cursor-reading").textContent = describe(state.cursor);
}

function sayPinned() {
  $("pinned").hidden = !state.pinned;
  $("pinned").textContent = state.pinned && state.from !== null ? `${describe(state.from)}. Pinned: click it again, or press Esc, to let it go.` : "";
}

// Points at a leg, or at none: the maps then show the row of its policy from where it begins.
/** @param {number | null} number */
export function lookAtLeg(number) {
  if (number === state.leg) return;
  state.leg = number;
  repaint("board");
  askRow();
}

export const askRow = () => whileWaiting(["maps"], async () => {
  const { scene, leg } = state, shown = leg === null ? null : shownLegs()[leg];
  const cell = shown ? shown.from : state.from, policy = shown ? shown.policy : state.policy;
  if (cell === null || policy === null) {
    state.row = null;
    return;
  }
  const row = await ask("row", { scene, policy, cell });
  if (row && scene === state.scene) state.row = row;
});
