"""The list of packages and of the models in them, ``manifest.json``: what ``make collection`` fetches."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MANIFEST = Path(__file__).with_name("manifest.json")
FORMATS = {"xml": "mjcf", "mjcf": "mjcf", "urdf": "urdf", "usd": "usd", "usda": "usd", "usdc": "usd", "usdz": "usd"}
"""Format by ending."""


@dataclass(frozen=True)
class Package:
    """A wheel of any platform: its name in the registry, its version and licence, the digest of the file, and below
    which folders its models are.
    """

    name: str
    version: str
    licence: str
    sha256: str
    roots: tuple[str, ...]


@cache
def packages(file: Path = MANIFEST) -> tuple[Package, ...]:
    """Packages in the order of their names."""
    found = json.loads(file.read_text())["packages"]
    return tuple(Package(**{**row, "roots": tuple(row["roots"])}) for row in found)


@cache
def listed(file: Path = MANIFEST) -> tuple[dict, ...]:
    """Models: ``package``, ``path`` inside the wheel, ``sha256``, ``format``, ``kind``, and sizes such as ``nv``."""
    return tuple(
        {"package": package, "format": FORMATS[path.rpartition(".")[2].lower()], "path": path, **row}
        for package, rows in json.loads(file.read_text())["models"].items()
        for path, row in rows.items()
    )


def write(chosen: tuple[Package, ...], models: dict[str, dict[str, dict]], file: Path = MANIFEST) -> None:
    """Write a manifest, one model a line."""
    heads = ",\n".join("  " + json.dumps(vars(package)) for package in chosen)
    parts = []
    for package, rows in models.items():
        lines = ",\n".join(f"   {json.dumps(path)}: {json.dumps(row)}" for path, row in rows.items())
        parts.append(f"  {json.dumps(package)}: {{\n{lines}\n  }}")
    file.write_text('{\n "packages": [\n' + heads + '\n ],\n "models": {\n' + ",\n".join(parts) + "\n }\n}\n")
