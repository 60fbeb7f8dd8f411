// The escape: moments of a story, told by a worker, are shown at the chosen pace.
import { ask } from "./asking.js";
import { heat, role } from "./colours.js";
import { centre, drawAgent, drawFloor, drawGrid, drawShelter, drawThreat } from "./drawing.js";
import { $ } from "./elements.js";
import { makeArena } from "./engine/arena.js";
import { canvasPen } from "./pens.js";
import { repaint } from "./state.js";
import { count } from "./words.js";
/** @import { EscapeQuestion, MapName, Moment, Pen, Point, Result, Shown, Trial } from "./types" */

const NAMES = { fr: "FR", sr: "SR" };
const BOTH = /** @type {MapName[]} */ (["fr", "sr"]);
const PACES = [320, 160, 80, 35, 0]; // ms a step of a trial
const SEEDS = 20;
const arena = makeArena();
/** @type {Shown} */
let now = blank();
let run = 0, trying = 0, seed = 1, said = () => {};
let paused = false;
/** @type {(value?: any) => void} */
let goOn = () => {};

/** @returns {Shown} */
function blank() {
  return { maps: null, walk: [], trails: { fr: [], sr: [] }, runners: null, barrier: $("variant").value !== "new barrier" };
}

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

/** @param {() => void} started */
export function openEscape(started) {
  said = started;
  if (run) return;
  $("escape-pause").addEventListener("click", () => hold(!paused));
  $("escape-run").addEventListener("click", () => start());
  $("escape-again").addEventListener("click", () => { seed += 1; start(); });
  $("escape-many").addEventListener("click", trySeeds);
  // Another agent has another story: nothing of the old one stays on the page.
  for (const id of /** @type {const} */ (["variant", "episode"])) $(id).addEventListener("change", () => { forgetRates(); start(); });
  start();
}

/** @param {number} number @returns {EscapeQuestion} */
const question = (number) => ({ variant: $("variant").value, episodeSteps: Number($("episode").value), seed: number });

async function start() {
  const mine = ++run;
  hold(false);
  now = blank();
  $("escape-pause").disabled = false;
  said();
  $("escape-reading").setAttribute("aria-live", "off");
  $("escape-results").hidden = true;
  $("fr-steps").textContent = $("sr-steps").textContent = "";
  document.body.dataset.escape = "running";
  repaint("arenas");
  for (let begin = /** @type {EscapeQuestion | null} */ (question(seed)); ; begin = null) {
    const moment = await ask("escape", { begin });
    if (mine !== run || !moment) return;
    show(moment);
    await pause(moment);
    if (mine !== run) return;
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

/** @param {boolean} still */
function hold(still) {
  paused = still;
  $("escape-pause").textContent = still ? "Go on" : "Pause";
  if (!still) goOn();
}

/** @param {Moment} moment */
function show(moment) {
  if (moment.kind === "explore") {
    now = { ...now, maps: moment.maps, walk: [...now.walk.slice(-75), ...moment.walk], runners: null, barrier: moment.barrier, trails: { fr: [], sr: [] } };
    phase(moment.number * 2 - 2, moment.done);
    $("fr-steps").textContent = $("sr-steps").textContent = "";
    say(`Exploring from the shelter. The <b class="fr">FR</b> agent could now plan a way home from <b>${share(moment.maps.fr)}</b> of the cells; one policy alone, as the <b class="sr">SR</b> agent acts, leads home from <b>${share(moment.maps.sr)}</b>.`);
  } else if (moment.kind === "trial") trial(moment);
  else if (moment.kind === "end") end(moment.trials);
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
  const { fr } = moment, feels = $("variant").value === "feeling";
  if (fresh) say(fr.plan ? `Threat! From here the <b class="fr">FR</b> agent knows a plan of ${legs(fr.plan)}.` : "Threat! Neither agent knows a way home from here: both run down.");
  else if (fr.bumped) say(fr.plan ? `Bump. The <b class="fr">FR</b> agent learns from it and plans again: ${legs(fr.plan)}.` : "Bump: the barrier. No plan from here yet.");
  else if (fr.arrived) say(`The <b class="fr">FR</b> agent is home after ${fr.steps} steps.${moment.sr.arrived ? "" : ` The <b class="sr">SR</b> agent has ${50 - moment.sr.steps} steps left.`}`);
  else say(`The <b class="fr">FR</b> agent ${fr.plan ? `follows a plan of ${legs(fr.plan)}` : feels ? "knows no plan here and feels its way" : "knows no plan here and runs down"}.`);
}

/** @param {number[]} plan */
const legs = (plan) => count(plan.length, "leg");
/** @param {string} html */
const say = (html) => { $("escape-reading").innerHTML = html; };

/** @param {Float64Array} map */
function share(map) {
  const free = map.filter((_, cell) => !arena.walls[cell]);
  return `${Math.round((100 * free.filter((value) => value > 0).length) / free.length)}%`;
}

/** @param {Record<MapName, Result>[]} trials */
function end(trials) {
  phase(4, 1);
  $("escape-results").innerHTML = table((name) => trials.map((each) => result(each[name])));
  $("escape-results").hidden = false;
  const [one, two] = trials.map(({ fr }) => fr);
  $("escape-reading").setAttribute("aria-live", "polite"); // the end is read out, not each step
  say(two.arrived && one.hits && !two.hits
    ? `With what it learned, the <b class="fr">FR</b> agent goes round the barrier without touching it: ${two.steps} steps, after ${one.steps}.`
    : `The <b class="fr">FR</b> agent: ${result(one)}, then ${result(two)}. Try another seed or agent.`);
  document.body.dataset.escape = "done";
  $("escape-pause").disabled = true;
}

/** @param {(name: MapName) => string[]} cells */
function table(cells) {
  const lines = BOTH.map((name) => `<tr><th scope="row" class="${name}">${NAMES[name]}</th>${cells(name).map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<tr><th></th><th scope="col">Escape 1</th><th scope="col">Escape 2</th></tr>${lines.join("")}`;
}

/** @param {Result} result */
const result = ({ arrived, steps, hits }) => `${arrived ? `home in ${steps} steps` : "not home"}, ${count(hits, "bump")}`;

// How often each agent comes home, over several seeds.
async function trySeeds() {
  const mine = ++trying, first = seed, found = /** @type {Record<MapName, Result>[][]} */ ([]);
  for (let number = 0; number < SEEDS; number++) {
    const trials = await ask("trials", question(first + number));
    if (mine !== trying || !trials) return;
    found.push(trials);
    /** @param {MapName} name @param {number} which */
    const rate = (name, which) => {
      const each = found.map((trials) => trials[which][name]), home = each.filter(({ arrived }) => arrived).length;
      return `home in ${home} of ${found.length}, ${(each.reduce((sum, { hits }) => sum + hits, 0) / found.length).toFixed(1)} bumps on average`;
    };
    $("escape-rates").innerHTML = `<caption>Seeds ${first} to ${first + number}</caption>${table((name) => [rate(name, 0), rate(name, 1)])}`;
    $("escape-rates").hidden = false;
  }
  document.body.dataset.rates = "done";
}

function forgetRates() {
  trying += 1;
  $("escape-rates").hidden = true;
  delete document.body.dataset.rates;
}

/** @param {number} number @param {number} done */
function phase(number, done) {
  [...$("phases").children].forEach((item, i) => {
    /** @type {HTMLElement} */ (item).style.setProperty("--done", String(i < number ? 1 : i === number ? Math.min(1, done) : 0));
    if (i === number) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
}

export function paintArenas() {
  for (const name of BOTH) paintArena(name);
}

/** @param {MapName} name */
function paintArena(name) {
  const { rows, columns } = arena, pen = canvasPen($(`${name}-arena`), rows, columns, Math.max(280, innerHeight - 330));
  const walls = arena.walls.slice();
  if (now.barrier) for (const cell of arena.barrier) walls[cell] = 1;
  const here = { rows, columns, walls }, map = now.maps?.[name];
  const most = name === "fr" || !map ? 1 : map.reduce((one, other) => Math.max(one, other), 1);
  drawFloor(pen, here, (cell) => {
    const value = map?.[cell];
    // The fourth root, because what matters most is whether a way is known at all.
    return value ? heat(name, 0.1 + 0.65 * (value / most) ** 0.25) : null;
  });
  drawGrid(pen, here);
  /** @param {number[]} cells */
  const points = (cells) => cells.map((cell) => centre(cell, columns, pen.cell));
  if (now.walk.length > 1) walks(pen, points(now.walk));
  drawThreat(pen, arena.start, columns);
  drawShelter(pen, arena.shelter, columns);
  const runner = now.runners?.[name];
  if (!runner) return;
  if (runner.plan && !runner.arrived) pen.line(points([runner.cell, ...runner.plan]), role(name), Math.max(2, pen.cell * 0.16), { alpha: 0.85, dash: [pen.cell * 0.3, pen.cell * 0.3] });
  if (name === "fr" && runner.plan && !runner.arrived) for (const [x, y] of points(runner.plan.slice(0, -1))) pen.circle(x, y, pen.cell * 0.24, { fill: role("halo"), stroke: role(name), width: 2 });
  drawAgent(pen, [Math.floor(runner.cell / columns), runner.cell % columns], now.trails[name], columns);
  if (runner.bumped) pen.circle(...centre(runner.cell, columns, pen.cell), pen.cell * 0.8, { stroke: role("threat"), width: 2.5 });
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
  pen.circle(...points[points.length - 1], pen.cell * 0.33, { fill: role("agent"), stroke: role("halo"), width: 2 });
}
