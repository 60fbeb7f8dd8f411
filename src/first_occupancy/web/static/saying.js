// What is said about the plan: the switches, the sentence, the table of discounts, and what it all cost.
import { precise } from "./drawing.js";
import { $ } from "./elements.js";
import { timeOf } from "./engine/room.js";
import { arrives, extra, firstGoal, isWalledOff, paintLegs } from "./legs.js";
import { state } from "./state.js";
import { count, time } from "./words.js";
/** @import { Plan, Scene, Worth } from "./types" */

export function shownSwitches() {
  const most = state.plan?.mostSwitches ?? 0;
  return state.switches === null ? most : Math.min(state.switches, most);
}

export function sayPlan() {
  const { plan, scene } = state;
  if (!plan) return;
  const k = shownSwitches(), slider = $("switches");
  slider.max = String(Math.max(1, plan.mostSwitches));
  slider.disabled = plan.mostSwitches === 0;
  slider.value = String(k);
  slider.setAttribute("aria-valuetext", k === 0 ? "0, generalised policy improvement" : count(k, "switch", "es"));
  $("switches-value").textContent = String(k);
  $("most").textContent = `${plan.mostSwitches} = enough from every cell`;
  $("note").hidden = !plan.note;
  $("note").textContent = plan.note ?? "";
  $("play").disabled = !arrives(plan);
  $("plan-it").disabled = plan.mostSwitches === 0;
  $("legend-goal").textContent = plan.plans.length ? firstGoal(plan) : "the goal";
  $("readout").innerHTML = sentence(plan, k, scene);
  $("worth").innerHTML = table(plan, k, scene);
  $("cost").textContent = cost(plan);
  paintLegs();
}

/** @param {Plan} plan @param {number} k @param {Scene} scene */
function table(plan, k, scene) {
  const { worth } = plan;
  /** @type {[string, number | null | undefined][]} */
  const rows = [[`<span class="fr">FR-planning</span>, K = ${k}${plan.note ? ", if there were no noise" : ""}`, worth?.plan]];
  if (scene.noise && worth?.plan) rows.push([plan.note ? "… followed with it" : "… choosing again in every cell", worth.followed], ...refinements(worth.refined));
  rows.push([`<span class="vi">Value iteration</span>, ${count(plan.sweeps?.sweeps ?? 0, "sweep")}`, worth?.sweeps], ["Optimum", worth?.optimum]);
  return `<caption>expected discount from S to ${firstGoal(plan)}</caption>`
    + rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value ? precise(value) : "–"}</td></tr>`).join("")
    + (scene.noise && worth?.refined.length ? "<tfoot><tr><td colspan=\"2\">Refined: every cell takes the policy that leads to the highest value of the line before.</td></tr></tfoot>" : "");
}

// The first round of refinement, and the last.
/** @param {number[]} refined @returns {[string, number][]} */
function refinements(refined) {
  if (!refined.length) return [];
  /** @type {[string, number][]} */
  const rows = [["… refined once", refined[0]]];
  if (refined.length > 1) rows.push([`… refined until nothing improves, ${refined.length} rounds`, refined[refined.length - 1]]);
  return rows;
}

// Planning is quick because the FRs are there already; getting them is not free.
/** @param {Plan} plan */
function cost({ cost: spent, policies }) {
  if (!spent) return "";
  if (spent.frs === null) return `Cost: without noise a policy's FR is a walk, so no table of FRs is needed. Planning took ${time(spent.plan)}.`;
  return `Cost: solving for the FRs of ${policies.length} policies (${spent.numbers.toLocaleString("en")} numbers) took ${time(spent.frs)}, `
    + `once for this maze and all goals. Planning with them took ${time(spent.plan)}.`;
}

/** @param {Plan} plan @param {number} k @param {Scene} scene */
function sentence(plan, k, scene) {
  if (!plan.worth) return plan.message ?? "";
  const several = plan.plans.length > 1, each = several ? " on the way to each goal" : "";
  const name = k === 0 ? `No switch${each} (generalised policy improvement, GPI)` : `At most ${count(k, "switch", "es")}${each}`;
  if (!arrives(plan)) return `${name}: ${obstacle(plan, k, scene)}`;
  const legs = plan.plans.flatMap((goal) => goal.legs), steps = legs.reduce((sum, { cells }) => sum + cells.length - 1, 0);
  const took = legs.reduce((sum, { cells }) => sum + timeOf(scene, cells), 0);
  const shortest = !scene.noise && !several && plan.worth.optimum && Math.abs(scene.discount ** took / plan.worth.optimum - 1) < 1e-9;
  const many = several ? ` The best order of the ${plan.plans.length} goals is numbered.` : "";
  const promised = `a discount of <b>${plan.tourDiscount ? precise(plan.tourDiscount) : "less than 10<sup>−300</sup>"}</b>`;
  const fewer = !several && legs.length <= k ? ` with ${count(legs.length - 1, "switch", "es")}` : "";
  const taken = `<b>${legs.length}</b> leg${legs.length === 1 ? "" : "s"}${fewer}${scene.noise ? "" : `, <b>${steps}</b> step${steps === 1 ? "" : "s"}${extra(took, steps)}${shortest ? `, the ${took === steps ? "shortest" : "quickest"} there is` : ""}`}`;
  const known = many + ignorance(plan, plan.worth);
  // Each next leg is looked up in the same table, whose subgoals have plans of K switches of their own (Alg. 2).
  if (plan.plans.some((goal) => goal.legs.length > k + 1)) {
    return `${name}: the plan promises ${promised}. From each subgoal on, another such plan is followed, so one may switch more often, and arrives sooner: ${taken}.${known}`;
  }
  if (plan.note) return `${name}: ${taken}. Without noise it would give ${promised}${plan.tourFollowed ? `; with noise, choosing again in every cell gives <b>${precise(plan.tourFollowed)}</b> on average` : ""}.${known}`;
  const again = plan.tourFollowed ? ` Choosing again in every cell gives <b>${precise(plan.tourFollowed)}</b>${several ? ` for the same ${plan.plans.length} goals` : ""}, since no subgoal has to be met exactly.` : "";
  return `${name}: ${taken}. The plan ${scene.noise ? "promises" : "gives"} ${promised}${scene.noise ? " on average" : ""}.${again}${known}`;
}

/** @param {Plan} plan @param {number} k @param {Scene} scene */
function obstacle(plan, k, scene) {
  const all = plan.plans.length > 1 ? "all goals" : "the goal";
  if (isWalledOff(scene, plan.plans[0].goal)) return scene.marks.some(Boolean) ? "no way leads from the start to the goal." : "the goal is walled off from the start.";
  if (k >= plan.mostSwitches) return `no sequence of these policies leads from S to ${all}.`;
  return `${k ? `no ${k + 1} policies, one after the other, lead` : "none of the policies leads"} from S to ${all}. Slide <i>K</i> up, or press Plan.`;
}

/** @param {Plan} plan @param {Worth} worth */
const ignorance = (plan, worth) => (worth.sweeps ? "" : ` Value iteration${plan.plans.length > 1 ? ` to ${firstGoal(plan)}` : ""}, after ${count(plan.sweeps?.sweeps ?? 0, "sweep")}, has not reached S yet.`);
