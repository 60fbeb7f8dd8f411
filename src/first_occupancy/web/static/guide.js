// Five sentences that lead through the page; each can show what it says.
import { $ } from "./elements.js";
import { lookAtLeg, unpin } from "./looking.js";
import { playPlanning, setSwitches, stopPlanning } from "./planning.js";
import { sceneChanged } from "./editing.js";
import { settled, state } from "./state.js";

/** @type {{ text: string, show: () => void }[]} */
const SENTENCES = [
  {
    text: 'Point at a cell, and follow one policy. In the map of its first-occupancy representation (<b class="fr">FR</b>) <b>strong green is soon</b>: the number F is the discount on arrival, 1 here, times <i>γ</i> for every step. The successor representation (<b class="sr">SR</b>) counts visits: M.',
    show: () => { unpin(); pointTo("maps"); },
  },
  {
    text: "<b>K = 0</b>: no switch, one policy all the way. That is generalised policy improvement (GPI). On the maze, green is how soon one comes to the goal. Cells stay without it from which no single policy comes there, and S is one of them.",
    show: () => { stopPlanning(); setSwitches(0); pointTo("board"); },
  },
  {
    text: 'Press <b>Plan</b>, and K grows. At each switch a plan stops at a subgoal and goes on with another policy. <b>K = 2</b>, shown here, allows two switches, three legs: in FourRooms enough from S (its last cells need K = 3). Beside it <b class="vi">value iteration</b> creeps one step a sweep.',
    show: () => { stopPlanning(); playPlanning(2); pointTo("vi-map"); },
  },
  {
    text: 'Point at a leg: its <b class="fr">F</b> is in the map. Steps add up, so the legs\' F <b>multiply</b> to the discount on arrival. <b class="sr">SR</b> entries count visits, and standing at a wall adds more: their product says nothing about time.',
    show: async () => { stopPlanning(); setSwitches(Infinity); await settled(); lookAtLeg(0); pointTo("legs"); },
  },
  {
    text: "Add <b>noise</b>, the chance that a random move replaces the chosen one. The discount that a plan promises becomes an <b>average</b>, and falls: slips cost time, and its legs end in exact cells. Choosing anew in every cell wins much of it back. Play it a few times.",
    show: () => { stopPlanning(); state.scene.noise = 0.2; setSwitches(Infinity); sceneChanged(); pointTo("play"); },
  },
];
let now = 0;

// Brings a part of the page into view, and outlines it for a moment.
/** @param {"maps" | "board" | "vi-map" | "legs" | "play"} id */
function pointTo(id) {
  $(id).scrollIntoView({ block: "nearest" });
  $(id).classList.add("shown");
  setTimeout(() => $(id).classList.remove("shown"), 1600);
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
}

export function wireGuide() {
  $("guide-back").addEventListener("click", () => turn(now - 1));
  $("guide-next").addEventListener("click", () => turn(now + 1));
  $("guide-show").addEventListener("click", () => SENTENCES[now].show());
  $("guide-close").addEventListener("click", () => { $("guide").hidden = true; });
  say();
}
