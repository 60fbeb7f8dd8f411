"""`first-occupancy lab`: serve the web page for drawing mazes and exploring plans, or save it."""

import argparse
from pathlib import Path


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, or write the page as one file and return."""
    if options.save is None:
        from first_occupancy.web.server import serve

        serve(options.port, open_browser=not options.no_browser)
        return 0
    from first_occupancy.core.errors import InputError
    from first_occupancy.storage.whole_files import write_whole
    from first_occupancy.web.single_file import page

    try:
        write_whole(Path(options.save), page().encode())
    except OSError as error:
        raise InputError(f"--save must name a file to write, but: {error}") from None
    print(f"wrote {options.save}: open it in a browser")
    return 0
