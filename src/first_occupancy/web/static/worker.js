// Answers the page's questions, away from the page: drawing and painting never wait for it.
import { answerPlan, answerRow } from "./engine/answers.js";
import { story } from "./engine/escape.js";
import { bestLegs } from "./engine/legtable.js";
import { makeMemory } from "./engine/memory.js";
import { beginPractice, learned, practise } from "./engine/practice.js";
import { makeRoom } from "./engine/room.js";
import { shareTable } from "./sharing.js";
/** @import { EscapeQuestion, Moment, Practice, Questions } from "./types" */

const memory = makeMemory();
/** @type {Iterator<Moment> | null} */
let telling = null;
/** @type {Practice | null} */
let practice = null;
/** @type {MessagePort[]} */
const helpers = [];

const answers = {
  /** @param {Questions["plan"]} question */
  plan: async ({ scene, switches }) => {
    await shareTable(scene, memory, helpers);
    return answerPlan(scene, switches, memory);
  },
  /** @param {Questions["row"]} question */
  row: ({ scene, policy, cell }) => answerRow(scene, policy, cell, memory),
  // The next moment of a story, or the first of another; null after the last.
  /** @param {Questions["escape"]} question */
  escape: ({ begin }) => {
    if (begin) telling = story(begin);
    return telling?.next().value ?? null;
  },
  // How one whole story ends.
  /** @param {EscapeQuestion} question */
  trials: (question) => {
    for (const moment of story(question)) if (moment.kind === "end") return moment.trials;
    return null;
  },
  /** @param {Questions["practice"]} question */
  practice: ({ begin, steps, policy, cell }) => {
    if (begin) practice = beginPractice(begin.scene, begin.stepSize, begin.seed);
    if (!practice) return null;
    return { walk: practise(practice, steps), ...learned(practice, policy, cell) };
  },
};

// Another worker may help, or be helped, through a port of its own.
const ports = {
  /** @param {MessagePort} port */
  helper: (port) => { helpers.push(port); },
  /** @param {MessagePort} port */
  help: (port) => {
    port.onmessage = ({ data: { scene, policies } }) => {
      const legs = bestLegs(makeRoom(scene), policies);
      port.postMessage(legs, [legs.later, legs.earlier].flatMap(({ best, leader }) => [best.buffer, leader.buffer]));
    };
  },
};

addEventListener("message", async ({ data: { id, kind, question, port } }) => {
  if (port) return ports[/** @type {keyof typeof ports} */ (kind)](port);
  try {
    return postMessage({ id, answer: await answers[/** @type {keyof typeof answers} */ (kind)](question) });
  } catch (error) {
    return postMessage({ id, error: error.message });
  }
});
