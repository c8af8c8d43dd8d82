"""A viser server that answers only to its own page: another Host or Origin is refused, broken messages end their connection.

A page of another site, open in the same browser, can send requests to servers of this machine, and a name of its own may lead
here (DNS rebinding). Browsers say in `Host` by which name they came, and in `Origin` whose page asks: both must be ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import io
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

LOCAL = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")
NOT_UNDERSTOOD = 1007  # code of a connection that is closed for what it sent
_making = threading.Lock()


def guarded_server(host: str, port: int, label: str) -> Any:
    """A server whose requests are looked at before viser sees them."""
    import viser

    with _making, _guarded(host), contextlib.redirect_stdout(io.StringIO()):  # its banner: who prints here is the command
        return viser.ViserServer(host=host, port=port, label=label, verbose=False)


def may_ask(host: str, headers: Any) -> bool:
    """Whether a request with these headers comes from a page of a server that listens at `host`.

    >>> may_ask("127.0.0.1", {"Host": "localhost:8080", "Origin": "http://localhost:8080"})
    True
    >>> may_ask("127.0.0.1", {"Host": "localhost:8080", "Origin": "http://example.org"})
    False
    >>> may_ask("127.0.0.1", {"Host": "example.org"}), may_ask("0.0.0.0", {"Host": "192.168.1.5:8080"})
    (False, True)
    """
    asked, origin = headers.get("Host"), headers.get("Origin")
    if asked is None or not _is_ours(host, asked):
        return False
    return origin is None or urlsplit(origin).netloc.lower() == asked.lower()


def _is_ours(host: str, asked: str) -> bool:
    name = (urlsplit(f"//{asked}").hostname or "") if asked.isprintable() and "/" not in asked else ""
    if name in LOCAL or name == host.lower():
        return True
    if host not in EVERYWHERE:
        return False
    with contextlib.suppress(ValueError):  # an address is no name that could be led here
        return bool(ipaddress.ip_address(name))
    return name in (socket.gethostname().lower(), socket.getfqdn().lower())


@contextlib.contextmanager
def _guarded(host: str) -> Iterator[None]:
    """While a server is made, what it hands to websockets passes through our questions; viser has no place for them."""
    from websockets.asyncio import server

    plain = server.serve

    def serve(handler: Callable[..., Any], *place: Any, process_request: Any = None, **more: Any) -> Any:
        def asked(connection: Any, request: Any) -> Any:
            try:
                ours = may_ask(host, request.headers)
            except (LookupError, ValueError):  # a header twice, or one that is none
                ours = False
            if not ours:
                return connection.respond(http.HTTPStatus.FORBIDDEN, "not a page of this server\n")
            return None if process_request is None else process_request(connection, request)

        async def quiet(connection: Any) -> None:
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # of messages that mean nothing
            try:
                await handler(connection)
            except Exception:  # what a message of nobody's client made viser raise
                await connection.close(NOT_UNDERSTOOD)

        return plain(quiet, *place, process_request=asked, **more)

    server.serve = serve  # type: ignore[misc,assignment]
    try:
        yield
    finally:
        server.serve = plain  # type: ignore[misc]
