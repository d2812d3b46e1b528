"""Outcome of a command: one line for people, or with ``--json`` one line of JSON."""

import json


def close(args, line: str, **figures) -> None:
    """Print how a command ended: the line, or its figures where JSON is wanted."""
    print(json.dumps(figures, default=str) if args.json else line, flush=True)
