"""What the tests of the lab share."""

from lab_browser import address, browser, engine, opened, page  # noqa: F401
