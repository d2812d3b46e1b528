"""An exact binary form of a compiled model: a zip archive of arrays and one page of JSON, with a checksum over all of
it.
"""

import base64
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from newtonlite.core.archive import BROKEN, Archive
from newtonlite.core.errors import ParseError
from newtonlite.core.files import open_file
from newtonlite.core.replacing import replacing
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel, CompiledOption, CompiledStatistic, Section

FORMAT, VERSION = "newtonlite compiled model", 1
PAGE, CHECK = "model.json", "sha256"
SECTIONS = {"Option": CompiledOption, "Statistic": CompiledStatistic}
NAMES = {kind: name for name, kind in SECTIONS.items()}
STAMP = (1980, 1, 1, 0, 0, 0)
"""One date for all entries: the same model gives the same bytes."""


def save_model(model: CompiledModel, path) -> Path:
    """Write a compiled model; the same model gives the same bytes. Returns the path."""
    path, arrays = Path(path), {}
    values = vars(model) | ({"tex_pixels": model.tex_data, "tex_source": []} if getattr(model, "ntex", 0) else {})
    page = {"format": FORMAT, "version": VERSION, "model": packed(values, "", arrays)}
    entries = {PAGE: json.dumps(page).encode()} | {f"{name}.npy": array_bytes(value) for name, value in arrays.items()}
    with replacing(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name, STAMP), data, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo(CHECK, STAMP), digest(entries))
    return path


def load_model(path) -> CompiledModel:
    """Read what ``save_model`` wrote. ParseError for a file that is none, is damaged, or comes from another version."""
    try:
        with open_file(path, "compiled model") as file:
            archive = Archive(file, "compiled model")
            entries = {name: archive.bytes(name) for name in archive.sizes}
        expected = entries.pop(CHECK, b"").decode()
        page = json.loads(entries[PAGE])
        if page.get("format") != FORMAT or page.get("version") != VERSION:
            raise ParseError(
                f"{path}: is version {page.get('version')} of '{page.get('format')}'; this is version {VERSION}, save it again"
            )
        if digest(entries) != expected:
            raise ParseError(f"{path}: is damaged (its checksum does not fit); save it again")
        model = CompiledModel()
        vars(model).update(unpacked(page["model"], entries))
        return model
    except ParseError:
        raise
    except (OSError, *BROKEN) as problem:
        raise damaged(path, problem) from None


def damaged(path, problem: Exception) -> ParseError:
    """The error for a file that cannot be read."""
    return ParseError(
        f"{path}: is no compiled model, or is damaged ({' '.join(str(problem).split())[:120]}); save it again"
    )


def packed(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    """A value as JSON; arrays go to ``arrays`` by their place. TypeError for what has no such form."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {"array": name}
    if isinstance(value, Section):
        return {"section": NAMES[type(value)], "values": packed(vars(value), name, arrays)["dict"]}
    if isinstance(value, dict):
        return {
            "dict": {
                str(key): packed(part, f"{name}/{key}" if name else str(key), arrays) for key, part in value.items()
            }
        }
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [packed(part, f"{name}/{k}", arrays) for k, part in enumerate(value)]}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, (np.generic,)):
        arrays[name] = np.asarray(value)
        return {"scalar": name}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"compiled model: {name} is a {type(value).__name__}, which has no binary form")


def unpacked(value: Any, entries: dict[str, bytes]) -> Any:
    """The value that JSON of ``packed`` stands for."""
    if not isinstance(value, dict):
        return value
    kind = next(iter(value))
    content = value[kind]
    if kind in ("array", "scalar"):
        array = np.lib.format.read_array(io.BytesIO(entries[f"{content}.npy"]), allow_pickle=False)
        return array if kind == "array" else array[()]
    if kind == "section":
        section = SECTIONS[content]()
        vars(section).update({key: unpacked(part, entries) for key, part in value["values"].items()})
        return section
    if kind == "dict":
        return {key: unpacked(part, entries) for key, part in content.items()}
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(unpacked(part, entries) for part in content)
    return base64.b64decode(content)


def array_bytes(array: np.ndarray) -> bytes:
    """An array in NumPy's own format."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array) if array.ndim else array, allow_pickle=False)
    return out.getvalue()


def digest(entries: dict[str, bytes]) -> str:
    """A checksum over names and contents."""
    total = hashlib.sha256()
    for name in sorted(entries):
        total.update(name.encode() + b"\0" + len(entries[name]).to_bytes(8, "little") + entries[name])
    return total.hexdigest()
