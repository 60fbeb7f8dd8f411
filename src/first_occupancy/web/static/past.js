// What was drawn before, as links, so that it can be undone, and done again.
const MOST = 200;
/** @type {string | null} */
let now = null;
/** @type {string[]} */
let past = [];
/** @type {string[]} */
let future = [];

/** @param {string} fragment */
export function remember(fragment) {
  if (fragment === now) return;
  if (now !== null) past = [...past, now].slice(-MOST);
  now = fragment;
  future = [];
}

export const hasPast = () => past.length > 0;
export const hasFuture = () => future.length > 0;

// Each returns a link, which is then the present, or null: the one before this, and the one that was undone.
export const goBack = () => go(past, future);
export const goForward = () => go(future, past);

/** @param {string[]} from @param {string[]} to */
function go(from, to) {
  if (!from.length) return null;
  to.push(/** @type {string} */ (now));
  now = from.pop() ?? null;
  return now;
}
