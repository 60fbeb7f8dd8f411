"""The page's files, read once when the server starts: nothing else can be asked for."""

from importlib.resources import files
from importlib.resources.abc import Traversable

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def policy(scripts: str, styles: str, workers: str, *, images: str) -> str:
    """Return a Content-Security-Policy: nothing but what is named here may be loaded or run."""
    return (
        f"default-src 'none'; script-src {scripts} 'wasm-unsafe-eval'; style-src {styles}; "
        f"worker-src {workers}; img-src {images}; base-uri 'none'; form-action 'none'"
    )


def load() -> dict[str, tuple[bytes, str]]:
    """Return the content and type of every file, by its path below the page."""
    return dict(_below(files("first_occupancy.web").joinpath("static"), ""))


def _below(folder: Traversable, path: str) -> list[tuple[str, tuple[bytes, str]]]:
    found = []
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.is_dir():
            found += _below(file, f"{path}{file.name}/")
        elif file.name.endswith(tuple(TYPES)):
            kind = TYPES["." + file.name.rpartition(".")[2]]
            found.append((path + file.name, (file.read_bytes(), kind)))
    return found
