// The settings as the scene has them.
import { $, all } from "./elements.js";
import { state } from "./state.js";

// The discount's slider is even in how far one sees, 1 / (1 - discount).
/** @param {number} place */
export const toDiscount = (place) => Math.round((1 - 0.5 * 0.002 ** (place / 100)) * 1000) / 1000;
/** @param {number} discount */
const fromDiscount = (discount) => (100 * Math.log((1 - discount) / 0.5)) / Math.log(0.002);

export function showSettings() {
  const { scene } = state, drawn = scene.drawn.length > 0;
  $("rows").value = String(scene.rows);
  $("columns").value = String(scene.columns);
  $("discount").value = String(fromDiscount(scene.discount));
  $("discount-value").textContent = scene.discount.toFixed(3).replace(/0$/, "");
  $("discount").setAttribute("aria-valuetext", $("discount-value").textContent); // not its place on the slider
  $("noise").value = String(scene.noise);
  $("noise-value").textContent = scene.noise.toFixed(2);
  for (const button of all("[data-skills]")) button.setAttribute("aria-pressed", String(button.dataset.skills === (drawn ? "drawn" : String(scene.moves))));
  $("corners-field").hidden = scene.moves !== 8;
  $("corners").value = scene.corners;
  $("drawn-controls").hidden = !drawn;
  all('button[data-tool="arrows"]')[0].hidden = !drawn;
  if (!drawn) return;
  const policy = scene.drawn[Math.min(Number(state.policy), scene.drawn.length - 1)];
  $("usual").value = policy.usual;
  $("drawn-name").textContent = String.fromCharCode(65 + scene.drawn.indexOf(policy));
  $("add-policy").disabled = scene.drawn.length >= 8;
  $("drop-policy").disabled = scene.drawn.length <= 1;
}
