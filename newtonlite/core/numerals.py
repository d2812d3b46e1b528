"""Numerals: numbers in text. Python's ``int`` and ``float`` also take underscores and the digits of other scripts, which
no file and no user means.
"""


def plain(text: str) -> str:
    """A text that may be numbers; ValueError for one with underscores, or with characters beyond ASCII."""
    if not text.isascii() or "_" in text:
        raise ValueError(f"could not convert string to a number: {text[:40]!r}")
    return text


def whole(text: str) -> int:
    """An integer."""
    return int(plain(text))


def real(text: str) -> float:
    """A number."""
    return float(plain(text))
