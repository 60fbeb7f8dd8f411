"""`first-occupancy lab`: serve the web page for drawing mazes and exploring plans."""

import argparse

from first_occupancy.core.errors import InputError
from first_occupancy.core.install_hints import install_command


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise InputError(
            f"needs the package {error.name}; install it with: {install_command('web')}"
        ) from None
    from first_occupancy.web.server import serve

    serve(options.port, open_browser=not options.no_browser)
    return 0
