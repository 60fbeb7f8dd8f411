// Questions to the workers. Of each kind one is answered at a time, and of those that wait only the newest is asked.
/** @import { Answers, Questions } from "./types" */

// Pointing at cells has a worker of its own, so that it never waits for a plan; so have stories, and many of them.
const WORKERS = { plan: 0, row: 1, practice: 2, escape: 2, trials: 3 };
const MOST_HELP = 3; // workers beside the one that plans
const BUSY = 1; // processors that the planning worker takes; the page itself waits meanwhile
/** @type {Worker[]} */
const workers = [];
/** @type {Map<number, (data: { answer?: any, error?: string }) => void>} */
const unanswered = new Map();
/** @type {Map<string, { begin: () => void, giveUp: () => void } | null>} */
const waiting = new Map(); // by kind, while one is being answered: the newest question that waits
let asked = 0;

// The answer, or null if a newer question of the same kind took this one's place.
/**
 * @template {keyof Questions} Kind
 * @param {Kind} kind
 * @param {Questions[Kind]} question
 * @returns {Promise<Answers[Kind] | null>}
 */
export function ask(kind, question) {
  return new Promise((resolve, reject) => {
    const begin = () => {
      waiting.set(kind, null);
      send(kind, question).then(resolve, reject).finally(() => goOn(kind));
    };
    if (!waiting.has(kind)) return begin();
    waiting.get(kind)?.giveUp();
    return waiting.set(kind, { begin, giveUp: () => resolve(null) });
  });
}

/** @param {string} kind */
function goOn(kind) {
  const next = waiting.get(kind);
  if (next) next.begin();
  else waiting.delete(kind);
}

/** @param {keyof Questions} kind @param {object} question */
function send(kind, question) {
  const id = ++asked, number = WORKERS[kind];
  workers[number] ??= start();
  if (kind === "plan" && /** @type {Questions["plan"]} */ (question).scene.noise > 0) helpOnce(workers[number]);
  return new Promise((resolve, reject) => {
    unanswered.set(id, ({ answer, error }) => (error === undefined ? resolve(answer) : reject(new Error(error))));
    workers[number].postMessage({ id, kind, question });
  });
}

let helped = false;

// The FRs of several policies are found side by side where there are processors for it.
/** @param {Worker} worker */
function helpOnce(worker) {
  if (helped) return;
  helped = true;
  for (let i = 0; i < Math.min(MOST_HELP, (navigator.hardwareConcurrency ?? BUSY) - BUSY); i++) {
    const { port1, port2 } = new MessageChannel();
    start().postMessage({ kind: "help", port: port1 }, [port1]);
    worker.postMessage({ kind: "helper", port: port2 }, [port2]);
  }
}

function start() {
  // A page that is one file carries the worker's program with it.
  const program = document.getElementById("worker-program")?.textContent;
  const worker = program
    ? new Worker(URL.createObjectURL(new Blob([program], { type: "text/javascript" })))
    : new Worker("worker.js", { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    unanswered.get(data.id)?.(data);
    unanswered.delete(data.id);
  });
  worker.addEventListener("error", (event) => { for (const answer of unanswered.values()) answer({ error: event.message || "the page's worker does not start" }); });
  return worker;
}
