"""The record of the last release, which sizes, comments and types are held against."""

import json
from pathlib import Path

FOLDER = Path(__file__).with_name("releases")


def last() -> Path:
    """The file of the newest version."""
    return max(FOLDER.glob("*.json"), key=lambda path: [int(part) for part in path.stem.split(".")])


def record() -> dict:
    """Numbers of the last release."""
    return json.loads(last().read_text())
