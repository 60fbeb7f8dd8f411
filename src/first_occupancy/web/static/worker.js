// Answers the page's questions, away from the page: drawing and painting never wait for it.
import { answerPlan, answerRow } from "./engine/answers.js";
import { story } from "./engine/escape.js";
import { makeMemory } from "./engine/memory.js";
import { beginPractice, learned, practise } from "./engine/practice.js";
/** @import { EscapeQuestion, Moment, Practice, Questions } from "./types" */

const memory = makeMemory();
/** @type {Iterator<Moment> | null} */
let telling = null;
/** @type {Practice | null} */
let practice = null;

const answers = {
  /** @param {Questions["plan"]} question */
  plan: ({ scene, switches }) => answerPlan(scene, switches, memory),
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

addEventListener("message", ({ data: { id, kind, question } }) => {
  try {
    postMessage({ id, answer: answers[/** @type {keyof typeof answers} */ (kind)](question) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
});
