// Two pens with the same strokes: one paints a canvas, the other writes SVG.
/** @import { Disc, Geometry, Point, Stroke } from "./types" */
// A pen for a grid of cells as large as the canvas is wide, or `most` high, with a margin left of it and above.
/** @param {HTMLCanvasElement} canvas @param {number} rows @param {number} columns @param {number} [most] @param {number} [margin] */
export function canvasPen(canvas, rows, columns, most = Infinity, margin = 0) {
  const width = Math.max(1, canvas.clientWidth);
  const ratio = window.devicePixelRatio || 1;
  const cell = whole(Math.min((width - margin) / columns, (most - margin) / rows), ratio);
  const height = Math.round(cell * rows) + margin;
  canvas.style.height = `${height}px`;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const left = Math.round((margin + (width - margin - cell * columns) / 2) * ratio) / ratio;
  context.setTransform(ratio, 0, 0, ratio, left * ratio, margin * ratio);
  context.clearRect(-left, -margin, width, height);
  context.lineJoin = context.lineCap = "round";
  /** @param {number} place */
  const edge = (place) => Math.round(place * ratio) / ratio;
  return Object.assign(new CanvasPen(context), { cell, left, top: margin, edge });
}

// Cells end between pixels, or seams show; tiny ones would lose too much to that.
/** @param {number} cell @param {number} ratio */
function whole(cell, ratio) {
  return cell * ratio < 8 ? cell : Math.floor(cell * ratio) / ratio;
}

class CanvasPen {
  /** @param {CanvasRenderingContext2D} context */
  constructor(context) { this.context = context; }
  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} fill @param {number} [alpha] */
  rect(x, y, width, height, fill, alpha = 1) {
    if (alpha !== 1) this.context.globalAlpha = alpha;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
    if (alpha !== 1) this.context.globalAlpha = 1;
  }
  /** @param {Point[]} points @param {string} stroke @param {number} width @param {Stroke} [how] */
  line(points, stroke, width, { alpha = 1, dash = [] } = {}) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    trace(context, points);
    context.stroke();
    context.globalAlpha = 1;
  }
  /** @param {Point[]} points @param {string} fill @param {number} [alpha] */
  shape(points, fill, alpha = 1) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = fill;
    context.beginPath();
    trace(context, points);
    context.fill();
    context.globalAlpha = 1;
  }
  /** @param {number} x @param {number} y @param {number} radius @param {Disc} how */
  circle(x, y, radius, { fill, stroke, width = 1, alpha = 1 }) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.setLineDash([]);
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    if (fill) { context.fillStyle = fill; context.fill(); }
    if (stroke) { context.strokeStyle = stroke; context.lineWidth = width; context.stroke(); }
    context.globalAlpha = 1;
  }
  /** @param {number} x @param {number} y @param {string} text @param {number} size @param {string} fill @param {number} [weight] */
  text(x, y, text, size, fill, weight = 600) {
    const { context } = this;
    context.font = `${weight} ${size}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = fill;
    context.fillText(text, x, y + size * 0.05);
  }
}

/** @param {CanvasRenderingContext2D} context @param {Point[]} points */
function trace(context, points) {
  for (const [i, [x, y]] of points.entries()) {
    if (i) context.lineTo(x, y);
    else context.moveTo(x, y);
  }
}

export class SvgPen {
  /** @param {number} cell */
  constructor(cell) {
    this.cell = cell;
    /** @type {string[]} */
    this.parts = [];
  }
  /** @param {number} place */
  edge(place) { return place; }
  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} fill @param {number} [alpha] */
  rect(x, y, width, height, fill, alpha = 1) {
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${fill}"${opacity(alpha)}/>`);
  }
  /** @param {Point[]} points @param {string} stroke @param {number} width @param {Stroke} [how] */
  line(points, stroke, width, { alpha = 1, dash = [] } = {}) {
    const dashes = dash.length ? ` stroke-dasharray="${dash.map(n).join(" ")}"` : "";
    this.parts.push(`<polyline points="${list(points)}" fill="none" stroke="${stroke}" stroke-width="${n(width)}" stroke-linecap="round" stroke-linejoin="round"${dashes}${opacity(alpha)}/>`);
  }
  /** @param {Point[]} points @param {string} fill @param {number} [alpha] */
  shape(points, fill, alpha = 1) {
    this.parts.push(`<polygon points="${list(points)}" fill="${fill}"${opacity(alpha)}/>`);
  }
  /** @param {number} x @param {number} y @param {number} radius @param {Disc} how */
  circle(x, y, radius, { fill = "none", stroke = "none", width = 1, alpha = 1 }) {
    this.parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${fill}" stroke="${stroke}" stroke-width="${n(width)}"${opacity(alpha)}/>`);
  }
  /** @param {number} x @param {number} y @param {string} text @param {number} size @param {string} fill @param {number} [weight] */
  text(x, y, text, size, fill, weight = 600) {
    this.parts.push(`<text x="${n(x)}" y="${n(y + size * 0.36)}" font-size="${n(size)}" font-weight="${weight}" font-family="sans-serif" text-anchor="middle" fill="${fill}">${text}</text>`);
  }
  /** @param {number} width @param {number} height */
  document(width, height) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}">${this.parts.join("\n")}</svg>\n`;
  }
}

/** @param {number} value */
const n = (value) => String(Math.round(value * 100) / 100);
/** @param {Point[]} points */
const list = (points) => points.map(([x, y]) => `${n(x)},${n(y)}`).join(" ");
/** @param {number} alpha */
const opacity = (alpha) => (alpha < 1 ? ` opacity="${n(alpha)}"` : "");

// The cell under a pointer, null beside the grid.
/** @param {PointerEvent} event @param {HTMLCanvasElement} canvas @param {Geometry} geometry @param {{ rows: number, columns: number }} grid */
export function cellUnder(event, canvas, { cell, left, top }, { rows, columns }) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - left) / cell), row = Math.floor((event.clientY - box.top - top) / cell);
  return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : null;
}
