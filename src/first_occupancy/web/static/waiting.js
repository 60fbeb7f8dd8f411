// Whether the server is there, and warm.
import { get } from "./api.js";
import { $ } from "./elements.js";

const LONG = 300; // ms without a plan after which the page shows that what it says is old
const status = $("status");
let looking = false, missed = false, late = 0;

export function awaitPlan() {
  late ||= setTimeout(() => { document.body.dataset.waiting = "long"; }, LONG);
}

export function havePlan() {
  clearTimeout(late);
  late = 0;
  delete document.body.dataset.waiting;
}

// Looks as `watchServer` does, after a question without an answer.
/** @param {() => void} back */
export function missServer(back) {
  missed = true;
  return watchServer(back);
}

// Looks until the server answers and all is compiled; then says nothing, and calls `back` if something had no answer.
/** @param {() => void} back */
export async function watchServer(back) {
  if (looking) return;
  looking = true;
  for (;;) {
    const answer = await get("api/status").catch(() => null);
    missed ||= !answer;
    if (answer?.ready && !missed) break;
    status.hidden = false;
    status.textContent = missed ? "no answer: is the lab still running?" : "warming up…";
    await new Promise((resolve) => { setTimeout(resolve, 700); });
    // After the pause, since what broke one question off may break the next.
    if (answer && missed) {
      missed = false;
      back();
    }
  }
  status.hidden = true;
  looking = false;
}
