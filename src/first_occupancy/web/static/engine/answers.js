// The plan of a scene as the page draws it: plans to all goals, the tour, value iteration beside them.
import { unroll } from "./legs.js";
import { foldLegs } from "./legtable.js";
import { planToGoal } from "./frp.js";
import { planPaths } from "./paths.js";
import { cellsOf, makeRoom, onCells } from "./room.js";
import { noisyRows, prepareRows, walkedRows } from "./rows.js";
import { bestOrder } from "./tours.js";
import { followed, optimum, refine, sweepToGoal } from "./values.js";
/** @import { Answer, GoalPlan, LegTable, Memory, NoisyPlan, Plan, Room, RowAnswer, Scene, StatePlan, Swept, Worth } from "../types" */

export const EXACT_UP_TO = 1024; // cells, walls included, in which plans under noise are exact
const MOST_ROUNDS = 30; // of refinement; few are needed
const TOO_LARGE = `With noise, plans are exact up to ${EXACT_UP_TO.toLocaleString("en")} cells. `
  + "In this larger maze the plan is made as if there were no noise, and followed with it.";

// Whether a scene has noise, and is small enough for a table of all legs.
/** @param {Scene} scene */
export const isExact = ({ noise, rows, columns }) => noise > 0 && rows * columns <= EXACT_UP_TO;

/** @param {Scene} scene @param {number | null} switches @param {Memory} memory @returns {Plan} */
export function answerPlan(scene, switches, memory) {
  const room = memory.remembered("room", scene, () => makeRoom(scene));
  const answer = {
    rows: scene.rows, columns: scene.columns, message: /** @type {string | null} */ (null), note: null,
    policies: room.names, actions: room.actions.map((moves) => onCells(room, new Int32Array(moves), -1)),
    mostSwitches: 0, tourDiscount: null, tourFollowed: null, plans: [], sweeps: null, worth: null, cost: null,
  };
  if (!room.count) return { ...answer, message: "Erase some walls: there is no free cell." };
  if (!room.goals.length) return { ...answer, message: "Add a goal." };
  return { ...answer, ...planned(room, scene, switches, memory) };
}

/** @param {Room} room @param {Scene} scene @param {number | null} switches @param {Memory} memory @returns {Answer} */
function planned(room, scene, switches, memory) {
  const exact = isExact(scene);
  const planner = exact ? noisyPlanner(room, scene, memory) : pathPlanner(room);
  const converged = room.goals.map((goal) => memory.remembered(`plan ${goal}`, scene, () => timed(() => planner.plan(goal, null))));
  const plans = switches === null ? converged : room.goals.map((goal) => timed(() => planner.plan(goal, switches)));
  const cost = { frs: planner.took, plan: plans.reduce((sum, { took }) => sum + took, 0), numbers: room.actions.length * room.count ** 2 };
  // From a state that reaches no goal there are no legs, hence no switch either.
  const most = Math.max(1, ...converged.map(mostLegs)) - 1;
  const { order, log, message } = tour(room, plans), inOrder = order.map((position) => plans[position]);
  const first = room.goals[order[0]];
  const swept = sweepToGoal(room, first, (switches ?? most) + 1);
  const best = memory.remembered(`optimum ${first}`, scene, () => bestValues(room, first, converged[order[0]]));
  const value = worth(room, inOrder[0], swept, best);
  return {
    message, note: room.noise > 0 && !exact ? TOO_LARGE : null, mostSwitches: most, cost,
    tourDiscount: log === null ? null : Math.exp(log),
    tourFollowed: log === null || !value || !room.noise ? null : followedTour(room, inOrder, value.followed),
    plans: goalPlans(room, inOrder),
    sweeps: { sweeps: swept.count, action: onCells(room, swept.action, -1), discount: onCells(room, swept.values, 0) },
    worth: value,
  };
}

// A plan with the time that it took to make: one that is remembered keeps its time.
/** @param {() => StatePlan} make */
function timed(make) {
  const begin = performance.now(), plan = make();
  return { ...plan, took: performance.now() - begin };
}

/** @param {Room} room */
function pathPlanner(room) {
  /** @param {number} goal @param {number | null} switches @returns {StatePlan} */
  const plan = (goal, switches) => {
    const { policy, subgoal, times } = planPaths(room.ahead, goal, switches, room.costs);
    const log = Float64Array.from(times, (each) => (each < 0 ? -Infinity : each * Math.log(room.discount)));
    return { goal, policy, subgoal, log, factor: Float64Array.from(policy, (_, state) => walked(room, policy, subgoal, state)) };
  };
  return { plan, took: /** @type {number | null} */ (null) };
}

// The discount of a leg without noise: its policy's walk to the subgoal.
/** @param {Room} room @param {Int32Array} policy @param {Int32Array} subgoal @param {number} state */
function walked({ ahead, discount, costs }, policy, subgoal, state) {
  if (policy[state] < 0) return subgoal[state] < 0 ? 0 : 1;
  let time = 0;
  for (let here = state; here !== subgoal[state];) {
    here = ahead[policy[state]][here];
    time += costs ? costs[here] : 1;
  }
  return discount ** time;
}

/** @param {Room} room @param {Scene} scene @param {Memory} memory */
function noisyPlanner(room, scene, memory) {
  const { table, took } = memory.remembered("table", scene, () => {
    const begin = performance.now();
    return { table: foldLegs(room), took: performance.now() - begin };
  });
  /** @param {number} goal @param {number | null} switches @returns {StatePlan} */
  const plan = (goal, switches) => {
    const made = planToGoal(table, goal, switches);
    return { ...made, goal, factor: factors(made, table, goal) };
  };
  return { plan, took: /** @type {number | null} */ (took) };
}

/** @param {NoisyPlan} plan @param {LegTable} table @param {number} goal */
function factors({ policy, subgoal }, { best, count }, goal) {
  return Float64Array.from(policy, (_, state) => {
    if (state === goal) return 1;
    return subgoal[state] < 0 ? 0 : best[subgoal[state] * count + state];
  });
}

// The legs of the longest plan from any state.
/** @param {StatePlan} plan */
function mostLegs({ subgoal, goal }) {
  const legs = new Int32Array(subgoal.length).fill(-1);
  legs[goal] = 0;
  for (let begin = 0; begin < legs.length; begin++) {
    const walk = [];
    for (let state = begin; legs[state] < 0 && subgoal[state] >= 0; state = subgoal[state]) walk.push(state);
    for (const state of walk.reverse()) legs[state] = legs[subgoal[state]] + 1;
  }
  return Math.max(...legs, 0);
}

// The goals in the order in which to visit them, and what prevents visiting them.
/** @param {Room} room @param {StatePlan[]} plans */
function tour({ start, goals }, plans) {
  const asDrawn = goals.map((_, position) => position);
  if (start < 0) return { order: asDrawn, log: null, message: "Put the start somewhere." };
  const found = bestOrder(plans.map(({ log }) => log[start]), goals.map((goal) => plans.map(({ log }) => log[goal])));
  if (found) return { ...found, message: null };
  const nearest = asDrawn.sort((one, other) => descending(plans[one].log[start], plans[other].log[start]) || one - other);
  const missing = goals.length === 1 ? "the goal" : "all goals";
  return { order: nearest, log: null, message: `With so few switches no plan reaches ${missing} from the start.` };
}

/** @param {number} one @param {number} other */
const descending = (one, other) => Number(other > one) - Number(one > other);

/** @param {Room} room @param {StatePlan[]} plans @returns {GoalPlan[]} */
function goalPlans(room, plans) {
  /** @param {number} cell @param {number} move */
  const after = (cell, move) => room.cells[room.next[move][room.stateOf[cell]]];
  const actions = room.actions.map((moves) => onCells(room, new Int32Array(moves), -1));
  let from = room.start;
  return plans.map(({ goal, policy, subgoal, log, factor }) => {
    const tables = {
      goal: room.cells[goal], policy: onCells(room, policy, -1), subgoal: onCells(room, cellsOf(room, subgoal), -1),
      discount: onCells(room, log.map(Math.exp), 0), factor: onCells(room, factor, 0),
    };
    const legs = from < 0 ? [] : unroll(tables, room.cells[from], actions, after);
    from = goal;
    return { ...tables, legs };
  });
}

/** @param {Room} room @param {number} goal @param {StatePlan} converged */
function bestValues(room, goal, converged) {
  if (room.noise > 0) return optimum(room, goal, converged.log.map(Math.exp));
  return planPaths(room.next, goal, null, room.costs).times;
}

// Expected discounts from the start to the first goal.
/** @param {Room} room @param {StatePlan} plan @param {Swept} swept @param {Float64Array | Int32Array} best @returns {Worth | null} */
function worth(room, { policy, log, goal }, swept, best) {
  const { start, discount, noise } = room;
  if (start < 0) return null;
  const promised = Math.exp(log[start]);
  const rounds = promised && noise ? followedAndRefined(room, policy, goal) : [promised];
  return {
    plan: promised, sweeps: swept.values[start], followed: rounds[0], refined: rounds.slice(1),
    optimum: noise ? best[start] : best[start] < 0 ? 0 : discount ** best[start],
  };
}

// The expected discount of choosing again in every cell from the start through all goals, given that to the first.
/** @param {Room} room @param {StatePlan[]} plans @param {number} toFirst */
function followedTour(room, plans, toFirst) {
  return plans.slice(1).reduce((product, { goal, policy }, before) => (
    product * followed(room, movesOf(room, policy), goal, indicator(room, goal))[plans[before].goal]
  ), toFirst);
}

/** @param {Room} room @param {Int32Array} policy */
const movesOf = ({ actions }, policy) => policy.map((each, state) => (each < 0 ? -1 : actions[each][state]));

/** @param {Room} room @param {number} goal */
const indicator = ({ count }, goal) => Float64Array.from({ length: count }, (_, state) => Number(state === goal));

// The expected discount from the start of choosing again in every cell, then after each round of policy improvement until
// none changes anything.
/** @param {Room} room @param {Int32Array} policy @param {number} goal */
function followedAndRefined(room, policy, goal) {
  const found = [];
  for (let choice = policy, values = indicator(room, goal); ;) {
    values = followed(room, movesOf(room, choice), goal, values);
    found.push(values[room.start]);
    const better = refine(room, choice, values, goal);
    if (found.length > MOST_ROUNDS || better.every((each, state) => each === choice[state])) return found;
    choice = better;
  }
}

/** @param {Scene} scene @param {number} policy @param {number} cell @param {Memory} memory @returns {RowAnswer} */
export function answerRow(scene, policy, cell, memory) {
  const room = memory.remembered("room", scene, () => makeRoom(scene)), state = room.stateOf[cell];
  const { rows, columns } = scene;
  if (state < 0 || policy >= room.actions.length) return { rows, columns, from: cell, policy, soon: null, often: null };
  const found = room.noise
    ? noisyRows(memory.remembered(`rows ${policy}`, scene, () => prepareRows(room, policy)), state)
    : walkedRows(room, policy, state);
  return { rows, columns, from: cell, policy, soon: onCells(room, found.soon, 0), often: onCells(room, found.often, 0) };
}
