// The escape: moments stream in while the server learns, and are shown at the chosen pace.
import { askLines, stop } from "./api.js";
import { heat, role } from "./colours.js";
import { centre, drawAgent, drawFloor, drawGoal, drawGrid, drawStart } from "./drawing.js";
import { $ } from "./elements.js";
import { canvasPen } from "./pens.js";
import { repaint } from "./state.js";
/** @import { Arena, MapName, Moment, Pen, Point, Result, Scene, Shown, Trial } from "./types" */

const NAMES = { fr: "FR", sr: "SR" };
const BOTH = /** @type {MapName[]} */ (["fr", "sr"]);
const PACES = [320, 160, 80, 35, 0]; // ms a step of a trial
/** @type {Arena} */
let scene;
/** @type {Shown} */
let now;
let run = 0, seed = 1, variant = "feeling", said = () => {};
let paused = false;
/** @type {(value?: any) => void} */
let goOn = () => {};

// The story in a link: which agent, how long it explores, and the seed.
export const escapeLink = () => new URLSearchParams({ v: "1", escape: $("variant").value, steps: $("episode").value, seed: String(seed) }).toString();

// Sets the story of a link; what is not one of those on offer stays as it is.
/** @param {URLSearchParams} parts */
export function readEscape(parts) {
  for (const [list, value] of /** @type {[HTMLSelectElement, string | null][]} */ ([[$("variant"), parts.get("escape")], [$("episode"), parts.get("steps")]])) {
    if (value !== null && [...list.options].some((option) => option.value === value)) list.value = value;
  }
  const number = Number(parts.get("seed") ?? 1);
  seed = Number.isInteger(number) && number >= 0 && number < 2 ** 31 ? number : 1;
  if (run) start();
}

/** @param {Scene} arena @param {() => void} started */
export function openEscape(arena, started) {
  said = started;
  if (run) return;
  scene = { ...arena, shelter: arena.goals[0], barrier: [] };
  now = { maps: null, walk: [], trails: { fr: [], sr: [] }, runners: null, barrier: true };
  $("escape-pause").addEventListener("click", () => hold(!paused));
  $("escape-run").addEventListener("click", () => start());
  $("escape-again").addEventListener("click", () => { seed += 1; start(); });
  start();
}

async function start() {
  const mine = ++run;
  hold(false);
  $("escape-pause").disabled = false;
  said();
  $("escape-reading").setAttribute("aria-live", "off");
  $("escape-results").hidden = true;
  document.body.dataset.escape = "running";
  variant = $("variant").value;
  const question = { variant, episode_steps: Number($("episode").value), seed };
  stop("escape");
  try {
    for await (const moment of askLines("escape", question)) {
      if (mine !== run) return;
      show(moment);
      await pause(moment);
      if (mine !== run) return;
    }
  } catch (error) {
    if (mine !== run) return;
    const why = error instanceof TypeError ? "there is no answer. Is the lab still running? Run begins again" : error.message;
    $("escape-reading").setAttribute("aria-live", "polite");
    $("escape-reading").textContent = `The story broke off: ${why}.`;
    document.body.dataset.escape = "broken";
    $("escape-pause").disabled = true;
  }
}

// Exploration shows many steps in a moment, so it goes quicker; bumps are worth a look.
/** @param {Moment} moment */
async function pause(moment) {
  const pace = PACES[Number($("speed").value)];
  const time = moment.kind === "explore" ? pace / 2 : moment.kind === "trial" && moment.fr.bumped ? pace * 5 : pace;
  await new Promise((resolve) => { time ? setTimeout(resolve, time) : requestAnimationFrame(resolve); });
  if (paused) await new Promise((resolve) => { goOn = resolve; });
}

// The server waits as well, once it is a little ahead.
/** @param {boolean} still */
function hold(still) {
  paused = still;
  $("escape-pause").textContent = still ? "Go on" : "Pause";
  if (!still) goOn();
}

/** @param {Moment} moment */
function show(moment) {
  if (moment.kind === "begin") {
    const walls = new Uint8Array(moment.rows * moment.columns);
    for (const cell of moment.walls) walls[cell] = 1;
    scene = { ...moment, walls };
    now = { maps: null, walk: [], trails: { fr: [], sr: [] }, runners: null, barrier: variant !== "new barrier" };
  } else if (moment.kind === "explore") {
    now = { ...now, maps: moment.maps, walk: [...now.walk.slice(-75), ...moment.walk], runners: null, barrier: moment.barrier, trails: { fr: [], sr: [] } };
    phase(moment.number * 2 - 2, moment.done);
    $("fr-steps").textContent = $("sr-steps").textContent = "";
    say(`Exploring from the shelter. The <b class="fr">FR</b> agent could now plan a way home from <b>${share(moment.maps.fr)}</b> of the cells; one policy alone, as the <b class="sr">SR</b> agent acts, leads home from <b>${share(moment.maps.sr)}</b>.`);
  } else if (moment.kind === "trial") trial(moment);
  else end(moment);
  repaint("arenas");
}

/** @param {Trial} moment */
function trial(moment) {
  const fresh = moment.fr.steps === 0 && moment.sr.steps === 0;
  const trails = fresh ? { fr: [], sr: [] } : now.trails;
  for (const name of BOTH) trails[name].push(moment[name].cell);
  now = { ...now, walk: [], barrier: true, maps: moment.maps ?? now.maps, runners: moment, trails };
  phase(moment.number * 2 - 1, Math.max(moment.fr.steps, moment.sr.steps) / 50);
  for (const name of BOTH) {
    $(`${name}-steps`).textContent = moment[name].arrived ? `home after ${moment[name].steps} steps` : `${moment[name].steps} steps`;
  }
  const { fr } = moment, feels = variant === "feeling";
  if (fresh) say(fr.plan ? `Threat! From here the <b class="fr">FR</b> agent knows a plan of ${legs(fr.plan)}.` : "Threat! Neither agent knows a way home from here: both run down.");
  else if (fr.bumped) say(fr.plan ? `Bump. The <b class="fr">FR</b> agent learns from it and plans anew: ${legs(fr.plan)}.` : "Bump: the barrier. No plan from here yet.");
  else if (fr.arrived) say(`The <b class="fr">FR</b> agent is home after ${fr.steps} steps.${moment.sr.arrived ? "" : ` The <b class="sr">SR</b> agent has ${50 - moment.sr.steps} steps left.`}`);
  else say(`The <b class="fr">FR</b> agent ${fr.plan ? `follows a plan of ${legs(fr.plan)}` : feels ? "knows no plan here and feels its way" : "knows no plan here and runs down"}.`);
}

/** @param {number[]} plan */
const legs = (plan) => `${plan.length} leg${plan.length === 1 ? "" : "s"}`;
/** @param {string} html */
const say = (html) => { $("escape-reading").innerHTML = html; };

/** @param {number[]} map */
function share(map) {
  const free = map.filter((_, cell) => !scene.walls[cell]);
  return `${Math.round((100 * free.filter((value) => value > 0).length) / free.length)}%`;
}

/** @param {{ trials: Record<MapName, Result>[] }} moment */
function end({ trials }) {
  phase(4, 1);
  /** @param {MapName} name */
  const line = (name) => `<tr><th scope="row" class="${name}">${NAMES[name]}</th>${trials.map((trial) => `<td>${result(trial[name])}</td>`).join("")}</tr>`;
  $("escape-results").innerHTML = `<tr><th></th><th>Escape 1</th><th>Escape 2</th></tr>${line("fr")}${line("sr")}`;
  $("escape-results").hidden = false;
  const [one, two] = trials.map(({ fr }) => fr);
  $("escape-reading").setAttribute("aria-live", "polite"); // the end is read out, not each step
  say(two.arrived && one.hits && !two.hits
    ? `With what it learned, the <b class="fr">FR</b> agent goes round the barrier without touching it: ${two.steps} steps, after ${one.steps}.`
    : `The <b class="fr">FR</b> agent: ${result(one)}, then ${result(two)}. Try another seed or agent.`);
  document.body.dataset.escape = "done";
  $("escape-pause").disabled = true;
}

/** @param {Result} result */
const result = ({ arrived, steps, hits }) => `${arrived ? `home in ${steps} steps` : "not home"}, ${hits} bump${hits === 1 ? "" : "s"}`;

/** @param {number} number @param {number} done */
function phase(number, done) {
  [...$("phases").children].forEach((item, i) => {
    /** @type {HTMLElement} */ (item).style.setProperty("--done", String(i < number ? 1 : i === number ? Math.min(1, done) : 0));
    if (i === number) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
}

export function paintArenas() {
  if (!scene) return;
  for (const name of BOTH) paintArena(name);
}

/** @param {MapName} name */
function paintArena(name) {
  const pen = canvasPen($(`${name}-arena`), scene.rows, scene.columns, Math.max(280, innerHeight - 330));
  const walls = scene.walls.slice();
  if (now.barrier) for (const cell of scene.barrier) walls[cell] = 1;
  const here = { rows: scene.rows, columns: scene.columns, walls };
  const most = name === "fr" ? 1 : Math.max(1, ...(now.maps?.sr ?? [1]));
  drawFloor(pen, here, (cell) => {
    const value = now.maps?.[name][cell];
    // The fourth root, because what matters most is whether a way is known at all.
    return value ? heat(name, 0.1 + 0.65 * (value / most) ** 0.25) : null;
  });
  drawGrid(pen, here);
  /** @param {number[]} cells */
  const points = (cells) => cells.map((cell) => centre(cell, scene.columns, pen.cell));
  if (now.walk.length > 1) walks(pen, points(now.walk));
  drawStart(pen, scene.start, scene.columns);
  drawGoal(pen, scene.shelter, scene.columns, "⌂");
  const runner = now.runners?.[name];
  if (!runner) return;
  if (runner.plan && !runner.arrived) pen.line(points([runner.cell, ...runner.plan]), role(name), Math.max(2, pen.cell * 0.16), { alpha: 0.85, dash: [pen.cell * 0.3, pen.cell * 0.3] });
  if (name === "fr" && runner.plan && !runner.arrived) for (const [x, y] of points(runner.plan.slice(0, -1))) pen.circle(x, y, pen.cell * 0.24, { fill: role("halo"), stroke: role(name), width: 2 });
  drawAgent(pen, [Math.floor(runner.cell / scene.columns), runner.cell % scene.columns], now.trails[name], scene.columns);
  if (runner.bumped) pen.circle(...centre(runner.cell, scene.columns, pen.cell), pen.cell * 0.8, { stroke: role("sr"), width: 2.5 });
}

// A walk jumps back to the shelter at the end of an episode: no line there.
/** @param {Pen} pen @param {Point[]} points */
function walks(pen, points) {
  let part = [points[0]];
  for (let i = 1; i < points.length; i++) {
    const [x, y] = points[i], [a, b] = points[i - 1];
    if (Math.hypot(x - a, y - b) > pen.cell * 1.6) {
      if (part.length > 1) pen.line(part, role("agent"), 1.4, { alpha: 0.55 });
      part = [];
    }
    part.push(points[i]);
  }
  if (part.length > 1) pen.line(part, role("agent"), 1.4, { alpha: 0.55 });
  pen.circle(.../** @type {Point} */ (points.at(-1)), pen.cell * 0.33, { fill: role("agent"), stroke: role("halo"), width: 2 });
}
