"""HTTP and websocket server of the viewer's page: on this machine alone, or behind a token."""

import contextlib
import io
import ipaddress
import threading

from newtonlite.viewer.page.gate import Gate, new_token

MISSING = "the viewer needs viser, which is not installed: pip install 'newtonlite[viewer]'"


def viser():
    """The library the page is made with; ModuleNotFoundError names the extra where it is missing."""
    try:
        import viser
    except ModuleNotFoundError as problem:
        raise ModuleNotFoundError(MISSING) from problem
    return viser


class Server:
    """Serves the page; ``api`` is viser's server.

    On a loopback ``host`` viser answers itself. On any other it stays on the loopback, and a gate on ``host`` lets in
    who knows the token, which is part of ``url``.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, label: str = "newtonlite", token: str | None = None):
        local = is_loopback(host) and token is None
        before = set(threading.enumerate())
        with contextlib.redirect_stdout(io.StringIO()):  # viser announces itself; who opens the page says where it is
            self.api = viser().ViserServer(
                host=host if local else "127.0.0.1", port=port if local else 0, label=label, verbose=False
            )
        self.threads = [thread for thread in threading.enumerate() if thread not in before]
        self.gate: Gate | None = None
        self.token = token
        if local:
            self.host, self.port = host, self.api.get_port()
            return
        self.token = token or new_token()
        try:
            self.gate = Gate(host, port, self.api.get_port(), self.token)
        except OSError:
            self.api.stop()
            raise
        self.host, self.port = host, self.gate.port

    @property
    def url(self) -> str:
        """URL of the page, the token included."""
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def stop(self) -> None:
        """Close the page."""
        if self.gate is not None:
            self.gate.close()
        with contextlib.redirect_stdout(io.StringIO()):
            self.api.stop()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
