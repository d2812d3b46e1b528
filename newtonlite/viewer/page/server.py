"""HTTP and websocket server of the viewer's page: on this machine alone, or behind a token."""

import contextlib
import errno
import io
import os
import weakref
from collections.abc import Callable

from newtonlite.viewer.page.gate import Gate, new_token
from newtonlite.viewer.page.guarded_server import guarded_server, viser
from newtonlite.viewer.page.request import is_loopback

__all__ = ["PageServer", "is_loopback", "viser"]

TRIED = 100  # ports, where the one that was asked for is taken


class PageServer:
    """Serves the page; ``api`` is viser's server.

    Whoever connects comes through a gate on ``host``: on the loopback it lets in the page itself, elsewhere who knows
    the token, which is part of ``url``. ``refused`` is called with a sentence for input that the page does not accept.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        label: str = "newtonlite",
        token: str | None = None,
        refused: Callable[[str], None] = lambda text: None,
    ):
        self.process = os.getpid()
        self.host, self.token = host, token or (None if is_loopback(host) else new_token())
        self.api, secret, self.threads = guarded_server(label, refused)
        try:
            self.gate = self._gate(port, secret)
        except BaseException:
            self._stop_inner()
            raise
        _servers.add(self)
        self.threads.append(self.gate.thread)
        self.port = self.gate.port

    def _gate(self, port: int, secret: tuple[str, str]) -> Gate:
        """A gate on the port; on this machine alone, on the next one that is free."""
        for tried in range(port, port + (TRIED if port and self.token is None else 1)):
            try:
                return Gate(self.host, tried, self.api.get_port(), self.token, secret)
            except OSError as problem:
                if problem.errno != errno.EADDRINUSE or tried == port + TRIED - 1 or self.token is not None:
                    raise
        raise AssertionError

    @property
    def url(self) -> str:
        """URL of the page, the token included."""
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    @property
    def mine(self) -> bool:
        """Whether this process serves the page; one that was forked has none of its threads."""
        return self.process == os.getpid()

    def stop(self) -> None:
        """Close the page."""
        if self.mine:
            self.gate.close()
            self._stop_inner()

    def _stop_inner(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.api.stop()


_servers: weakref.WeakSet = weakref.WeakSet()


def _after_fork() -> None:
    """In a child process: the port is the parent's, which may close it."""
    for server in list(_servers):
        server.gate.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
