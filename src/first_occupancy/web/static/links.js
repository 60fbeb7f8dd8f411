// The link that holds the scene, and short messages.
import { $ } from "./elements.js";
import { escapeLink } from "./escape.js";
import { goBack, goForward, hasFuture, hasPast, remember } from "./past.js";
import { fromFragment, toFragment } from "./scene.js";
import { state } from "./state.js";
/** @import { Open } from "./types" */

let linking = 0, toasting = 0;

export function linkSoon() {
  clearTimeout(linking);
  // Browsers limit how often an address may change.
  linking = setTimeout(writeLink, 400);
}

// Remembers the scene as it is, to come back to; a stroke begins with it.
export function keep() {
  const fragment = toFragment(state.scene, state.switches);
  remember(fragment);
  showPast();
  return fragment;
}

function showPast() {
  $("undo").disabled = !hasPast();
  $("redo").disabled = !hasFuture();
}

export function writeLink() {
  clearTimeout(linking);
  if (!state.scene) return;
  const fragment = keep();
  history.replaceState(null, "", `#${$("escape-view").hidden ? fragment : escapeLink()}`);
}

// Opens what was drawn before the last change, and what was there before that was undone.
/** @param {Open} open */
export const undo = (open) => openPast(goBack, open);
/** @param {Open} open */
export const redo = (open) => openPast(goForward, open);

/** @param {() => string | null} go @param {Open} open */
function openPast(go, open) {
  writeLink();
  const fragment = go();
  if (fragment === null) return;
  const { scene, switches } = fromFragment(fragment);
  open(scene, switches);
  writeLink();
  showPast();
}

// Opens the scene, or the story, of the page's address; returns whether there was a scene.
/** @param {Open} open @param {(parts: URLSearchParams) => void} openStory */
export function readLink(open, openStory) {
  if (location.hash.length < 2) return false;
  const parts = new URLSearchParams(location.hash.slice(1));
  if (parts.get("v") === "1" && parts.has("escape")) {
    openStory(parts);
    return false;
  }
  try {
    const { scene, switches } = fromFragment(location.hash);
    open(scene, switches);
    return true;
  } catch {
    toast(`This link does not hold a scene; ${state.scene ? "yours is still here" : "here is another one"}.`);
    writeLink(); // else what is still here would be gone with the next reload
    return false;
  }
}

export async function share() {
  writeLink();
  try {
    await navigator.clipboard.writeText(location.href);
    toast(location.protocol === "file:" ? "Link copied: it holds the whole scene, and opens where this file is." : "Link copied: it holds the whole scene.");
  } catch {
    prompt("A link that holds the whole scene:", location.href);
  }
}

/** @param {string} text */
export function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toasting);
  toasting = setTimeout(() => { $("toast").hidden = true; }, 3500);
}
