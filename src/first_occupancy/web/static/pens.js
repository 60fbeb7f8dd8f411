// Two pens with the same strokes: one paints a canvas, the other writes SVG.
export function canvasPen(canvas, rows, columns, most = Infinity) {
  const width = Math.max(1, canvas.clientWidth);
  const ratio = window.devicePixelRatio || 1;
  const cell = whole(Math.min(width / columns, most / rows), ratio);
  const height = Math.round(cell * rows);
  canvas.style.height = `${height}px`;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = canvas.getContext("2d");
  const left = Math.round(((width - cell * columns) / 2) * ratio) / ratio;
  context.setTransform(ratio, 0, 0, ratio, left * ratio, 0);
  context.clearRect(-left, 0, width, height);
  context.lineJoin = context.lineCap = "round";
  const edge = (place) => Math.round(place * ratio) / ratio;
  return Object.assign(new CanvasPen(context), { cell, left, edge });
}

// Cells end between pixels, or seams show; tiny ones would lose too much to that.
function whole(cell, ratio) {
  return cell * ratio < 8 ? cell : Math.floor(cell * ratio) / ratio;
}

class CanvasPen {
  constructor(context) { this.context = context; }
  rect(x, y, width, height, fill, alpha = 1) {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }
  line(points, stroke, width, { alpha = 1, dash = [] } = {}) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
    context.globalAlpha = 1;
  }
  shape(points, fill, alpha = 1) {
    const { context } = this;
    context.globalAlpha = alpha;
    context.fillStyle = fill;
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.fill();
    context.globalAlpha = 1;
  }
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
  text(x, y, text, size, fill, weight = 600) {
    const { context } = this;
    context.font = `${weight} ${size}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = fill;
    context.fillText(text, x, y + size * 0.05);
  }
}

export class SvgPen {
  constructor(cell) { Object.assign(this, { cell, parts: [], edge: (place) => place }); }
  rect(x, y, width, height, fill, alpha = 1) {
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${fill}"${opacity(alpha)}/>`);
  }
  line(points, stroke, width, { alpha = 1, dash = [] } = {}) {
    const dashes = dash.length ? ` stroke-dasharray="${dash.map(n).join(" ")}"` : "";
    this.parts.push(`<polyline points="${list(points)}" fill="none" stroke="${stroke}" stroke-width="${n(width)}" stroke-linecap="round" stroke-linejoin="round"${dashes}${opacity(alpha)}/>`);
  }
  shape(points, fill, alpha = 1) {
    this.parts.push(`<polygon points="${list(points)}" fill="${fill}"${opacity(alpha)}/>`);
  }
  circle(x, y, radius, { fill = "none", stroke = "none", width = 1, alpha = 1 }) {
    this.parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="${fill}" stroke="${stroke}" stroke-width="${n(width)}"${opacity(alpha)}/>`);
  }
  text(x, y, text, size, fill, weight = 600) {
    this.parts.push(`<text x="${n(x)}" y="${n(y + size * 0.36)}" font-size="${n(size)}" font-weight="${weight}" font-family="sans-serif" text-anchor="middle" fill="${fill}">${text}</text>`);
  }
  document(width, height) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}">${this.parts.join("\n")}</svg>\n`;
  }
}

const n = (value) => String(Math.round(value * 100) / 100);
const list = (points) => points.map(([x, y]) => `${n(x)},${n(y)}`).join(" ");
const opacity = (alpha) => (alpha < 1 ? ` opacity="${n(alpha)}"` : "");
