"""A lab that really serves, and a browser that really looks at it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

SERVE = """
from first_occupancy.web.server import serve

serve(0, open_browser=False)
"""


@pytest.fixture(scope="session")
def address():
    """Serve the lab in a process of its own, as users have it; return its address."""
    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield re.search(r"http://[0-9.:]+", line)[0]
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture(scope="session")
def browser():
    if not Path(CHROMIUM).exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs a browser at {CHROMIUM}")
        pytest.skip(f"no browser at {CHROMIUM}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, address):
    """Return a function that opens a page: nothing may go wrong on it, nor leave this machine."""
    contexts, trouble = [], []

    def open_page(url=address, **how):
        how = {"viewport": {"width": 1280, "height": 900}, "accept_downloads": True} | how
        contexts.append(browser.new_context(**how))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: None if is_ours(asked.url) else trouble.append(asked.url))
        page.goto(url)
        page.evaluate("lab.ready.then(() => lab.settled())")
        return page

    def is_ours(url):
        return url.startswith((address, "data:", "blob:", "file:"))

    yield open_page
    for context in contexts:
        context.close()
    assert not trouble


@pytest.fixture
def page(opened):
    return opened()


@pytest.fixture(scope="session")
def engine(browser, address):
    """Return a function that calls the page's planners, without the page."""
    page = browser.new_page()
    page.goto(f"{address}/icon.svg")

    def call(script, argument=None):
        return page.evaluate(script, argument)

    yield call
    page.close()
