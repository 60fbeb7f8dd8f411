"""The page's files, read once when the server starts: nothing else can be asked for."""

from pathlib import Path

STATIC = Path(__file__).parent / "static"

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
    return {
        path.relative_to(STATIC).as_posix(): (path.read_bytes(), TYPES[path.suffix])
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in TYPES
    }
