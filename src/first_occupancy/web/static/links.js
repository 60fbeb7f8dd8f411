// The link that holds the scene, and short messages.
import { fromFragment, toFragment } from "./scene.js";
import { state } from "./state.js";

const $ = (id) => document.getElementById(id);
let linking = 0, toasting = 0;

export function linkSoon() {
  clearTimeout(linking);
  // Browsers limit how often an address may change.
  linking = setTimeout(writeLink, 400);
}

function writeLink() {
  history.replaceState(null, "", `#${toFragment(state.scene, state.switches)}`);
}

// Opens the scene of the page's address; returns whether there was one.
export function readLink(open) {
  if (location.hash.length < 2) return false;
  try {
    const { scene, switches } = fromFragment(location.hash);
    open(scene, switches);
    return true;
  } catch {
    toast("This link does not hold a scene; here is another one.");
    return false;
  }
}

export async function share() {
  writeLink();
  try {
    await navigator.clipboard.writeText(location.href);
    toast("Link copied: it holds the whole scene.");
  } catch {
    prompt("A link that holds the whole scene:", location.href);
  }
}

export function toast(text) {
  $("toast").textContent = text;
  $("toast").hidden = false;
  clearTimeout(toasting);
  toasting = setTimeout(() => { $("toast").hidden = true; }, 3500);
}
