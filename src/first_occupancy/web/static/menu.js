// The menu of downloads.
import { $ } from "./elements.js";

/** @param {boolean} shown */
export function showMenu(shown) {
  const held = $("downloads").contains(document.activeElement);
  $("downloads").hidden = !shown;
  $("download").setAttribute("aria-expanded", String(shown));
  if (shown) /** @type {HTMLButtonElement} */ ($("downloads").querySelector("button")).focus();
  else if (held) $("download").focus();
}

/** @param {(kind: string) => void} choose */
export function wireMenu(choose) {
  $("download").addEventListener("click", () => showMenu($("downloads").hidden));
  addEventListener("pointerdown", (event) => { if (!/** @type {Element} */ (event.target).closest(".menu")) showMenu(false); });
  // Not with null: some browsers focus nothing when a button is clicked.
  $("downloads").addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !/** @type {Element} */ (relatedTarget).closest(".menu")) showMenu(false); });
  $("downloads").addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-export]"));
    if (!button) return;
    showMenu(false);
    choose(String(button.dataset.export));
  });
}
