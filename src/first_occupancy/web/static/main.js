// The page: what its controls do.
import { ask } from "./asking.js";
import { boardGeometry, paintBoard } from "./board.js";
import { onThemeChange } from "./colours.js";
import { edit, onChange, open, reopen, sceneChanged, setTool, wireEditing } from "./editing.js";
import { precise } from "./drawing.js";
import { $, all } from "./elements.js";
import { openEscape, paintArenas, readEscape } from "./escape.js";
import { exporters } from "./exports.js";
import { wireGuide } from "./guide.js";
import { closeLearning, openLearning, paintLearning, wireLearning } from "./learning.js";
import { arrives, extra } from "./legs.js";
import { readLink, redo, share, toast, undo, writeLink } from "./links.js";
import { lookAtLeg, unpin } from "./looking.js";
import { showMenu, wireMenu } from "./menu.js";
import { listenToMaps, mapGeometry, paintMaps, paintPolicies, paintSweeps } from "./panels.js";
import { askPlan, choosePolicy, playPlanning, setSwitches, stopPlanning } from "./planning.js";
import { isPlaying, play, stopPlaying } from "./play.js";
import { wirePasting } from "./pasting.js";
import { PRESETS } from "./presets.js";
import { sayPlan, shownSwitches } from "./saying.js";
import { fromText } from "./scene.js";
import { toDiscount } from "./settings.js";
import { wireSkills } from "./skills.js";
import { onPaint, repaint, settled, state } from "./state.js";
import { listen } from "./strokes.js";
import { count } from "./words.js";
/** @import { Part, Scene, View } from "./types" */

const VIEWS = /** @type {View[]} */ (["plan", "learn", "escape"]);

// A scene of its own link or of the past: the plan is what one wants to see.
/** @param {Scene} scene @param {number | null} switches */
function openScene(scene, switches) {
  if ($("plan-view").hidden) show("plan");
  stopPlanning();
  open(scene, switches);
}

// A preset begins without switches: the planning is still to come.
/** @param {number} number */
function openPreset(number) {
  if (state.scene) writeLink();
  openScene(fromText(PRESETS[number].scene), 0);
}

function togglePlay() {
  if (isPlaying()) return stopPlaying();
  if (!arrives(state.plan)) return undefined;
  stopPlanning();
  document.body.dataset.agent = "walking";
  return play(({ arrived, steps, time, slips }) => {
    document.body.dataset.agent = arrived ? "arrived" : "lost";
    const { scene, runs, plan } = state, discount = arrived ? scene.discount ** time : 0, expected = plan?.tourFollowed;
    runs.push(discount);
    const mean = runs.reduce((sum, each) => sum + each, 0) / runs.length;
    const slipped = scene.noise ? `, ${count(slips, "slip")} among them` : "";
    const promise = expected ? ` Mean of ${count(runs.length, "run")}: <b>${precise(mean)}</b>; expected, choosing again in every cell: ${precise(expected)}.` : "";
    $("readout").innerHTML = arrived
      ? `Arrived after <b>${steps}</b> step${steps === 1 ? "" : "s"}${extra(time, steps)}${slipped}: discount <b>${precise(discount)}</b>.${promise}`
      : `Not arrived.${promise}`;
  });
}

/** @param {View} view @param {URLSearchParams | null} [story] */
function show(view, story = null) {
  for (const each of VIEWS) {
    $(`${each}-view`).hidden = view !== each;
    $(`show-${each}`).setAttribute("aria-pressed", String(view === each));
  }
  $("download").hidden = view !== "plan";
  if (story) readEscape(story);
  if (view === "escape") openEscape(writeLink);
  if (view === "learn") openLearning();
  else closeLearning();
  writeLink();
  repaint();
}

/** @param {KeyboardEvent} event */
function pageKeys(event) {
  if (event.key === "Escape") {
    showMenu(false);
    return unpin();
  }
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
    k: () => playPlanning(), p: togglePlay, n: () => $("numbers").click(), l: () => setTool("look"), w: () => setTool("walls"), o: () => setTool("goals"), t: () => setTool("terrain"),
    a: () => state.scene.drawn.length && setTool("arrows"),
  }[event.key.toLowerCase()];
  if (/^[1-8]$/.test(event.key)) return choosePolicy(Number(event.key) - 1);
  return does?.();
}

function wirePainting() {
  for (const [part, paint] of /** @type {[Part, () => void][]} */ (Object.entries({ board: paintBoard, maps: paintMaps, sweeps: paintSweeps }))) {
    onPaint(part, () => { if (!$("plan-view").hidden) paint(); });
  }
  onPaint("arenas", () => { if (!$("escape-view").hidden) paintArenas(); });
  onPaint("learning", () => { if (!$("learn-view").hidden) paintLearning(); });
  onThemeChange(() => { sayPlan(); paintPolicies(choosePolicy); repaint(); });
  addEventListener("resize", () => repaint());
}

function wireLegs() {
  /** @param {Event} event */
  const legOf = (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-leg]"));
    return button ? Number(button.dataset.leg) : null;
  };
  for (const kind of ["pointerover", "focusin", "click"]) $("legs").addEventListener(kind, (event) => { if (legOf(event) !== null) lookAtLeg(legOf(event)); });
  for (const kind of ["pointerleave", "focusout"]) $("legs").addEventListener(kind, () => lookAtLeg(null));
}

function wire() {
  listen(edit);
  listenToMaps(() => repaint("maps"));
  wirePainting();
  wireEditing();
  wireLegs();
  wireGuide();
  wireLearning();
  wireSkills(sceneChanged, setTool);
  wireMenu(async (kind) => { try { await exporters[kind](); } catch (error) { toast(error.message); } });
  onChange(() => { stopPlanning(); askPlan(); });
  addEventListener("hashchange", () => { readLink(openScene, (story) => show("escape", story)); });
  addEventListener("keydown", pageKeys);
  wirePasting((scene) => { writeLink(); openScene(scene, 0); });
  // The fragment holds the scene, so the focus moves without it.
  all(".skip")[0].addEventListener("click", (event) => {
    event.preventDefault();
    $($("plan-view").hidden ? ($("learn-view").hidden ? "variant" : "learn-run") : "board").focus();
  });
  $("switches").addEventListener("input", () => { stopPlanning(); setSwitches(Number($("switches").value)); });
  $("plan-it").addEventListener("click", () => playPlanning());
  $("preset").addEventListener("change", () => openPreset($("preset").selectedIndex - 1));
  $("undo").addEventListener("click", () => undo(reopen));
  $("redo").addEventListener("click", () => redo(reopen));
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
  for (const view of VIEWS) $(`show-${view}`).addEventListener("click", () => show(view));
}

async function begin() {
  let story = null;
  $("preset").append(Object.assign(new Option("your own", ""), { disabled: true }), ...PRESETS.map(({ name, about }) => Object.assign(new Option(name), { title: about })));
  wire();
  setTool("look");
  if (!readLink(openScene, (parts) => { story = parts; })) openPreset(0);
  if (story) show("escape", story);
}

// For tests: where on the screen a cell of the board, or of a map, is.
/** @param {"board" | "fr-map" | "sr-map"} id @param {number} cell */
function centreOf(id, cell) {
  const box = $(id).getBoundingClientRect(), { left, top, cell: size } = id === "board" ? boardGeometry() : mapGeometry();
  const { columns } = state.scene;
  return [box.left + left + ((cell % columns) + 0.5) * size, box.top + top + (Math.floor(cell / columns) + 0.5) * size];
}

window.lab = { state, settled, ask, centreOf, ready: begin() };
