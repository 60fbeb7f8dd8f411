"""A lab that really serves, and a browser that really looks at it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
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
import jax
from first_occupancy.web.server import serve

jax.config.update("jax_enable_x64", True)
serve(0, open_browser=False, warm_up=False)
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
def lab(address):
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client


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
def page(browser, address):
    """Open the lab in a new, empty profile; nothing may go wrong, nor go outside."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((address, "data:", "blob:")) else trouble.append(asked.url)
        ),
    )
    page.goto(address)
    page.evaluate("lab.ready.then(() => lab.settled())")
    yield page
    context.close()
    assert not trouble
