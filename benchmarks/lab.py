"""How long does the lab take from a touch to the painted answer?

Times are taken in a headless Chromium, from just before the input event until the last canvas is
painted with the answer. Both come from the page itself; the server only hands out its files.

Needs the extra `test-web` and a Chromium, in /usr/bin unless CHROMIUM says otherwise.
"""

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from measuring import Row, compared, main
from playwright.sync_api import Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
LIMITS = {11: 0.1, 25: 0.1, 32: 0.5, 60: 0.5}
"""Seconds that any change may take in a square room of that side."""

TOUCHES = """
async ([side, moves, noise, count]) => {
  const { fromText } = await import('./scene.js');
  const rng = (seed => () => (seed = (seed * 16807) % 2147483647) / 2147483647)(side * 7 + moves);
  const lines = Array.from({ length: side }, (_, row) => Array.from({ length: side }, (_, column) =>
    row * column && (row + 1) % side && (column + 1) % side && rng() > .15 ? '.' : '#'));
  lines[side - 2][1] = 'S'; lines[1][side - 2] = 'G';
  const drawing = lines.map(line => line.join(''));
  const scene = fromText({ drawing, moves, drawn: [], discount: .95, noise });
  const from = side * (side - 2) + 1;
  Object.assign(lab.state, { scene, switches: null, policy: 1, from, plan: null, row: null });
  const canvas = document.getElementById('board'), times = { wall: [], slide: [], hover: [] };
  const key = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const timed = async (kind, touch) => {
    const begin = performance.now();
    touch();
    await lab.settled();
    times[kind].push(window.painted - begin);
  };
  if (!window.painted) {
    const { clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      window.painted = performance.now();
      return clearRect.apply(this, box);
    };
  }
  canvas.focus();
  lab.state.cursor = side * Math.floor(side / 2) + Math.floor(side / 3);
  for (let i = 0; i < count; i++) {
    // On to another cell each time, so that no answer is one that is remembered.
    await timed('hover', () => key(i % 2 ? 'ArrowDown' : 'ArrowRight'));
    await timed('wall', () => key(' '));
    const slider = document.getElementById('switches');
    await timed('slide', () => { slider.value = i % 4; slider.dispatchEvent(new Event('input')); });
  }
  return times;
}
"""


def measure(quick: bool) -> Iterable[Row]:
    """Yield rows on answers in the browser; `quick` takes fewer touches of each kind."""
    with _serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.evaluate("lab.ready.then(() => lab.settled())")
        for side in LIMITS:
            for moves, noise in ((4, 0.0), (8, 0.0), (4, 0.1), (8, 0.1)):
                yield from _touches(page, side, moves, noise, 3 if quick else 12)
        browser.close()


def _touches(page: Page, side: int, moves: int, noise: float, count: int) -> Iterable[Row]:
    page.evaluate(TOUCHES, [side, moves, noise, 1])
    for kind, times in page.evaluate(TOUCHES, [side, moves, noise, count]).items():
        seconds = statistics.median(times) / 1000
        yield compared(
            f"lab: {kind}, from touch to paint",
            f"{side} x {side}, {moves} moves, noise {noise:g}",
            ours=("median", seconds),
            peer=(f"best {min(times):.0f} ms, slowest", max(times) / 1000),
            ratio=1000 * seconds,
            unit="ms",
            at_most=1000 * LIMITS[side],
        )


@contextmanager
def _serving() -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "first_occupancy.cli.main",
        "lab",
        "--no-browser",
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://[0-9.:]+", server.stdout.readline())
        assert found
        try:
            yield found[0]
        finally:
            server.terminate()


if __name__ == "__main__":
    main(measure)
