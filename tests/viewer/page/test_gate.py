"""The gate lets in who knows the token, and nobody else."""

import http.client
import http.server
import threading

import pytest

from newtonlite.viewer.page.gate import Gate, new_token
from newtonlite.viewer.page.server import is_loopback


class Hello(http.server.BaseHTTPRequestHandler):
    """Says hello."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        """One answer for all."""
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *args):
        """Nothing."""


@pytest.fixture
def gate():
    """A gate in front of a server that says hello."""
    inner = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    thread = threading.Thread(target=inner.serve_forever, daemon=True)
    thread.start()
    made = Gate("127.0.0.1", 0, inner.server_address[1], "open sesame")
    yield made
    made.close()
    inner.shutdown()
    inner.server_close()
    thread.join()


def get(gate: Gate, path: str, **headers) -> tuple[int, bytes, dict]:
    """Status, body and headers of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", gate.port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.getheaders())
    connection.close()
    return found


@pytest.mark.parametrize(
    ("path", "cookie"),
    [
        ("/", ""),
        ("/?token=", ""),
        ("/?token=open", ""),
        ("/", "newtonlite_token=open"),
        ("/", "token=open sesame"),
        ("/x?other=open%20sesame", ""),
    ],
)
def test_strangers_are_refused(gate, path, cookie):
    assert get(gate, path, Cookie=cookie)[0] == 403


def test_the_token_is_exchanged_for_a_cookie_that_opens(gate):
    status, _, headers = get(gate, "/?token=open%20sesame")
    assert status == 303
    assert headers["Location"] == "/"
    assert "HttpOnly" in headers["Set-Cookie"]
    assert get(gate, "/", Cookie="a=b; newtonlite_token=open sesame")[:2] == (200, b"hello")


def test_a_request_without_end_is_dropped(gate):
    connection = http.client.HTTPConnection("127.0.0.1", gate.port, timeout=20)
    connection.connect()
    connection.send(b"GET / HTTP/1.1\r\nX: " + b"a" * 40000)
    with pytest.raises((http.client.HTTPException, ConnectionError, OSError)):
        answer = http.client.HTTPResponse(connection.sock)
        answer.begin()
    connection.close()


def test_tokens_are_long_and_all_different():
    found = {new_token() for _ in range(100)}
    assert len(found) == 100
    assert min(map(len, found)) >= 20


def test_which_addresses_stay_on_this_machine():
    assert [
        is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "192.168.0.7", "example")
    ] == [True] * 3 + [False] * 4
