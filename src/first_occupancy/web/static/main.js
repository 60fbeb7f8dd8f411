// The page: what its controls do, and when the server is asked.
import { ask, get } from "./api.js";
import { listen, paintBoard } from "./board.js";
import { onThemeChange } from "./colours.js";
import { $, all } from "./elements.js";
import { openEscape, paintArenas, readEscape } from "./escape.js";
import { exporters } from "./exports.js";
import { arrives, describe } from "./legs.js";
import { keep, linkSoon, readLink, redo, share, toast, undo, writeLink } from "./links.js";
import { showMenu, wireMenu } from "./menu.js";
import { listenToMaps, paintMaps, paintPolicies, paintSweeps, sayPlan, sayRow, shownSwitches } from "./panels.js";
import { isPlaying, play, stopPlaying } from "./play.js";
import { clearedWalls, fromQuestion, resized, toQuestion } from "./scene.js";
import { showSettings, toDiscount } from "./settings.js";
import { wireSkills } from "./skills.js";
import { onPaint, repaint, settled, state, whileWaiting } from "./state.js";
import { awaitPlan, havePlan, missServer, watchServer } from "./waiting.js";
/** @import { Edit, Part, Preset, Scene, Tool } from "./types" */

const SIDES = /** @type {("rows" | "columns")[]} */ (["rows", "columns"]);
/** @type {Preset[]} */
let presets = [];

// --- asking

function askAgain() {
  askPlan();
  askRow();
}

function sceneChanged() {
  if (state.agent) stopPlaying();
  $("preset").value = "";
  askAgain();
  showSettings();
  linkSoon();
  // The maps follow with their answers.
  repaint("board");
}

const askPlan = () => whileWaiting(["board", "sweeps"], async () => {
  const { scene, switches } = state;
  awaitPlan();
  const plan = await fair(() => ask("plan", { scene: toQuestion(scene), switches }));
  if (!plan || scene !== state.scene) return;
  state.plan = plan;
  havePlan();
  // Whoever was sent out meanwhile has walked by an older plan.
  if (state.agent) stopPlaying();
  // A new scene shows the policy of the plan's first leg: its discount is in the map.
  if (state.policy === null) {
    state.policy = plan.plans[0]?.legs[0]?.policy ?? 0;
    askRow();
  }
  state.policy = Math.min(Number(state.policy), Math.max(0, plan.policies.length - 1));
  sayPlan();
  sayRow();
  paintPolicies(choosePolicy);
});

const askRow = () => whileWaiting(["maps"], async () => {
  const { scene, from, policy } = state;
  if (from === null || policy === null) return;
  const row = await fair(() => ask("row", { scene: toQuestion(scene), policy, row: Math.floor(from / scene.columns), column: from % scene.columns }));
  if (row && scene === state.scene) state.row = row;
});

/**
 * @template Answer
 * @param {() => Promise<Answer> | Answer} question
 * @returns {Promise<Answer | null>}
 */
async function fair(question) {
  try {
    return await question();
  } catch (error) {
    if (error instanceof TypeError) missServer(askAgain);
    else toast(error.message);
    return null;
  }
}

// --- editing

/** @type {Edit} */
const edit = {
  begin: keep,
  /** @param {number} cell @param {boolean} [byKeys] */
  hover(cell, byKeys = false) {
    if (byKeys) $("cursor-reading").textContent = describe(cell);
    repaint("board");
    if (state.from === cell || state.scene.walls[cell]) return;
    state.from = cell;
    askRow();
  },
  /** @param {number} cell @param {number} wall */
  wall(cell, wall) {
    const { scene } = state;
    if (scene.walls[cell] === wall || cell === scene.start || scene.goals.includes(cell)) return;
    scene.walls[cell] = wall;
    sceneChanged();
  },
  // Moves a goal, or with null the start; returns whether it could.
  /** @param {number | null} goal @param {number} cell */
  move(goal, cell) {
    const { scene } = state;
    if (goal !== null && !scene.goals.includes(goal)) return false; // undone while it was dragged
    if (scene.walls[cell] || cell === scene.start || scene.goals.includes(cell)) return false;
    if (goal === null) {
      scene.start = cell;
      state.from = cell;
    } else scene.goals[scene.goals.indexOf(goal)] = cell;
    sceneChanged();
    return true;
  },
  /** @param {number} cell */
  goal(cell) {
    const { scene } = state;
    if (cell === scene.start) return;
    if (scene.goals.includes(cell)) scene.goals = scene.goals.filter((goal) => goal !== cell);
    else if (scene.goals.length >= 8) return toast("Eight goals are the most.");
    else {
      scene.walls[cell] = 0;
      scene.goals.push(cell);
    }
    sceneChanged();
  },
  /** @param {number} one @param {number} other */
  arrow(one, other) {
    const { scene } = state, policy = scene.drawn[/** @type {number} */ (state.policy)];
    const step = other - one;
    const arrow = { [-scene.columns]: 1, 1: 2, [scene.columns]: 3, "-1": 4 }[step];
    if (!policy || !arrow) return;
    policy.arrows[one] = arrow;
    sceneChanged();
  },
  focus: () => repaint("board"),
};

/** @param {Scene} scene @param {number | null} [switches] */
function open(scene, switches = null) {
  if ($("plan-view").hidden) show("plan");
  Object.assign(state, { scene, switches, plan: null, row: null, target: null, cursor: null, policy: null });
  state.from = scene.start >= 0 ? scene.start : scene.walls.indexOf(0);
  if (state.from < 0) state.from = null;
  setTool(scene.drawn.length || state.tool !== "arrows" ? state.tool : "walls");
  sceneChanged();
}

// What was looked at stays, as far as it is still there.
/** @param {Scene} scene @param {number | null} switches */
function reopen(scene, switches) {
  const { from, policy, scene: { rows, columns } } = state, least = scene.drawn.length || scene.moves;
  open(scene, switches);
  if (policy !== null) state.policy = Math.min(policy, least - 1);
  if (from !== null && !scene.walls[from] && rows === scene.rows && columns === scene.columns) state.from = from;
  askRow();
  showSettings();
}

/** @param {number} number */
function choosePolicy(number) {
  if (number >= (state.plan?.policies.length ?? 0)) return;
  state.policy = number;
  paintPolicies(choosePolicy);
  showSettings();
  repaint("board");
  askRow();
}

/** @param {Tool} tool */
function setTool(tool) {
  state.tool = tool;
  for (const button of all("[data-tool]")) button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  repaint("board");
}

/** @param {number} k */
function setSwitches(k) {
  const most = state.plan?.most_switches ?? 0;
  state.switches = k >= most ? null : Math.max(0, k);
  if (state.agent) stopPlaying();
  $("switches-value").textContent = String(Math.max(0, Math.min(k, most)));
  askPlan();
  linkSoon();
}

function resize() {
  // An emptied field keeps the size.
  const [rows, columns] = SIDES.map((id) => Math.min(60, Math.max(3, Math.round(Number($(id).value || state.scene[id])))));
  if (rows === state.scene.rows && columns === state.scene.columns) return showSettings();
  writeLink();
  open(resized(state.scene, rows, columns), state.switches);
}

function clearWalls() {
  writeLink();
  state.scene.walls = clearedWalls(state.scene);
  sceneChanged();
}

// --- play, menu, keys

/** @param {number} number */
const openPreset = (number) => {
  writeLink();
  open(fromQuestion(presets[number].scene));
  $("preset").selectedIndex = number + 1;
};

function togglePlay() {
  if (isPlaying()) return stopPlaying();
  if (!arrives(state.plan)) return undefined;
  document.body.dataset.agent = "walking";
  return play(({ arrived, steps, slips }) => {
    document.body.dataset.agent = arrived ? "arrived" : "lost";
    const discount = state.scene.discount ** steps;
    $("readout").innerHTML = arrived
      ? `Arrived after <b>${steps}</b> step${steps === 1 ? "" : "s"}${state.scene.noise ? `, ${slips} of them slip${slips === 1 ? "" : "s"}` : ""}: discount <b>${discount.toPrecision(3)}</b>.`
      : "Not arrived.";
  });
}

/** @param {"plan" | "escape"} view @param {URLSearchParams | null} [story] */
function show(view, story = null) {
  $("plan-view").hidden = view !== "plan";
  $("escape-view").hidden = view !== "escape";
  $("show-plan").setAttribute("aria-pressed", String(view === "plan"));
  $("show-escape").setAttribute("aria-pressed", String(view === "escape"));
  $("download").hidden = view === "escape";
  if (story) readEscape(story);
  if (view === "escape") openEscape(fromQuestion(/** @type {Preset} */ (presets.find(({ name }) => name === "Escape arena")).scene), writeLink);
  writeLink();
  repaint();
}

/** @param {KeyboardEvent} event */
function pageKeys(event) {
  if (event.key === "Escape") return showMenu(false);
  if (event.altKey || /** @type {Element} */ (event.target).closest("input:not([type=range]), select, dialog")) return undefined;
  if (event.key === "?") return $("keys").showModal();
  if ($("plan-view").hidden) return undefined;
  if (event.ctrlKey || event.metaKey) {
    const does = { z: event.shiftKey ? redo : undo, y: redo }[event.key.toLowerCase()];
    if (!does) return undefined;
    event.preventDefault();
    return does(reopen);
  }
  const does = {
    "[": () => setSwitches(shownSwitches() - 1), "]": () => setSwitches(shownSwitches() + 1),
    p: togglePlay, n: () => $("numbers").click(), w: () => setTool("walls"), o: () => setTool("goals"),
    a: () => state.scene.drawn.length && setTool("arrows"),
  }[event.key.toLowerCase()];
  if (/^[1-8]$/.test(event.key)) return choosePolicy(Number(event.key) - 1);
  return does?.();
}

function wire() {
  listen(edit);
  listenToMaps(() => repaint("maps"));
  for (const [part, paint] of /** @type {[Part, () => void][]} */ (Object.entries({ board: paintBoard, maps: paintMaps, sweeps: paintSweeps }))) {
    onPaint(part, () => { if (!$("plan-view").hidden) paint(); });
  }
  onPaint("arenas", () => { if ($("plan-view").hidden) paintArenas(); });
  onThemeChange(() => { sayPlan(); paintPolicies(choosePolicy); repaint(); });
  addEventListener("resize", () => repaint());
  addEventListener("hashchange", () => { readLink(open, (story) => show("escape", story)); });
  addEventListener("keydown", pageKeys);
  // The fragment holds the scene, so the focus moves without it.
  all(".skip")[0].addEventListener("click", (event) => {
    event.preventDefault();
    $($("plan-view").hidden ? "variant" : "board").focus();
  });
  $("switches").addEventListener("input", () => setSwitches(Number($("switches").value)));
  $("preset").addEventListener("change", () => openPreset($("preset").selectedIndex - 1));
  for (const button of all("[data-tool]")) button.addEventListener("click", () => setTool(/** @type {Tool} */ (button.dataset.tool)));
  wireSkills(sceneChanged, setTool);
  for (const id of SIDES) $(id).addEventListener("change", resize);
  $("clear").addEventListener("click", clearWalls);
  $("undo").addEventListener("click", () => undo(reopen));
  $("discount").addEventListener("input", () => { state.scene.discount = toDiscount(Number($("discount").value)); sceneChanged(); });
  $("noise").addEventListener("input", () => { state.scene.noise = Number($("noise").value); sceneChanged(); });
  $("numbers").addEventListener("click", () => {
    state.numbers = !state.numbers;
    $("maps").classList.toggle("numbered", state.numbers);
    $("numbers").setAttribute("aria-pressed", String(state.numbers));
    repaint("maps");
  });
  $("play").addEventListener("click", togglePlay);
  $("share").addEventListener("click", share);
  $("help").addEventListener("click", () => $("keys").showModal());
  wireMenu((kind) => fair(exporters[kind]));
  $("show-plan").addEventListener("click", () => show("plan"));
  $("show-escape").addEventListener("click", () => show("escape"));
}

async function begin() {
  let story = null;
  // Without them there is nothing to begin with: wait for the server, and begin anew.
  presets = await get("api/presets").catch(() => new Promise(() => { missServer(() => location.reload()); }));
  $("preset").append(Object.assign(new Option("your own", ""), { disabled: true }), ...presets.map(({ name, about }) => Object.assign(new Option(name), { title: about })));
  wire();
  if (matchMedia("(pointer: coarse)").matches) setTool("look");
  if (!readLink(open, (parts) => { story = parts; })) openPreset(0);
  if (story) show("escape", story);
  watchServer(askAgain);
}

window.lab = { state, settled, ready: begin() };
