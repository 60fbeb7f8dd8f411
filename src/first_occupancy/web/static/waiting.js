// Whether the server is there, and warm.
import { get } from "./api.js";

const status = document.getElementById("status");
let looking = false;

// Looks until the server answers and all is compiled; then says nothing, and calls `back` if it was gone.
export async function watchServer(back) {
  if (looking) return;
  looking = true;
  let gone = false;
  for (;;) {
    const answer = await get("api/status").catch(() => null);
    if (answer && gone) {
      gone = false;
      back();
    }
    gone ||= !answer;
    if (answer?.ready) break;
    status.hidden = false;
    status.textContent = answer ? "warming up…" : "no answer: is the lab still running?";
    await new Promise((resolve) => { setTimeout(resolve, 700); });
  }
  status.hidden = true;
  looking = false;
}
