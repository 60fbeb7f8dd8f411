// What was drawn before, as links, so that it can be undone.
const MOST = 200;
let now = null, past = [];

export function remember(fragment) {
  if (fragment === now) return;
  if (now !== null) past = [...past, now].slice(-MOST);
  now = fragment;
}

export const hasPast = () => past.length > 0;

// Returns the link before this one, which is then the present.
export function goBack() {
  now = past.pop() ?? now;
  return now;
}
