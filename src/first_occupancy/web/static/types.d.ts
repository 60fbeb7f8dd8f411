// What the page's modules hand to each other, for the type checker (`make check`); the server does not serve it.

export type Direction = "up" | "right" | "down" | "left";
export type Point = [number, number];
export type Part = "board" | "maps" | "sweeps" | "arenas" | "learning";
export type View = "plan" | "learn" | "escape";
export type Tool = "walls" | "goals" | "terrain" | "arrows" | "look";
export type MapName = "fr" | "sr";

export interface Grid {
  rows: number;
  columns: number;
  walls: Uint8Array;
}

// When walls block a diagonal step: if both cells beside it are walls, if one of them is, never.
export type Corners = "forbid" | "strict" | "allow";

export interface DrawnPolicy {
  usual: Direction;
  arrows: Uint8Array;
}

export interface Scene extends Grid {
  marks: Uint8Array; // 0, or one-way cells and costs of entering: see engine/room.js
  start: number;
  goals: number[];
  moves: number;
  corners: Corners;
  drawn: DrawnPolicy[];
  discount: number;
  noise: number;
}

export interface SceneText {
  drawing: string[];
  moves: number;
  corners?: Corners; // "forbid" if missing
  drawn: { usual: Direction; arrows: string[] }[];
  discount: number;
  noise: number;
}

export interface Preset {
  name: string;
  about: string;
  scene: SceneText;
}

// A scene as the planners see it: states are the free cells.
export interface Room {
  rows: number;
  columns: number;
  cells: Int32Array;
  stateOf: Int32Array;
  count: number;
  next: Int32Array[]; // by move
  names: string[];
  actions: Uint8Array[]; // by policy
  ahead: Int32Array[]; // by policy, without noise
  discount: number; // per unit of time
  noise: number;
  costs: Uint8Array | null; // of entering each state; null if all are 1
  entering: Float64Array; // the discount of a step that ends in each state
  start: number;
  goals: number[];
}

export interface Cuts {
  policy: Int32Array;
  subgoal: Int32Array;
  times: Int32Array; // to the goal, -1 where it is not reached
}

export interface NoisyPlan {
  policy: Int32Array;
  subgoal: Int32Array;
  log: Float64Array;
}

export interface StatePlan extends NoisyPlan {
  goal: number;
  factor: Float64Array;
}

export interface Banded {
  factors: Float64Array;
  count: number;
  size: number;
  band: number;
  reach: number;
  step: number;
}

// Where moves lead, numbered from the goal outwards: see engine/outwards.js.
export interface Outwards {
  goal: number;
  order: Int32Array;
  beside: Int32Array;
  entering: Float64Array;
}

// Values on their way to being settled, in the same order.
export interface Course {
  order: Int32Array;
  values: Float64Array;
  entered: Float64Array;
  entering: Float64Array;
  beside: Int32Array;
  ahead: Int32Array;
  slips: Float64Array;
  width: number;
  keep: number;
}

export type Code = number[]; // of WebAssembly

// Addresses and lengths are in bytes of the memory: see engine/simd.js.
export interface Kernel {
  memory: WebAssembly.Memory;
  far(at: number, weights: number, columnsEnd: number, weightsEnd: number, step: number): void;
  challenge(visits: number, factors: number, best: number, leaders: number, end: number, policy: number, stride: number): void;
}

export interface Layout {
  step: number;
  base: number;
  span: number;
}

export interface HalfTable {
  best: Float64Array;
  leader: Uint8Array;
}

export interface BestLegs {
  later: HalfTable;
  earlier: HalfTable;
}

export interface LegTable {
  best: Float64Array; // the largest F of any policy, by subgoal and state; 0 for none, and on the diagonal
  leader: Uint8Array;
  count: number;
  least: number; // of the entries above 0
  logs: Float64Array | null; // of the entries, once they are needed
}

// How discounts are multiplied: as they are, or as logarithms.
export interface Reckoning {
  legs: Float64Array;
  inLogs: boolean;
  nothing: number;
  all: number;
}

export interface Rows {
  soon: Float64Array;
  often: Float64Array;
}

export interface Swept {
  values: Float64Array;
  action: Int32Array;
  count: number;
}

export interface Memory {
  has(what: string, scene: Scene): boolean;
  remembered<Found>(what: string, scene: Scene, find: () => Found): Found;
}

export interface Leg {
  policy: number;
  from: number;
  subgoal: number;
  factor: number; // F(from, subgoal) of the policy
  cells: number[]; // passed without noise
  arrives: boolean; // whether they lead to the subgoal
}

export interface Step {
  from: number;
  to: number;
  slipped: boolean;
}

// The plan to one goal by cell: -1 and 0 where there is nothing to follow.
export interface Tables {
  goal: number;
  policy: Int32Array;
  subgoal: Int32Array;
  discount: Float64Array;
  factor: Float64Array; // of the first leg
}

export interface GoalPlan extends Tables {
  legs: Leg[];
}

// Expected discounts from the start to the first goal.
export interface Worth {
  plan: number;
  followed: number; // choosing again in every cell
  refined: number[]; // after each round of policy improvement
  sweeps: number;
  optimum: number;
}

export interface Answer {
  message: string | null;
  note: string | null;
  mostSwitches: number;
  tourDiscount: number | null; // of the plan from the start through all goals
  tourFollowed: number | null; // of the same tour under noise, choosing again in every cell
  plans: GoalPlan[];
  sweeps: { sweeps: number; action: Int32Array; discount: Float64Array } | null;
  worth: Worth | null;
  cost: { frs: number | null; plan: number; numbers: number } | null;
}

export interface Plan extends Answer {
  rows: number;
  columns: number;
  policies: string[];
  actions: Int32Array[];
}

export interface RowAnswer {
  rows: number;
  columns: number;
  from: number;
  policy: number;
  soon: Float64Array | null;
  often: Float64Array | null;
}

export interface Learning {
  entering: Float64Array; // the discount of a step that ends in each state
  stepSize: number;
  decay: number;
}

export interface Learner extends Learning {
  rows: Float64Array; // [state, policy, state]
  legs: Float64Array; // [subgoal, state]
  count: number;
  policies: number;
}

export interface Practice {
  room: Room;
  learner: Learner;
  random: () => number;
  state: number;
  steps: number;
}

export interface Learned {
  steps: number;
  soon: Float64Array;
  known: Float64Array;
  share: number;
}

export interface EscapeQuestion {
  variant: string;
  episodeSteps: number;
  seed: number;
}

export interface Questions {
  plan: { scene: Scene; switches: number | null };
  row: { scene: Scene; policy: number; cell: number };
  escape: { begin: EscapeQuestion | null };
  trials: EscapeQuestion;
  practice: { begin: { scene: Scene; stepSize: number; seed: number } | null; steps: number; policy: number; cell: number };
}

export interface Answers {
  plan: Plan;
  row: RowAnswer;
  escape: Moment;
  trials: Record<MapName, Result>[];
  practice: Learned & { walk: number[] };
}

export interface Agent {
  cell: Point;
  trail: number[];
  moving: boolean;
}

export interface State {
  scene: Scene;
  switches: number | null;
  policy: number | null;
  from: number | null;
  pinned: boolean;
  leg: number | null;
  target: number | null;
  cursor: number | null;
  tool: Tool;
  numbers: boolean;
  plan: Plan | null;
  row: RowAnswer | null;
  agent: Agent | null;
  runs: number[];
}

export type Open = (scene: Scene, switches: number | null) => void;

export interface Stroke {
  alpha?: number;
  dash?: number[];
}

export interface Disc {
  fill?: string;
  stroke?: string;
  width?: number;
  alpha?: number;
}

export interface Geometry {
  cell: number;
  left: number;
  top: number;
}

// Both pens have these strokes.
export interface Pen {
  cell: number;
  edge(place: number): number;
  rect(x: number, y: number, width: number, height: number, fill: string, alpha?: number): void;
  line(points: Point[], stroke: string, width: number, how?: Stroke): void;
  shape(points: Point[], fill: string, alpha?: number): void;
  circle(x: number, y: number, radius: number, how: Disc): void;
  text(x: number, y: number, text: string, size: number, fill: string, weight?: number): void;
}

export interface Edit {
  begin(): void;
  look(cell: number, byKeys?: boolean): void;
  pin(cell: number): void;
  away(): void;
  wall(cell: number, wall: number): void;
  mark(cell: number, mark: number): void;
  move(goal: number | null, cell: number): boolean;
  goal(cell: number): void;
  arrow(one: number, other: number): void;
  focus(): void;
}

export interface Drag {
  last: number;
  over(next: number): void;
  click?: () => void;
  moved?: boolean;
}

export interface Runner {
  cell: number;
  bumped: boolean;
  hits: number;
  arrived: boolean;
  steps: number;
  plan: number[] | null;
}

export interface Result {
  arrived: boolean;
  steps: number;
  hits: number;
}

export type Maps = Record<MapName, Float64Array>;

export interface Arena {
  rows: number;
  columns: number;
  walls: Uint8Array;
  start: number;
  shelter: number;
  barrier: number[];
}

export interface Trial {
  kind: "trial";
  number: number;
  barrier: true;
  fr: Runner;
  sr: Runner;
  maps: Maps | null;
}

export type Moment =
  | { kind: "begin"; arena: Arena }
  | { kind: "explore"; number: number; barrier: boolean; done: number; walk: number[]; maps: Maps }
  | Trial
  | { kind: "end"; trials: Record<MapName, Result>[] };

export interface Shown {
  maps: Maps | null;
  walk: number[];
  trails: Record<MapName, number[]>;
  runners: Trial | null;
  barrier: boolean;
}

declare global {
  interface Window {
    lab: {
      state: State;
      settled: () => Promise<number>;
      ask: (kind: any, question: any) => Promise<any>;
      centreOf: (id: "board" | "fr-map" | "sr-map", cell: number) => number[];
      ready: Promise<void>;
    };
  }
}

// The elements of index.html that the modules ask for by their ids.
export interface Elements {
  "add-policy": HTMLButtonElement;
  board: HTMLCanvasElement;
  chain: HTMLElement;
  clear: HTMLButtonElement;
  columns: HTMLInputElement;
  cost: HTMLElement;
  "cursor-reading": HTMLElement;
  discount: HTMLInputElement;
  "discount-value": HTMLElement;
  download: HTMLButtonElement;
  downloads: HTMLElement;
  "drawn-controls": HTMLElement;
  "drawn-name": HTMLElement;
  "drop-policy": HTMLButtonElement;
  episode: HTMLSelectElement;
  "escape-again": HTMLButtonElement;
  "escape-many": HTMLButtonElement;
  "escape-pause": HTMLButtonElement;
  "escape-rates": HTMLTableElement;
  "escape-reading": HTMLElement;
  "escape-results": HTMLTableElement;
  "escape-run": HTMLButtonElement;
  "escape-view": HTMLElement;
  "exact-map": HTMLCanvasElement;
  "fr-arena": HTMLCanvasElement;
  "fr-map": HTMLCanvasElement;
  "fr-ramp": HTMLElement;
  "fr-steps": HTMLElement;
  guide: HTMLElement;
  "guide-back": HTMLButtonElement;
  "guide-close": HTMLButtonElement;
  "guide-next": HTMLButtonElement;
  "guide-place": HTMLElement;
  "guide-show": HTMLButtonElement;
  "guide-text": HTMLElement;
  help: HTMLButtonElement;
  keys: HTMLDialogElement;
  "learn-again": HTMLButtonElement;
  "learn-board": HTMLCanvasElement;
  "learn-policies": HTMLElement;
  "learn-rate": HTMLSelectElement;
  "learn-reading": HTMLElement;
  "learn-run": HTMLButtonElement;
  "learn-speed": HTMLInputElement;
  "learn-view": HTMLElement;
  "learned-map": HTMLCanvasElement;
  legs: HTMLElement;
  "legend-goal": HTMLElement;
  "legs-title": HTMLElement;
  maps: HTMLElement;
  mark: HTMLSelectElement;
  most: HTMLElement;
  noise: HTMLInputElement;
  "noise-value": HTMLElement;
  note: HTMLElement;
  numbers: HTMLButtonElement;
  phases: HTMLElement;
  pinned: HTMLElement;
  "plan-it": HTMLButtonElement;
  "plan-view": HTMLElement;
  play: HTMLButtonElement;
  policies: HTMLElement;
  preset: HTMLSelectElement;
  product: HTMLElement;
  readout: HTMLElement;
  redo: HTMLButtonElement;
  "row-reading": HTMLElement;
  rows: HTMLInputElement;
  share: HTMLButtonElement;
  "show-escape": HTMLButtonElement;
  "show-learn": HTMLButtonElement;
  "show-plan": HTMLButtonElement;
  speed: HTMLInputElement;
  "sr-arena": HTMLCanvasElement;
  "sr-map": HTMLCanvasElement;
  "sr-ramp": HTMLElement;
  "sr-steps": HTMLElement;
  switches: HTMLInputElement;
  switching: HTMLElement;
  "switches-value": HTMLElement;
  toast: HTMLElement;
  undo: HTMLButtonElement;
  usual: HTMLSelectElement;
  corners: HTMLSelectElement;
  "corners-field": HTMLElement;
  variant: HTMLSelectElement;
  "vi-caption": HTMLElement;
  "vi-map": HTMLCanvasElement;
  worth: HTMLTableElement;
}
