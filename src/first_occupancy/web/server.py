"""Serve the lab on the loopback address, and open a browser at it."""

import socket
import webbrowser
from threading import Timer

import uvicorn

from first_occupancy.core.errors import InputError
from first_occupancy.web.app import create_app

ADDRESS = "127.0.0.1"


def serve(port: int, *, open_browser: bool, warm_up: bool = True) -> None:
    """Serve until interrupted.

    Args:
        port: port to listen on; 0 takes any free one.
        open_browser: whether to open the page in a browser.
        warm_up: whether to compile programs in the background.
    """
    listener = _listen(port)
    url = f"http://{ADDRESS}:{listener.getsockname()[1]}/"
    print(f"The lab is at {url} (Ctrl+C ends it)", flush=True)  # noqa: T201
    config = uvicorn.Config(
        create_app(warm_up=warm_up),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
    )
    if open_browser:
        # By then the server answers: it listens already, and its page needs no warm programs.
        opening = Timer(0.5, webbrowser.open, (url,))
        opening.daemon = True
        opening.start()
    uvicorn.Server(config).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    if not 0 <= port < 2**16:
        raise InputError(f"--port must be in 0..65535, got {port}")
    # With the protocol named, asyncio knows to send at once what it is given. Else an answer's body
    # waits for the browser to acknowledge its head, which takes 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise InputError(
            f"port {port} must be free, but: {error.strerror}; "
            "choose another with --port, or 0 for any"
        ) from None
    return listener
