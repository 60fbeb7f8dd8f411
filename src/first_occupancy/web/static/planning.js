// Asking for plans, and playing the planning: K goes up by one, and value iteration sweeps once more, at a time.
import { ask } from "./asking.js";
import { $ } from "./elements.js";
import { linkSoon, toast } from "./links.js";
import { askRow, sayCells } from "./looking.js";
import { paintPolicies, sayRow } from "./panels.js";
import { stopPlaying } from "./play.js";
import { sayPlan, shownSwitches } from "./saying.js";
import { showSettings } from "./settings.js";
import { repaint, settled, state, whileWaiting } from "./state.js";

const LONG = 300; // ms without a plan after which the page shows that what it says is old
const PAUSE = 900; // ms between two values of K
let late = 0, playing = 0;

export const askPlan = () => whileWaiting(["board", "sweeps"], async () => {
  const { scene, switches } = state;
  late ||= setTimeout(() => { document.body.dataset.waiting = "long"; }, LONG);
  const plan = await ask("plan", { scene, switches }).catch((error) => toast(error.message));
  if (!plan || scene !== state.scene) return;
  state.plan = plan;
  clearTimeout(late);
  late = 0;
  delete document.body.dataset.waiting;
  // An agent that was sent out meanwhile has walked by an older plan.
  if (state.agent) stopPlaying();
  state.runs = [];
  // A new scene shows the policy of the plan's first leg: its discount is in the map.
  if (state.policy === null) {
    state.policy = plan.plans[0]?.legs[0]?.policy ?? 0;
    askRow();
  }
  state.policy = Math.min(Number(state.policy), Math.max(0, plan.policies.length - 1));
  sayPlan();
  sayRow();
  sayCells();
  paintPolicies(choosePolicy);
});

/** @param {number} number */
export function choosePolicy(number) {
  if (number >= (state.plan?.policies.length ?? 0)) return;
  state.policy = number;
  paintPolicies(choosePolicy);
  showSettings();
  repaint("board");
  askRow();
}

/** @param {number} k */
export function setSwitches(k) {
  const most = state.plan?.mostSwitches ?? 0;
  state.switches = k >= most ? null : Math.max(0, k);
  state.leg = null;
  if (state.agent) stopPlaying();
  $("switches-value").textContent = String(Math.max(0, Math.min(k, most)));
  askPlan();
  linkSoon();
}

export function stopPlanning() {
  playing += 1;
  $("plan-it").textContent = "Plan";
}

// From K = 0 until no switch helps, or up to a given K; a second call stops it.
export async function playPlanning(upTo = Infinity) {
  if ($("plan-it").textContent === "Stop") return stopPlanning();
  const mine = ++playing;
  $("plan-it").textContent = "Stop";
  setSwitches(0);
  await settled();
  while (mine === playing && shownSwitches() < Math.min(upTo, state.plan?.mostSwitches ?? 0)) {
    await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
    if (mine !== playing) return undefined;
    setSwitches(shownSwitches() + 1);
    await settled();
  }
  return mine === playing ? stopPlanning() : undefined;
}
