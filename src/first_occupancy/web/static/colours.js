// Colours. Green is how soon (the FR, and plans made of it), orange how often (the SR), blue value iteration, yellow a goal;
// policies have none of these, nor have buttons.
/** @import { MapName } from "./types" */
const LIGHT = {
  policies: ["#6a2c91", "#d6437f", "#7a4b36", "#a08cc8", "#a3123a", "#525c66", "#e08bb4", "#4d3a6b"],
  fr: ["#f3f8f5", "#bfe3d5", "#6fc0a3", "#1f9270", "#00583f"],
  sr: ["#fbf6f1", "#f8d9bd", "#efa974", "#d9702c", "#943b00"],
  vi: ["#f3f7fb", "#c6def0", "#86b9dd", "#3f8cc2", "#0a5a92"],
};
const DARK = {
  policies: ["#b98ae0", "#f278aa", "#c59a80", "#cfc1ec", "#f0567c", "#aab4be", "#f7b9d4", "#9787c4"],
  fr: ["#202d2c", "#17493f", "#157a61", "#2fb38b", "#a6f0d6"],
  sr: ["#2d2724", "#5a3417", "#99531a", "#e08339", "#ffd9b3"],
  vi: ["#20292f", "#1b425f", "#216c9e", "#4ba3dc", "#c4e6ff"],
};

const dark = matchMedia("(prefers-color-scheme: dark)");
let now = dark.matches ? DARK : LIGHT; // asking for every cell takes long
dark.addEventListener("change", () => { now = dark.matches ? DARK : LIGHT; });
/** @type {Record<string, string> | null} */
let roles = null;

/** @param {() => void} call */
export function onThemeChange(call) {
  dark.addEventListener("change", () => { roles = null; call(); });
}

// The page's own colours, by the name they have in style.css.
/** @param {string} name */
export function role(name) {
  roles ??= {};
  roles[name] ??= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return roles[name];
}

/** @param {number} number */
export function policyColour(number) {
  return now.policies[number % 8];
}

const LEVELS = 512; // of each scale; they are mixed once
/** @type {Map<string[], string[]>} */
const scales = new Map();

// The colour of a value in 0..1.
/** @param {MapName | "vi"} name @param {number} value */
export function heat(name, value) {
  const stops = now[name], scale = scales.get(stops) ?? mixed(stops);
  return scale[Math.round(Math.min(1, Math.max(0, value)) * (LEVELS - 1))];
}

/** @param {string[]} stops */
function mixed(stops) {
  const scale = Array.from({ length: LEVELS }, (_, level) => {
    const place = (level / (LEVELS - 1)) * (stops.length - 1), low = Math.min(stops.length - 2, Math.floor(place));
    return mix(stops[low], stops[low + 1], place - low);
  });
  scales.set(stops, scale);
  return scale;
}

// Dark text on light cells and the other way round.
/** @param {string} colour */
export function inkOn(colour) {
  const [red, green, blue] = colour.startsWith("#") ? channels(colour) : /** @type {string[]} */ (colour.match(/\d+/g)).map(Number);
  return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? "#1c1f24" : "#ffffff";
}

/** @param {string} one @param {string} other @param {number} part */
function mix(one, other, part) {
  const a = channels(one), b = channels(other);
  return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * part)).join(",")})`;
}

/** @param {string} hex */
function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
