"""The gate lets in who knows the token, and nobody else."""

import http.client
import http.server
import io
import logging
import socket
import threading

import pytest

from newtonlite.viewer.page import gate as gate_module
from newtonlite.viewer.page.gate import Gate, new_token
from newtonlite.viewer.page.request import RefusedRequest, Request, check_place, is_loopback, own_names, parse


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


@pytest.fixture(scope="module")
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


@pytest.fixture
def log():
    """What asyncio says of exceptions that nobody handles."""
    text, logger = io.StringIO(), logging.getLogger("asyncio")
    handler = logging.StreamHandler(text)
    logger.addHandler(handler)
    yield text
    logger.removeHandler(handler)


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


def said(port: int, data: bytes, patience: float = 5.0) -> bytes:
    """The first line that is answered to some bytes; nothing where the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as line:
        line.sendall(data)
        with line.makefile("rb") as answer:
            return answer.readline().strip()


HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: newtonlite_token=open sesame\r\n"
MALFORMED = {
    "a bracket": b"GET http://[ HTTP/1.1\r\n\r\n",
    "nothing": b"\r\n\r\n",
    "one word": b"GET\r\n\r\n",
    "four words": b"GET / / HTTP/1.1\r\n\r\n",
    "bytes of chance": bytes(range(14, 255)) + b"\r\n\r\n",
    "another protocol": b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n",
    "a proxy's address": b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a bad escape": b"GET /%zz?token=%e HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an escaped line": b"GET /?token=a%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": HEAD + b"Host: localhost\r\n\r\n",
    "a host with a path": b"GET / HTTP/1.1\r\nHost: localhost/evil\r\n\r\n",
    "a field without a colon": HEAD + b"fields\r\n\r\n",
    "a field with a space": HEAD + b"Content-Length : 0\r\n\r\n",
    "a folded field": HEAD + b"A: b\r\n c\r\n\r\n",
    "a bare end of line": HEAD + b"A: b\nC: d\r\n\r\n",
    "a zero": HEAD + b"A: \0\r\n\r\n",
    "content": HEAD + b"Content-Length: 5\r\n\r\nhello",
    "chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
    "another upgrade": HEAD + b"Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_requests_are_answered(gate, log, kind):
    assert said(gate.port, MALFORMED[kind]).startswith(b"HTTP/1.1 400 ")
    assert log.getvalue() == ""
    assert get(gate, "/", Cookie="newtonlite_token=open sesame")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "TRACE", "get", "X" * 500])
def test_other_methods_are_refused(gate, method):
    assert said(gate.port, method.encode() + HEAD[3:] + b"\r\n").startswith(b"HTTP/1.1 405 ")


def test_heads_without_end_and_of_many_fields_are_refused(gate, log):
    assert said(gate.port, HEAD + b"X: " + b"a" * 40000).startswith(b"HTTP/1.1 431 ")
    assert said(gate.port, HEAD + b"X: a\r\n" * 100 + b"\r\n").startswith(b"HTTP/1.1 431 ")
    assert said(gate.port, b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 431 ")
    assert log.getvalue() == ""


def test_slow_senders_are_dropped_and_keep_nobody_out(gate, log, monkeypatch):
    monkeypatch.setattr(gate_module, "PATIENCE", 1.0)
    slow = [socket.create_connection(("127.0.0.1", gate.port), timeout=10) for _ in range(3 * gate_module.MOST_WAITING)]
    for line in slow:
        line.sendall(b"GET / HT")
    assert get(gate, "/", Cookie="newtonlite_token=open sesame")[0] == 200
    assert len(gate.tasks) <= gate_module.MOST_WAITING + 1
    answers = []
    for line in slow:
        try:
            answers.append(line.recv(100))
        except OSError:
            answers.append(b"")
        line.close()
    assert {a[:13] for a in answers} == {b"", b"HTTP/1.1 408 "}
    assert log.getvalue() == ""


def test_more_than_so_many_are_told_so(gate, monkeypatch):
    monkeypatch.setattr(gate_module, "MOST_OPEN", 0)
    assert get(gate, "/", Cookie="newtonlite_token=open sesame")[0] == 503


def test_a_viewer_that_is_closed_is_told(log):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    made = Gate("127.0.0.1", 0, port, None)
    assert said(made.port, HEAD + b"\r\n").startswith(b"HTTP/1.1 502 ")
    made.close()
    assert log.getvalue() == ""


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"]
)
def test_foreign_names_are_refused(gate, host):
    assert get(gate, "/", Host=host, Cookie="newtonlite_token=open sesame")[0] == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9000", "127.0.0.1", "127.1.2.3:80", "[::1]:80"])
def test_own_names_are_not(gate, host):
    assert get(gate, "/", Host=host, Cookie="newtonlite_token=open sesame")[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost", "http://localhost:81", "file://", "ws://localhost:80"]
)
def test_pages_of_other_sites_are_refused(gate, origin):
    headers = {"Host": "localhost:80", "Cookie": "newtonlite_token=open sesame"}
    assert get(gate, "/", Origin=origin, **headers)[0] == 403
    assert get(gate, "/", Origin="http://localhost:80", **headers)[0] == 200


def test_a_page_on_an_address_is_asked_for_by_address_or_name():
    names = own_names("0.0.0.0")
    for host in ("192.168.0.7:80", "[fe80::1]", socket.gethostname()):
        check_place(Request("/", (("host", host),)), names, local=False)
    with pytest.raises(RefusedRequest):
        check_place(Request("/", (("host", "evil.example"),)), names, local=False)


def test_the_field_of_the_gate_is_the_gates():
    request = parse(HEAD + b"X-Gate: forged\r\nConnection: keep-alive\r\n\r\n")
    head = request.head(("x-gate", "secret"))
    assert head.count(b"x-gate: ") == 1
    assert b"x-gate: secret" in head
    assert b"connection: close" in head


def test_tokens_are_long_and_all_different():
    found = {new_token() for _ in range(100)}
    assert len(found) == 100
    assert min(map(len, found)) >= 20


def test_which_addresses_stay_on_this_machine():
    assert [
        is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::", "192.168.0.7", "example")
    ] == [True] * 3 + [False] * 4
