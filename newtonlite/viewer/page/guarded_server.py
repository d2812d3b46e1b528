"""Guarded server: viser's own, reached through the gate alone, and deaf to what no page of ours sends.

viser makes its websocket server with no way to say who may connect and which messages are read. Here its call of
``websockets.serve`` goes through ``_serve``, for servers whose host is a ``Guarded`` address; those of others are as
they were.
"""

import asyncio
import contextlib
import hmac
import http
import io
import logging
import secrets
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from newtonlite.viewer.page import messages

FIELD = "x-newtonlite-gate"
MISSING = "the viewer needs viser, which is not installed: pip install 'newtonlite[viewer]'"
MOST_QUEUED = 2  # messages of a page that wait to be read
RATE, BURST = 300.0, 600.0  # messages a second of one page, and how many at once
LOG = logging.getLogger("newtonlite.viewer.page")
LOG.addHandler(logging.NullHandler())
LOG.propagate = False  # who sends rubbish writes no pages of log


def viser() -> Any:
    """The library the page is made with; ModuleNotFoundError names the extra where it is missing."""
    try:
        import viser
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(MISSING) from problem
    return viser


class Guarded(str):
    """A host to listen on, with what its requests must have and where its messages are judged."""

    secret: str
    control_of: Callable[[str], Any]
    refused: Callable[[str], None]


def guarded_server(label: str, refused: Callable[[str], None]) -> tuple[Any, tuple[str, str], list]:
    """(viser's server on a port of the loopback, the field that its requests must have, its threads). ``refused`` is
    called with a sentence for a value that a control does not accept.
    """
    library = viser()
    _install()
    host = Guarded("127.0.0.1")
    host.secret, host.refused, host.control_of = secrets.token_urlsafe(24), refused, lambda uuid: None
    before = set(threading.enumerate())
    with contextlib.redirect_stdout(io.StringIO()):  # viser announces itself; who opens the page says where it is
        api = library.ViserServer(host=host, port=0, label=label, verbose=False)
    host.control_of = api.gui._gui_input_handle_from_uuid.get
    return api, (FIELD, host.secret), [thread for thread in threading.enumerate() if thread not in before]


def _install() -> None:
    """Have viser call ``_serve``; once."""
    from viser.infra import _infra

    library = _infra.websockets
    if not isinstance(library, SimpleNamespace):
        server = SimpleNamespace(**{**vars(library.asyncio.server), "serve": _serve})
        asyncio_part = SimpleNamespace(**{**vars(library.asyncio), "server": server})
        _infra.websockets = SimpleNamespace(**{**vars(library), "asyncio": asyncio_part})


def _serve(handler, host, port, **options):
    """A server of the library, guarded."""
    import websockets.asyncio.server

    if isinstance(host, Guarded):
        options |= {
            "process_request": _through_the_gate(host, options["process_request"]),
            "max_size": messages.LARGEST,
            "max_queue": MOST_QUEUED,
            "logger": LOG,
        }
        handler = _filtered(host, handler)
    return websockets.asyncio.server.serve(handler, host, port, **options)


def _through_the_gate(host: Guarded, process: Callable) -> Callable:
    """``process_request`` for those alone that the gate has passed on."""
    from websockets import Headers
    from websockets.http11 import Response

    def judge(connection, request):
        given = request.headers.get_all(FIELD)
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), host.secret.encode()):
            return Response(http.HTTPStatus.FORBIDDEN, "Forbidden", Headers({"Content-Length": "0"}), b"")
        response = process(connection, request)
        if response is not None:
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return judge


def _filtered(host: Guarded, handler: Callable) -> Callable:
    """A handler of connections that reads the messages that are let in, no faster than a page sends them."""

    async def handle(connection) -> None:
        read, allowed, last = connection.recv, BURST, time.monotonic()

        async def recv():
            nonlocal allowed, last
            while True:
                raw = await read()
                now = time.monotonic()
                allowed, last = min(BURST, allowed + RATE * (now - last)) - 1.0, now
                if allowed < 0.0:
                    await asyncio.sleep(-allowed / RATE)
                try:
                    if messages.admitted(raw, host.control_of):
                        return raw
                except messages.RefusedValue as problem:
                    host.refused(str(problem))

        connection.recv = recv
        await handler(connection)

    return handle
