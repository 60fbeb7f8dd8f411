"""How long does the lab take from a touch to a painted answer, and does it bear eight at once?

Times are taken in a headless Chromium: from just before the input event until the frame after the
answer was painted. The server is a process of its own. The clients of the load ask for plans and
rows of ever new rooms; the server's memory is looked at after the first tenth and at the end.

Needs the extra `test-web` and a Chromium, in /usr/bin unless CHROMIUM says otherwise.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psutil
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
LIMITS = {25: 0.1, 60: 0.5}
"""Seconds that any change may take in a square room of that side."""

CLIENTS, SECONDS = 8, 60

TOUCHES = """
async ([side, moves, noise, count]) => {
  const { fromQuestion } = await import('./scene.js');
  const rng = (seed => () => (seed = (seed * 16807) % 2147483647) / 2147483647)(side * 7 + moves);
  const lines = Array.from({ length: side }, (_, row) => Array.from({ length: side }, (_, column) =>
    row * column && (row + 1) % side && (column + 1) % side && rng() > .15 ? '.' : '#'));
  lines[side - 2][1] = 'S'; lines[1][side - 2] = 'G';
  const drawing = lines.map(line => line.join(''));
  const scene = fromQuestion({ drawing, moves, drawn: [], discount: .95, noise });
  const from = side * (side - 2) + 1;
  Object.assign(lab.state, { scene, switches: null, policy: 1, from, plan: null, row: null });
  const canvas = document.getElementById('board'), times = { wall: [], slide: [], hover: [] };
  const key = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const timed = async (kind, touch) => {
    const begin = performance.now();
    touch();
    times[kind].push(await lab.settled() - begin);
  };
  canvas.focus();
  lab.state.cursor = side * Math.floor(side / 2) + Math.floor(side / 3);
  for (let i = 0; i < count; i++) {
    // On to another cell each time, so that no answer is one that the server remembers.
    await timed('hover', () => key(i % 2 ? 'ArrowDown' : 'ArrowRight'));
    await timed('wall', () => key(' '));
    const slider = document.getElementById('switches');
    await timed('slide', () => { slider.value = i % 4; slider.dispatchEvent(new Event('input')); });
  }
  return times;
}
"""


def measure(quick: bool) -> Iterable[Row]:
    """Yield rows on answers in the browser, and on the server under load."""
    with _serving() as (address, process):
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(address)
            page.evaluate("lab.ready.then(() => lab.settled())")
            page.wait_for_selector("#status[hidden]", state="attached", timeout=300_000)
            for side in LIMITS:
                for moves, noise in ((4, 0.0), (8, 0.0), (4, 0.1), (8, 0.1)):
                    yield from _touches(page, side, moves, noise, 3 if quick else 12)
            browser.close()
        yield from _load(address, process, 3 if quick else SECONDS)


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


def _load(address: str, process: psutil.Process, seconds: float) -> Iterable[Row]:
    end = time.monotonic() + seconds
    memory = []
    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(_client, address, number, end) for number in range(CLIENTS)]
        for part in (0.1, 1.0):
            time.sleep(max(0.0, end - (1 - part) * seconds - time.monotonic()))
            memory.append(process.memory_info().rss / 2**20)
        asked = [client.result() for client in clients]
    times = sorted(taken for client in asked for taken in client)
    middle, late = times[len(times) // 2], times[int(0.95 * len(times))]
    size = f"{CLIENTS} clients, {seconds:g} s, {len(times):,} answers, no error"
    yield compared(
        "lab: answers under load",
        size,
        ours=("median", middle),
        peer=("95th percentile", late),
        ratio=len(times) / seconds,
        unit="answers a second",
    )
    yield compared(
        "lab: memory under load",
        size,
        ours=("whole run", seconds),
        peer=("a tenth", seconds / 10),
        ratio=memory[1] / memory[0],
        unit=f"x of the {memory[0]:.0f} MiB after a tenth",
        at_most=1.1,
    )


def _client(address: str, number: int, end: float) -> list[float]:
    """Ask without pause until the end; any refusal or error is raised."""
    rng, times = random.Random(number), []
    while time.monotonic() < end:
        side = rng.choice((11, 15, 25, 25, 40))
        letters = [["." if rng.random() > 0.2 else "#" for _ in range(side)] for _ in range(side)]
        letters[0][0], letters[-1][-1] = "S", "G"
        scene = {
            "drawing": ["".join(line) for line in letters],
            "moves": rng.choice((4, 8)),
            "noise": rng.choice((0, 0, 0.1)),
        }
        questions = {
            "plan": {"scene": scene, "switches": rng.choice((0, 3, None))},
            "row": {"scene": scene, "policy": 1, "row": 0, "column": 0},
        }
        for kind, question in questions.items():
            begin = time.monotonic()
            _post(f"{address}/api/{kind}", question)
            times.append(time.monotonic() - begin)
    return times


def _post(url: str, question: dict[str, object]) -> object:
    request = urllib.request.Request(
        url, json.dumps(question).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


@contextmanager
def _serving() -> Iterator[tuple[str, psutil.Process]]:
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
            yield found[0], psutil.Process(server.pid)
        finally:
            server.terminate()


if __name__ == "__main__":
    main(measure)
