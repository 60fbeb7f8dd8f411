// Downloads: the maze as text, the maze as a figure, the plan as a script.
import { drawBoard } from "./board.js";
import { role } from "./colours.js";
import { arrives } from "./legs.js";
import { SvgPen } from "./pens.js";
import { drawing } from "./scene.js";
import { script } from "./script.js";
import { state } from "./state.js";

const CELL = 24;

/** @type {Record<string, () => Promise<void> | void>} */
export const exporters = {
  maze: () => save("maze.txt", "text/plain", `${drawing(state.scene).join("\n")}\n`),
  svg: () => save("plan.svg", "image/svg+xml", figure()),
  png: savePicture,
  script: () => {
    if (!arrives(state.plan)) throw new Error("There is no plan from S to the goal yet that a script could make.");
    save("plan.py", "text/x-python", script(state.scene, state.switches));
  },
};

export function figure() {
  const { rows, columns } = state.scene, pen = new SvgPen(CELL);
  pen.rect(0, 0, columns * CELL, rows * CELL, role("card"));
  drawBoard(pen);
  return pen.document(columns * CELL, rows * CELL);
}

async function savePicture() {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(figure())}`;
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width * 2, height: picture.height * 2 });
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(picture, 0, 0, canvas.width, canvas.height);
  save("plan.png", "image/png", await new Promise((resolve) => { canvas.toBlob((blob) => resolve(/** @type {Blob} */ (blob)), "image/png"); }));
}

/** @param {string} name @param {string} type @param {BlobPart} content */
function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
