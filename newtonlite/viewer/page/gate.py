"""Reverse proxy in front of the page's server: passes on what comes from the page itself, and from who knows a secret
where there is one.

With a token the first address has ``?token=...``; the answer is a cookie and the same page without the token.
Everything else, the websocket included, comes with the cookie or is refused.
"""

import asyncio
import contextlib
import os
import secrets
import threading
from http import HTTPStatus

from newtonlite.viewer.page.request import (
    RefusedRequest,
    Request,
    check_place,
    check_token,
    is_loopback,
    own_names,
    parse,
)

HEAD = 16384  # longest head of a request [bytes]
PATIENCE = 10.0  # for the head to arrive, and for an answer to be taken [s]
PAGE = 120.0  # for a file of the page to be sent [s]
MOST_WAITING = 32  # connections whose head has not arrived; the oldest go
MOST_OPEN = 64  # connections that are passed on
CHUNK = 1 << 18


def new_token() -> str:
    """A secret that cannot be guessed."""
    return secrets.token_urlsafe(18)


class Gate:
    """Listens on ``host``:``port`` (0: any free one) in a thread of its own and passes on to 127.0.0.1:``target``.

    ``token``: the secret that is asked for, None where the page's own origin is enough. ``secret``: name and value of a
    field by which the server behind knows that a request came through this gate.
    """

    def __init__(
        self, host: str, port: int, target: int, token: str | None = None, secret: tuple[str, str] | None = None
    ):
        self.target, self.token, self.secret = target, token, secret
        self.local, self.names = is_loopback(host), own_names(host)
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task] = set()
        self.waiting: dict[asyncio.Task, None] = {}  # in the order in which they came
        self.open = 0
        self.thread = threading.Thread(target=self.loop.run_forever, name="viewer gate", daemon=True)
        self.thread.start()
        try:
            self.server = asyncio.run_coroutine_threadsafe(self._listen(host, port), self.loop).result()
        except OSError:
            self._end()
            raise
        self.port = self.server.sockets[0].getsockname()[1]

    async def _listen(self, host: str, port: int) -> asyncio.Server:
        return await asyncio.start_server(self._serve, host, port, limit=HEAD)

    def close(self) -> None:
        """Stop listening and hang up."""
        asyncio.run_coroutine_threadsafe(self._stop(), self.loop).result(timeout=5)
        self._end()

    def leave(self) -> None:
        """In a process that was forked: give up the port, which the parent has still."""
        for socket in self.server.sockets:
            os.close(socket._sock.detach())

    def _end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=5)
        self.loop.close()

    async def _stop(self) -> None:
        self.server.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.tasks.add(task)
        try:
            request = await self._admitted(reader, task)
            if self.open >= MOST_OPEN:
                raise RefusedRequest(HTTPStatus.SERVICE_UNAVAILABLE, "Too many look at this viewer.\n")
            self.open += 1
            try:
                await self._pass_on(request, reader, writer)
            finally:
                self.open -= 1
        except RefusedRequest as refused:
            writer.write(refused.answer())
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(writer.drain(), PATIENCE)
        except (OSError, EOFError, asyncio.TimeoutError, asyncio.CancelledError):
            pass  # who asked is gone, or this gate is closed
        finally:
            self.tasks.discard(task)
            self.waiting.pop(task, None)
            with contextlib.suppress(OSError, RuntimeError):
                writer.close()

    async def _admitted(self, reader: asyncio.StreamReader, task: asyncio.Task) -> Request:
        """The request that arrives; Refused unless it is one to pass on."""
        self.waiting[task] = None
        if len(self.waiting) > MOST_WAITING:
            oldest = next(iter(self.waiting))
            self.waiting.pop(oldest)
            oldest.cancel()
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        except asyncio.LimitOverrunError:
            text = f"The head of the request is longer than {HEAD} bytes.\n"
            raise RefusedRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text) from None
        except asyncio.TimeoutError:
            raise RefusedRequest(HTTPStatus.REQUEST_TIMEOUT, "The request did not arrive in time.\n") from None
        finally:
            self.waiting.pop(task, None)
        request = parse(head)
        check_place(request, self.names, self.local)
        if self.token is not None:
            check_token(request, self.token)
        return request

    async def _pass_on(self, request: Request, reader, writer) -> None:
        """Copy to the client, and of a websocket both ways, until one side hangs up."""
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.target, limit=CHUNK)
        except OSError:
            raise RefusedRequest(HTTPStatus.BAD_GATEWAY, "The viewer is closed.\n") from None
        inner_writer.write(request.head(self.secret))
        ways = [asyncio.ensure_future(copy(inner_reader, writer))]
        if request.upgrades:
            ways.append(asyncio.ensure_future(copy(reader, inner_writer)))
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED, timeout=None if request.upgrades else PAGE)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            with contextlib.suppress(OSError, RuntimeError):
                inner_writer.close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Bytes from one to the other, no faster than it takes them."""
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
