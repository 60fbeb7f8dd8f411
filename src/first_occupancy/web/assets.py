"""The page's files, read once when the server starts: nothing else can be asked for."""

from importlib.resources import files

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def load() -> dict[str, tuple[bytes, str]]:
    """Return the content and type of every file, by name."""
    folder = files("first_occupancy.web").joinpath("static")
    return {
        file.name: (file.read_bytes(), TYPES["." + file.name.rpartition(".")[2]])
        for file in folder.iterdir()
        if file.name.endswith(tuple(TYPES))
    }
