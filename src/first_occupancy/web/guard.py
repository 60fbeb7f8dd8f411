"""Who may ask: pages of this very server, with requests of a reasonable size.

The server listens on the loopback address alone, but every page in the user's browser can reach
that. A foreign page is known by its Origin, a name rebound to this machine by the Host.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from json import dumps
from typing import Any
from urllib.parse import urlsplit

MOST_BYTES = 64 * 1024
"""Of a request's body: the largest scene with eight drawn policies takes half of it."""

HOSTS = ("127.0.0.1", "localhost", "::1")

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data: blob:; "
        b"style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class TooLargeError(Exception):
    """A body has turned out longer than it may be."""


class Guard:
    """The application behind checks of Host, Origin and size; refusals say why."""

    def __init__(self, app: App):
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        refusal = refused(headers)
        body = _Body(receive)
        if refusal:
            await body.drain()
            await _refuse(send, *refusal)
            return

        async def sending(message: Message) -> None:
            if body.is_too_large:
                return  # The application's own words for it are not as clear.
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        with suppress(TooLargeError):
            await self._app(scope, body.receive, sending)
        if body.is_too_large:
            await body.drain()
            await _refuse(send, 413, _TOO_LARGE)


_TOO_LARGE = f"The request must have at most {MOST_BYTES:,} bytes."


def refused(headers: dict[str, str]) -> tuple[int, str] | None:
    """Return the status and the sentence of a refusal, None if all is well."""
    host = headers.get("host", "")
    if not _is_local(host):
        return 403, f"The lab answers on {HOSTS[0]} and {HOSTS[1]} only, not as {host[:100]!r}."
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return 403, f"The lab answers its own page only, not one from {origin[:100]!r}."
    length = headers.get("content-length", "0")
    if not length.isdecimal():
        return 400, "The request's length must be a number."
    if int(length) > MOST_BYTES:
        return 413, _TOO_LARGE
    return None


def _is_local(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in HOSTS and "@" not in host
    except ValueError:
        return False


class _Body:
    """A request's body, counted while it comes: it may come without a length."""

    def __init__(self, receive: Receive):
        self._receive = receive
        self._count = 0
        self._more = True

    @property
    def is_too_large(self) -> bool:
        return self._count > MOST_BYTES

    async def receive(self) -> Message:
        message = await self._read()
        if self.is_too_large:
            raise TooLargeError
        return message

    async def drain(self) -> None:
        """Read what is left, within reason: who is still sending does not hear a refusal."""
        while self._more and self._count < 16 * MOST_BYTES:
            await self._read()

    async def _read(self) -> Message:
        message = await self._receive()
        self._count += len(message.get("body", b""))
        self._more = message["type"] == "http.request" and message.get("more_body", False)
        return message


async def _refuse(send: Send, status: int, why: str) -> None:
    body = dumps({"detail": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    # A body longer than that is not waited for.
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *HEADERS]})
    await send({"type": "http.response.body", "body": body})
