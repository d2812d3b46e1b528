"""Reverse proxy with a token: passes bytes on to a server of this machine for those who know a secret.

The first address has ``?token=...``; the answer is a cookie and the same page without the token. Everything else, the
websocket included, comes with the cookie or is refused.
"""

import asyncio
import hmac
import secrets
import threading
from urllib.parse import parse_qs, urlsplit

HEAD = 16384  # longest head of a request [bytes]
PATIENCE = 10.0  # for the head to arrive [s]


def new_token() -> str:
    """A secret that cannot be guessed."""
    return secrets.token_urlsafe(18)


class Gate:
    """Listens on ``host``:``port`` (0: any free one) in a thread of its own and passes on to 127.0.0.1:``target``."""

    def __init__(self, host: str, port: int, target: int, token: str):
        self.target, self.token = target, token
        self.loop = asyncio.new_event_loop()
        self.tasks: set[asyncio.Task] = set()
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
        self.tasks.add(task)
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            answer = self._judge(head)
            if answer is None:
                await self._pass_on(head, reader, writer)
            else:
                writer.write(answer)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.TimeoutError):
            pass
        finally:
            self.tasks.discard(task)
            writer.close()

    def _judge(self, head: bytes) -> bytes | None:
        """The answer to a request, None where it is to be passed on."""
        line, _, rest = head.decode("latin-1").partition("\r\n")
        target = line.split(" ")[1] if line.count(" ") == 2 else ""
        place = urlsplit(target)
        given = parse_qs(place.query).get("token", [""])[0]
        if hmac.compare_digest(given.encode(), self.token.encode()):
            cookie = f"Set-Cookie: newtonlite_token={self.token}; HttpOnly; SameSite=Strict; Path=/"
            return f"HTTP/1.1 303 See Other\r\nLocation: /\r\n{cookie}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        cookies = [field[7:] for field in rest.split("\r\n") if field[:7].lower() == "cookie:"]
        known = [
            part.partition("=")[2]
            for field in cookies
            for part in field.split(";")
            if part.strip().startswith("newtonlite_token=")
        ]
        if any(hmac.compare_digest(part.strip().encode(), self.token.encode()) for part in known):
            return None
        text = b"This viewer asks for its token: open the address that its program printed.\n"
        return (
            b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
            % len(text)
            + text
        )

    async def _pass_on(self, head: bytes, reader, writer) -> None:
        """Copy both ways until one side hangs up. A kept connection belongs to who showed the cookie."""
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.target)
        inner_writer.write(head)
        ways = [asyncio.ensure_future(copy(reader, inner_writer)), asyncio.ensure_future(copy(inner_reader, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            inner_writer.close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Bytes from one to the other, no faster than it takes them."""
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
