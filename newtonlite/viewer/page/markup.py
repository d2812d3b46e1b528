"""Markup of the page's panels: whatever stands in it is text, wherever it comes from."""

from html import escape


def quiet_text(*lines: str) -> str:
    """Lines in a quiet colour."""
    return f'<div style="padding:.3em 1em;opacity:.7">{_text(lines)}</div>'


def small_text(*lines: str) -> str:
    """Lines in small letters."""
    return f'<div style="padding:.3em 1em;font-size:12px">{_text(lines)}</div>'


def fault_text(text: str) -> str:
    """Fault, in red."""
    return f'<div style="color:#c0392b;padding:0 1em">{escape(text)}</div>'


def name_value_table(rows: dict) -> str:
    """Names and values."""
    cells = "".join(
        f'<tr><td style="opacity:.6;padding-right:1em">{escape(str(k))}</td><td>{escape(str(v))}</td></tr>'
        for k, v in rows.items()
    )
    return f'<table style="font-size:12px;margin:.3em 1em">{cells}</table>'


def _text(lines: tuple) -> str:
    return "<br>".join(escape(line) for line in lines)
