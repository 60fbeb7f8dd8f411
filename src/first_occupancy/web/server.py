"""Serve the lab's page on the loopback address, and open a browser at it.

The page computes by itself, so the server only hands out the files that `assets` has read. It
answers requests for its own names alone: a foreign page whose name was pointed at this machine
(DNS rebinding) gets nothing. Every answer tells browsers what the page may load.
"""

import sys
import webbrowser
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Timer
from typing import Any

from first_occupancy.web import assets

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost", "[::1]")
"""Hosts for which requests are answered, at any port: one may be forwarded to the server's."""

_OWN = assets.policy("'self'", "'self'", "'self'", images="'self' data:")
HEADERS = {
    "Content-Security-Policy": f"{_OWN}; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer, errors included."""


def serve(port: int, *, open_browser: bool) -> None:
    """Serve until interrupted."""
    with listen(port) as server:
        url = f"http://{ADDRESS}:{server.server_port}/"
        print(f"The lab is at {url} (Ctrl+C ends it)", flush=True)  # noqa: T201
        if open_browser:
            # The server listens already, so the browser may come before it starts to answer.
            opening = Timer(0.2, webbrowser.open, (url,))
            opening.daemon = True
            opening.start()
        server.serve_forever(poll_interval=0.1)


def listen(port: int) -> "PageServer":
    """Return a server that listens on the loopback address and does not answer yet."""
    try:
        return PageServer((ADDRESS, port), partial(PageHandler, assets.load()))
    except (OSError, OverflowError) as error:
        # Not at the top: it loads JAX, which would take longer to start and to end than all else.
        from first_occupancy.core.errors import InputError

        if isinstance(error, OverflowError):
            raise InputError(f"--port must be in 0..65535, got {port}") from None
        raise InputError(
            f"port {port} must be free, but: {error.strerror}; "
            "choose another with --port, or 0 for any"
        ) from None


class PageServer(ThreadingHTTPServer):
    """A server that does not wait for open connections when it ends."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what went wrong, unless it is that the client has left."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class PageHandler(BaseHTTPRequestHandler):
    """Answers with one of the page's files."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def __init__(self, pages: dict[str, tuple[bytes, str]], *arguments: Any) -> None:
        self.pages = pages
        super().__init__(*arguments)

    def parse_request(self) -> bool:
        """Return whether a request was read that this server answers; else refuse it."""
        if not super().parse_request():
            return False
        names = ("Host", "Origin", "Content-Length", "Transfer-Encoding")
        hosts, origins, lengths, encodings = (self.headers.get_all(name, []) for name in names)
        if len(hosts) != 1 or not _is_own(hosts[0]):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, explain=f"Ask {ADDRESS} or localhost.")
        elif any(origin != f"http://{hosts[0]}" for origin in origins):
            self.send_error(HTTPStatus.FORBIDDEN)
        elif encodings or any(length != "0" for length in lengths):
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            return True
        return False

    def end_headers(self) -> None:
        """Add what every answer tells the browser."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def do_GET(self) -> None:
        """Send the file that the address names."""
        name = self.path.partition("?")[0].lstrip("/") or "index.html"
        content, kind = self.pages.get(name, (b"There is no such page.\n", "text/plain"))
        self.send_response(HTTPStatus.OK if name in self.pages else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal is for whoever started the lab."""


def _is_own(host: str) -> bool:
    """Return whether a `Host` header names this machine."""
    name, _, port = host.rpartition(":")
    return host.lower() in NAMES or (name.lower() in NAMES and port.isdecimal())
