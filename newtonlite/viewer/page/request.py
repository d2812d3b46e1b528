"""Heads of HTTP requests: what the page's browser sends, and nothing else.

A page needs GET alone, without a body. Whatever is written otherwise is refused by its first fault, so that nothing
behind the gate reads what the gate did not understand.
"""

import hmac
import ipaddress
import re
import socket
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qs

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TARGET = re.compile(r"/[!-~]*")
VALUE = re.compile(r"[\t -~\x80-\xff]*")
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?")
MOST_FIELDS = 64
ONCE = ("host", "origin", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version")
"""Fields that may stand once."""
COOKIE = "newtonlite_token"
REFUSED = "This viewer asks for its token: open the address that its program printed.\n"


class RefusedRequest(Exception):
    """A request is answered with a status and a sentence."""

    def __init__(self, status: HTTPStatus, text: str, fields: str = ""):
        super().__init__(text)
        self.status, self.text, self.fields = status, text, fields

    def answer(self) -> bytes:
        """The bytes of the answer."""
        return answer(self.status, self.fields, self.text)


@dataclass(frozen=True)
class Request:
    """Target and fields (lower case, in their order) of a request."""

    target: str
    fields: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str | None:
        """Value of a field that stands once; None where it does not stand."""
        return next((value for field, value in self.fields if field == name), None)

    @property
    def upgrades(self) -> bool:
        """Whether it opens a websocket."""
        return (self.get("upgrade") or "").lower() == "websocket"

    def head(self, secret: tuple[str, str] | None = None) -> bytes:
        """The request as it is passed on; with a field more where a secret is given, which no other may be."""
        fields = [(n, v) for n, v in self.fields if secret is None or n != secret[0]]
        if not self.upgrades:
            fields = [(n, v) for n, v in fields if n not in ("connection", "upgrade")] + [("connection", "close")]
        fields += [secret] if secret else []
        lines = [f"GET {self.target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields), "", ""]
        return "\r\n".join(lines).encode("latin-1")


def answer(status: HTTPStatus, fields: str = "", text: str = "") -> bytes:
    """An answer of text."""
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\n{fields}Content-Type: text/plain; charset=utf-8\r\n"
    head += f"X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: {len(text.encode())}\r\n\r\n"
    return (head + text).encode()


def parse(head: bytes) -> Request:
    """The request of a head that ends with an empty line. Refused says what is wrong with it."""
    lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "This is no request of HTTP/1.1.\n")
    if words[0] != "GET":
        raise RefusedRequest(HTTPStatus.METHOD_NOT_ALLOWED, "This server answers GET.\n", "Allow: GET\r\n")
    if not TARGET.fullmatch(words[1]) or re.search(r"%(?![0-9A-Fa-f]{2})|%00|%0[aAdD]", words[1]):
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "The address of the request is malformed.\n")
    if len(lines) - 1 > MOST_FIELDS:
        raise RefusedRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"There are more than {MOST_FIELDS} fields.\n")
    fields = []
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon or not TOKEN.fullmatch(name) or not VALUE.fullmatch(value):
            raise RefusedRequest(HTTPStatus.BAD_REQUEST, "A field of the request is malformed.\n")
        fields.append((name.lower(), value.strip(" \t")))
    request = Request(words[1], tuple(fields))
    names = [name for name, _ in fields]
    if any(names.count(name) > 1 for name in ONCE):
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "A field stands twice.\n")
    if "transfer-encoding" in names or (request.get("content-length") or "0") != "0":
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "This server takes no content.\n")
    if "upgrade" in names and not request.upgrades:
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "This server upgrades to websockets alone.\n")
    return request


def own_names(host: str) -> set[str]:
    """Names under which this machine may be asked for a page that listens on ``host``."""
    names = {"localhost", host.lower()}
    if not is_loopback(host):
        name = socket.gethostname().lower()
        names |= {name, name.partition(".")[0], f"{name}.local"}  # a look-up of more may take seconds
    return names


def check_place(request: Request, names: set[str], local: bool) -> None:
    """Refuse requests under a foreign name (DNS rebinding) and those of other web sites. A ``local`` page has a name
    of the loopback, any other may have a numeric one.
    """
    host = request.get("host") or ""
    found = HOST.fullmatch(host)
    if not found:
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "The request does not say which host it is for.\n")
    name = found[1].strip("[]").lower().removesuffix(".")
    if name not in names and not (is_loopback(name) if local else _is_address(name)):
        text = f"This viewer is not called {name}: open the address that its program printed.\n"
        raise RefusedRequest(HTTPStatus.FORBIDDEN, text)
    origin = request.get("origin")
    if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
        raise RefusedRequest(HTTPStatus.FORBIDDEN, "This viewer answers its own page only.\n")


def check_token(request: Request, token: str) -> None:
    """Refuse who does not know the token; who has it in the address gets a cookie for it."""
    query = request.target.partition("?")[2].partition("#")[0]
    try:
        given = parse_qs(query, max_num_fields=8).get("token", [""])[0]
    except ValueError:
        raise RefusedRequest(HTTPStatus.BAD_REQUEST, "The address of the request is malformed.\n") from None
    if same(given, token):
        cookie = f"Set-Cookie: {COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/\r\n"
        raise RefusedRequest(HTTPStatus.SEE_OTHER, "", f"Location: /\r\nReferrer-Policy: no-referrer\r\n{cookie}")
    cookies = [part.partition("=") for name, value in request.fields if name == "cookie" for part in value.split(";")]
    if not any(name.strip() == COOKIE and same(value.strip(), token) for name, _, value in cookies):
        raise RefusedRequest(HTTPStatus.FORBIDDEN, REFUSED)


def same(given: str, token: str) -> bool:
    """Whether two texts are the same, in a time that does not say where they differ."""
    return hmac.compare_digest(given.encode(errors="replace"), token.encode())


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
