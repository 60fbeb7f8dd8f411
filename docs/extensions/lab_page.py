"""The lab as a page of the documentation: one file, written beside the built pages.

It is a whole page of its own, so it stands outside Sphinx's templates. `lab.md` shows it in a frame
and links to it.
"""

from pathlib import Path

from sphinx.application import Sphinx

from first_occupancy.web import single_file

NAME = "lab-page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page after the others."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        Path(app.outdir, NAME).write_text(single_file.page(), "utf-8")
