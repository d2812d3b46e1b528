"""Checkpoint files of training runs: numbers, text and tensors, which run no code when they are read.

A file may come from anybody. It is refused with StateError, which names it, unless it is an archive of ``torch.save``
whose parts are stored as they are, holds nothing but plain values and dense tensors no larger than itself, and has the
entries of ``ENTRIES``.
"""

import math
import pickle
import zipfile
from pathlib import Path

import numpy as np
import torch

from newtonlite.core.errors import StateError
from newtonlite.core.replacing import replacing_file

ENTRIES = {
    "task": str,
    "changes": list,
    "settings": dict,
    "env": dict,
    "ppo": dict,
    "rows": list,
    "recent": list,
    "steps": int,
    "seconds": float,
}
"""Entries of a checkpoint, and their types."""
PPO_ENTRIES = {
    "policy": dict,
    "optimiser": dict,
    "generator": torch.Tensor,
    "iteration": int,
    "learning_rate": float,
    "reward_norm": dict,
    "discounted": torch.Tensor,
}
"""Entries of its table ``ppo``."""
PLAIN = (str, int, float, bool, type(None))
KEYS = (str, int)
DEEPEST = 16
"""Tables within tables."""
LARGEST = 8 << 30
"""Bytes of a file that is read."""


def save(state: dict, file) -> None:
    """Write a checkpoint, whole or not at all; NumPy arrays become tensors."""
    with replacing_file(file) as opened:
        torch.save({**state, "env": {name: torch.from_numpy(a) for name, a in state["env"].items()}}, opened)


def load(file) -> dict:
    """Read a checkpoint to the host's memory. StateError says what is wrong with the file."""
    file = Path(file)
    try:
        size = _check_archive(file)
        state = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    except pickle.UnpicklingError as problem:
        line = str(problem).replace("\n", " ")
        raise StateError(
            f"{file}: holds more than numbers, text and tensors, and is not read, since that could run code: {_short(line)}"
        ) from None
    except OSError as problem:
        raise StateError(f"{file}: cannot be read ({problem.strerror or problem})") from None
    except Exception as problem:  # whatever a damaged archive raises in torch
        raise StateError(f"{file}: is damaged, or no checkpoint ({_short(problem)})") from None
    try:
        state = _owned(state, size)
        _check_entries(state, ENTRIES, "")
        _check_entries(state["ppo"], PPO_ENTRIES, "ppo.")
        _check_env(state["env"])
        _check_texts(state["changes"])
        for name in ("rows", "recent"):
            _check_rows(state[name], name)
    except StateError as problem:
        raise StateError(f"{file}: is no checkpoint of newtonlite train: {problem}") from None
    return state


def _check_archive(file: Path) -> int:
    """Size of the file [bytes], of which nothing is compressed or longer than it. ValueError, OSError, and what zipfile
    raises."""
    size = file.stat().st_size
    if not file.is_file() or size > LARGEST:
        raise ValueError(f"expected a file of at most {LARGEST >> 30} GiB")
    with zipfile.ZipFile(file) as archive:
        parts = archive.infolist()
    if any(part.compress_type != zipfile.ZIP_STORED for part in parts):
        raise ValueError("a part of it is compressed")
    if sum(part.file_size for part in parts) > size:
        raise ValueError("its parts are longer than the file")
    return size


def _owned(state, size: int):
    """The same tables with tensors of memory of their own, together at most ``size`` bytes. StateError for values of
    other kinds."""
    left = [size, size]  # bytes, values

    def copy(value, where: str, depth: int):
        left[1] -= 1
        if depth > DEEPEST or left[1] < 0:
            raise StateError(f"{where}: tables within tables without end")
        if isinstance(value, torch.Tensor):
            left[0] -= value.numel() * value.element_size()
            if type(value) is not torch.Tensor or value.layout is not torch.strided or left[0] < 0:
                raise StateError(f"{where}: expected a dense tensor that the file holds, got shape {list(value.shape)}")
            return value.detach().clone()
        if isinstance(value, dict):
            if not all(isinstance(key, KEYS) for key in value):
                raise StateError(f"{where or 'its table'}: expected names as keys")
            return {k: copy(v, f"{where}.{_short(k)}" if where else _short(k), depth + 1) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(copy(v, f"{where}[{k}]", depth + 1) for k, v in enumerate(value))
        if type(value) not in PLAIN:
            raise StateError(f"{where}: a {type(value).__name__} does not belong there")
        return value

    return copy(state, "", 0)


def _check_entries(table, entries: dict, where: str) -> None:
    """StateError unless a table has entries of these types and no others."""
    if not isinstance(table, dict):
        raise StateError(f"{where[:-1] or 'it'} is a {type(table).__name__}, expected a table")
    for name in table:
        if name not in entries:
            raise StateError(f"it has an entry {where}{_short(name)}, which no checkpoint has")
    for name, kind in entries.items():
        if name not in table:
            raise StateError(f"there is no {where}{name}")
        value = table[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise StateError(f"{where}{name} is {_short(value)}, expected a {kind.__name__}")
        if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= 0):
            raise StateError(f"{where}{name} is {value}, expected a number of at least 0")


def _check_env(arrays: dict) -> None:
    for name, value in arrays.items():
        if not isinstance(name, str) or not isinstance(value, torch.Tensor):
            raise StateError(f"env.{_short(name)} is no tensor")


def _check_texts(texts: list) -> None:
    for text in texts:
        if not isinstance(text, str):
            raise StateError(f"changes holds {_short(text)}, expected texts")


def _check_rows(rows: list, name: str) -> None:
    for row in rows:
        if not isinstance(row, dict) or not all(
            isinstance(k, str) and isinstance(v, (int, float)) for k, v in row.items()
        ):
            raise StateError(f"{name} holds {_short(row)}, expected tables of numbers")


def check_weights(given: dict, expected: dict, where: str) -> None:
    """StateError unless tensors have the names, shapes and types of those expected, and finite values."""
    differ = sorted(map(str, set(given) ^ set(expected)))
    if differ:
        raise StateError(f"{where}.{_short(differ[0])} is only in one of checkpoint and policy")
    for name, own in expected.items():
        value = given[name]
        if not isinstance(value, torch.Tensor) or value.shape != own.shape or value.dtype != own.dtype:
            got = f"{list(value.shape)} {value.dtype}" if isinstance(value, torch.Tensor) else _short(value)
            raise StateError(f"{where}.{name} is {got}, expected {list(own.shape)} {own.dtype}")
        if not value.isfinite().all():
            raise StateError(f"{where}.{name} is not finite")


def as_arrays(tensors: dict) -> dict[str, np.ndarray]:
    """Tensors on the host as NumPy arrays."""
    return {name: value.numpy() for name, value in tensors.items()}


def _short(value) -> str:
    """A value as it may stand in a message."""
    text = (
        value if isinstance(value, str) else value.__class__.__name__ if isinstance(value, (dict, list)) else str(value)
    )
    return text[:120].encode("unicode_escape").decode()
