// Sentences that lead through the page, one idea each; each can show what it says.
import { $, all } from "./elements.js";
import { lookAtLeg, unpin } from "./looking.js";
import { playPlanning, setSwitches, stopPlanning } from "./planning.js";
import { sceneChanged } from "./editing.js";
import { repaint, settled, state } from "./state.js";

/** @type {{ text: string, part: "maps" | "switching" | "chain", show: () => void | Promise<void> }[]} */
const SENTENCES = [
  {
    text: '<b>Strong green is soon.</b> The first-occupancy representation (<b class="fr">FR</b>) says how soon a policy first reaches each cell. Point at a cell of the maze to see it from there.',
    part: "maps", show: unpin,
  },
  {
    text: 'The successor representation (<b class="sr">SR</b>) counts visits instead. Where a policy waits at a wall its visits pile up, and hide how soon it got there.',
    part: "maps", show: unpin,
  },
  {
    text: "<b>K = 0</b>: one policy all the way, which is generalised policy improvement (GPI). Cells from which no single policy reaches the goal have no green. In FourRooms, S is one of them.",
    part: "switching", show: () => { stopPlanning(); setSwitches(0); },
  },
  {
    text: "Press <b>Plan</b>. At each switch the plan stops at a subgoal and goes on with another policy. In FourRooms <b>K = 2</b> switches, hence three legs, lead from S to the goal.",
    part: "switching", show: async () => { stopPlanning(); await playPlanning(2); },
  },
  {
    text: 'Each leg has an F, its entry of the <b class="fr">FR</b>: the discount on arrival, <i>γ</i> for every step. Steps add up, so the F of the legs <b>multiply</b>. Point at a leg to see its map.',
    part: "chain", show: async () => { stopPlanning(); setSwitches(Infinity); await settled(); lookAtLeg(0); },
  },
  {
    text: "With <b>noise</b> 0.2, a random move replaces one move in five. The discount is then an <b>average</b>, and lower, since slips cost time. Play the plan a few times, and compare.",
    part: "switching", show: () => { stopPlanning(); state.scene.noise = 0.2; setSwitches(Infinity); sceneChanged(); },
  },
];
const GAP = 6; // pixels above and below what stays on the screen
let now = 0;

// Scrolls so that the part that the sentence is about is on the screen, below what stays there.
function bringIntoView() {
  $(SENTENCES[now].part).scrollIntoView({ block: "nearest" });
}

// Does what the sentence says, and outlines the part for a moment. Its text may grow meanwhile.
async function showIt() {
  const { part, show } = SENTENCES[now], shown = $(part), done = show();
  shown.classList.add("shown");
  setTimeout(() => shown.classList.remove("shown"), 1600);
  bringIntoView();
  await done;
  await settled();
  bringIntoView();
}

// What stays on the screen while one scrolls: the guide, and in one column the maze below it.
function measure() {
  const [stage] = all(".stage"), tools = $("board").offsetTop - GAP, guide = $("guide").offsetHeight ? $("guide").offsetHeight + GAP : 0;
  const stuck = getComputedStyle(stage).position === "sticky" ? stage.offsetHeight - tools : 0;
  for (const [name, length] of Object.entries({ guide, tools, stuck: guide + stuck + GAP })) document.documentElement.style.setProperty(`--${name}`, `${length}px`);
}

function say() {
  $("guide-text").innerHTML = SENTENCES[now].text;
  $("guide-place").textContent = `${now + 1} of ${SENTENCES.length}`;
  $("guide-back").disabled = now === 0;
  $("guide-next").disabled = now === SENTENCES.length - 1;
}

/** @param {number} number */
function turn(number) {
  now = number;
  say();
  bringIntoView();
}

export function wireGuide() {
  $("guide-back").addEventListener("click", () => turn(now - 1));
  $("guide-next").addEventListener("click", () => turn(now + 1));
  $("guide-show").addEventListener("click", showIt);
  $("guide-close").addEventListener("click", () => { $("guide").hidden = true; repaint("board"); });
  say();
  const sizes = new ResizeObserver(measure);
  for (const part of [$("guide"), ...all(".stage")]) sizes.observe(part);
}
