// A maze that was copied as text, such as a maze file: pasting opens it.
import { toast } from "./links.js";
import { MARKS, MOST_GOALS } from "./engine/room.js";
import { MOST, fromText } from "./scene.js";
import { state } from "./state.js";
/** @import { Scene } from "./types" */

const KNOWN = `#.SG1 ${MARKS}`;

/** @param {(scene: Scene) => void} open */
export function wirePasting(open) {
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim() || /** @type {Element} */ (event.target).closest("input, select, dialog")) return;
    try {
      open(fromDrawing(text));
    } catch (error) {
      toast(error.message);
    }
  });
}

// The scene of a drawing, with the settings of the present one; hand-drawn policies stay behind with their maze.
/** @param {string} text @returns {Scene} */
export function fromDrawing(text) {
  const lines = text.split(/\r?\n/).filter((line, number, all) => line || (all.slice(0, number).some(Boolean) && all.slice(number).some(Boolean)));
  check(lines);
  const { moves, corners, discount, noise } = state.scene;
  return fromText({ drawing: lines, moves, corners, drawn: [], discount, noise });
}

/** @param {string[]} lines */
function check(lines) {
  const letters = [...lines.join("")], wrong = letters.find((letter) => !KNOWN.includes(letter));
  if (wrong !== undefined) throw new Error(`A maze is drawn with # . S G ^ > v < and digits from 1 to 9; the pasted text has "${wrong}".`);
  if (lines.some((line) => line.length !== lines[0].length)) throw new Error("The lines of a maze must be equally long.");
  if (lines.length > MOST || lines[0].length > MOST) throw new Error(`Mazes have at most ${MOST} rows and columns here.`);
  /** @param {string} letter */
  const number = (letter) => letters.filter((each) => each === letter).length;
  if (number("S") > 1) throw new Error("A maze has one start S at most.");
  if (number("G") > MOST_GOALS) throw new Error(`There can be at most ${MOST_GOALS} goals.`);
  if (number("#") === letters.length) throw new Error("A maze needs a free cell.");
}
