"""Models that there are, of one format: own ones, those of the collection, and those of the folder beside the project.

Sweeps and races list models here and nowhere else. Names tell where a model comes from: ``own/``, the name of a package
of the manifest, or a path below the format's folder of ``../shared/assets``.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache

from conformance.collection.fetch import fetched
from conformance.collection.manifest import listed, packages
from conformance.collection.own import own
from conformance.collection.places import ASSETS, UNPACKED


def models(kind: str = "mjcf", **limits: float) -> dict[str, dict]:
    """Models by name: ``file``, ``source``, ``kind`` ("model", or why it is none) and what is known of its sizes.
    ``limits`` are the largest values of sizes, such as ``nmeshvert``.
    """
    found = own(kind) | unpacked(kind) | beside(kind)
    return {name: row for name, row in found.items() if all(row.get(key, 0) <= most for key, most in limits.items())}


def files(kind: str = "mjcf", **limits: float) -> dict[str, str]:
    """Files of the models, by name, without those that are only part of others."""
    return complete(models(kind, **limits))


def complete(entries: Mapping[str, dict]) -> dict[str, str]:
    """Files of the entries that are models by themselves."""
    return {name: entry["file"] for name, entry in entries.items() if entry["kind"] == "model"}


@cache
def unpacked(kind: str) -> dict[str, dict]:
    """Models of the packages that have been fetched."""
    there = {package.name for package in packages() if fetched(package)}
    return {
        f"{row['package']}/{short(row['path'])}": {
            "file": str(UNPACKED / row["package"] / row["path"]),
            "source": row["package"],
            "kind": "model",
            **{key: value for key, value in row.items() if key in ("nv", "nmeshvert", "also")},
        }
        for row in listed()
        if row["format"] == kind and row["package"] in there
    }


def short(path: str) -> str:
    """A path inside a wheel without the folder that has the package's name anyway."""
    return path.partition("/")[2] or path


@cache
def beside(kind: str) -> dict[str, dict]:
    """What the manifest of the folder beside the project says of its files; nothing where it is absent."""
    manifest = ASSETS / "MANIFEST.json"
    if not manifest.is_file():
        return {}
    rows = sorted((row for row in json.loads(manifest.read_text())["models"] if row["format"] == kind), key=path_of)
    return {
        row["path"].removeprefix(f"{kind}/"): row | {"file": str(ASSETS / row["path"]), "source": "beside"}
        for row in rows
    }


def path_of(row: dict) -> str:
    """The path of a file of the folder beside the project."""
    return row["path"]


def named(names: Iterable[str], kind: str = "mjcf") -> dict[str, str]:
    """Files of those of the named models that are there: the very file, or an equal one of the collection."""
    there = files(kind)
    equal = {entry["also"]: entry["file"] for entry in unpacked(kind).values() if "also" in entry}
    found = {name: there.get(name) or equal.get(name) for name in names}
    return {name: file for name, file in found.items() if file}
