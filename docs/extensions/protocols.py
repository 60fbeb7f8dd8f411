"""The pages of `reproduction/protocols` as pages of the documentation, beside their programs."""

from pathlib import Path

from sphinx.application import Sphinx

SOURCE = Path(__file__).parents[2] / "reproduction" / "protocols"


def write_pages(app: Sphinx) -> None:
    """Copy the pages; links into `docs`, which lead there from the checkout, start at its root."""
    folder = Path(app.srcdir) / "generated" / "protocols"
    folder.mkdir(parents=True, exist_ok=True)
    for path in SOURCE.iterdir():
        text, target = path.read_text("utf-8").replace("](../../docs/", "](/"), folder / path.name
        # An untouched file is not read again.
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")
    for stale in {path.name for path in folder.iterdir()} - {
        path.name for path in SOURCE.iterdir()
    }:
        (folder / stale).unlink()


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before any is read."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
