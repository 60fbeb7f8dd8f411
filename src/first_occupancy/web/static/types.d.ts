// What the page's modules hand to each other, for the type checker (`make check`); the server does not serve it.
// Questions and answers are those of ../scenes.py and ../escape.py.

export type Direction = "up" | "right" | "down" | "left";
export type Point = [number, number];
export type Part = "board" | "maps" | "sweeps" | "arenas";
export type Tool = "walls" | "goals" | "arrows" | "look";
export type MapName = "fr" | "sr";

export interface Grid {
  rows: number;
  columns: number;
  walls: Uint8Array;
}

export interface DrawnPolicy {
  usual: Direction;
  arrows: Uint8Array;
}

export interface Scene extends Grid {
  start: number;
  goals: number[];
  moves: number;
  drawn: DrawnPolicy[];
  discount: number;
  noise: number;
}

export interface SceneQuestion {
  drawing: string[];
  moves: number;
  drawn: { usual: Direction; arrows: string[] }[];
  discount: number;
  noise: number;
}

export interface Preset {
  name: string;
  about: string;
  scene: SceneQuestion;
}

export interface Leg {
  policy: number;
  subgoal: number;
  cells: number[];
}

export interface GoalPlan {
  goal: number;
  policy: number[];
  subgoal: number[];
  discount: (number | null)[];
  legs: Leg[];
}

export interface Plan {
  rows: number;
  columns: number;
  message: string | null;
  note: string | null;
  start: number | null;
  policies: string[];
  actions: number[][];
  most_switches: number;
  tour_discount: number | null;
  plans: GoalPlan[];
  sweeps: { sweeps: number; action: number[]; discount: (number | null)[] } | null;
  worth: { plan: number | null; followed: number | null; sweeps: number | null; optimum: number | null } | null;
}

export interface Row {
  rows: number;
  columns: number;
  message: string | null;
  first_occupancy: (number | null)[];
  successor: (number | null)[];
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
  target: number | null;
  cursor: number | null;
  tool: Tool;
  numbers: boolean;
  plan: Plan | null;
  row: Row | null;
  agent: Agent | null;
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
  hover(cell: number, byKeys?: boolean): void;
  wall(cell: number, wall: number): void;
  move(goal: number | null, cell: number): boolean;
  goal(cell: number): void;
  arrow(one: number, other: number): void;
  focus(): void;
}

export interface Drag {
  last: number;
  over(next: number): void;
}

export interface Runner {
  cell: number;
  bumped: boolean;
  arrived: boolean;
  steps: number;
  plan: number[] | null;
}

export interface Result {
  arrived: boolean;
  steps: number;
  hits: number;
}

export type Maps = Record<MapName, number[]>;

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
  | { kind: "begin"; rows: number; columns: number; walls: number[]; start: number; shelter: number; barrier: number[] }
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
    lab: { state: State; settled: () => Promise<number>; ready: Promise<void> };
  }
}

// The elements of index.html that the modules ask for by their ids.
export interface Elements {
  "add-policy": HTMLButtonElement;
  board: HTMLCanvasElement;
  clear: HTMLButtonElement;
  columns: HTMLInputElement;
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
  "escape-pause": HTMLButtonElement;
  "escape-reading": HTMLElement;
  "escape-results": HTMLTableElement;
  "escape-run": HTMLButtonElement;
  "escape-view": HTMLElement;
  "fr-arena": HTMLCanvasElement;
  "fr-map": HTMLCanvasElement;
  "fr-ramp": HTMLElement;
  "fr-steps": HTMLElement;
  help: HTMLButtonElement;
  keys: HTMLDialogElement;
  legs: HTMLElement;
  maps: HTMLElement;
  most: HTMLElement;
  noise: HTMLInputElement;
  "noise-value": HTMLElement;
  note: HTMLElement;
  numbers: HTMLButtonElement;
  phases: HTMLElement;
  "plan-view": HTMLElement;
  play: HTMLButtonElement;
  policies: HTMLElement;
  preset: HTMLSelectElement;
  product: HTMLElement;
  readout: HTMLElement;
  "row-reading": HTMLElement;
  rows: HTMLInputElement;
  share: HTMLButtonElement;
  "show-escape": HTMLButtonElement;
  "show-plan": HTMLButtonElement;
  speed: HTMLInputElement;
  "sr-arena": HTMLCanvasElement;
  "sr-map": HTMLCanvasElement;
  "sr-ramp": HTMLElement;
  "sr-steps": HTMLElement;
  status: HTMLElement;
  switches: HTMLInputElement;
  "switches-value": HTMLElement;
  toast: HTMLElement;
  undo: HTMLButtonElement;
  usual: HTMLSelectElement;
  variant: HTMLSelectElement;
  "vi-caption": HTMLElement;
  "vi-map": HTMLCanvasElement;
  worth: HTMLTableElement;
}
