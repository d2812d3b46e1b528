"""Kernel cache: compiled CPU kernels, found again by what they were made of instead of by their generated source.

Warp finds a compiled kernel by the hash of its source, and to generate and hash the source of a program takes a second.
An entry here is named by the stages of a kernel and the features folded out of it; it lies in a folder named by a
digest of the package's sources, Warp's version, and the processor. Kernels of all features (the general ones) and
those of some are found alike. Beside the user's folder, which is in Warp's kernel cache, the package may have one
that was compiled for common processors before it was installed.
"""

import functools
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import warp as wp

from newtonlite.core.kernel_folders import PACKAGE, PACKAGED, folder, packaged_kind
from newtonlite.core.replacing import replace_file
from newtonlite.solvers.mujoco.executor.cpu import native_call

MOST_FOLDERS = 4
"""Folders of other sources and versions that are left in the user's cache."""
target: str | None = None
"""Kind of processor that kernels are compiled for; this one when None."""
user: Path | None = None
"""The user's folder, where it is not that in Warp's kernel cache."""


def key(name: str, stages: tuple, folded: tuple = ()) -> str:
    """Name of the entry of a kernel of these stages (Warp functions) with features folded out."""
    # names, not sources: the folder is that of these sources
    text = repr((name, [(s.func.__module__, s.func.__qualname__) for s in stages], folded))
    return f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def processor() -> str:
    """The compiler's flag for the processor that kernels are compiled for."""
    return f"-target-cpu {target}" if target else "-march=native"


def is_named(stage: wp.Function) -> bool:
    """Whether a stage is one of the package's own, found by its name: others may change while the name stays."""
    # also a stage that was folded is not found under its name
    module = sys.modules.get(stage.func.__module__)
    return stage.func.__module__.startswith(f"{PACKAGE.name}.") and getattr(module, stage.func.__name__, None) is stage


def find(name: str) -> dict | None:
    """Facts of an entry: those that were kept with it, and ``code``, the address of its code (None for a kernel of
    which nothing is left). None where there is no such entry, or a damaged one.
    """
    return next((found for place in places() if (found := _read(place, name)) is not None), None)


def keep(name: str, kernel: wp.Kernel | None, **facts) -> int | None:
    """Compile a kernel, and keep it and ``facts`` as an entry; the address of its code. A folder that cannot be written
    to keeps nothing.
    """
    # compiled by Warp, into its own cache
    code, entry = None, dict(facts)
    file = None
    if kernel is not None:
        code, file, entry["symbol"] = native_call.compiled(kernel)
        entry |= {"object": Path(file).name, "sha256": hashlib.sha256(Path(file).read_bytes()).hexdigest()}

    # the object file first: an entry that is there points to one that is whole
    try:
        place = places()[0]
        _tidy(place)
        if file is not None:
            replace_file(place / entry["object"], Path(file).read_bytes())
        replace_file(place / f"{name}.json", json.dumps(entry).encode())
    except OSError:
        pass
    return code


def places() -> list[Path]:
    """Folders of entries for this processor: the user's, and that of the package. The latter alone where kernels are
    compiled for another one.
    """
    if target:
        return [PACKAGED / folder(target)]

    # what was compiled here is for this very processor, and goes before what came with the package
    own, kind = user or home() / folder(None), packaged_kind()
    return [own, *([PACKAGED / folder(kind)] if kind else [])]


def home() -> Path:
    """Folder of the user's folders."""
    wp.init()  # knows the folder of Warp's cache
    return Path(wp.config.kernel_cache_dir) / "newtonlite"


def is_kept(name: str) -> bool:
    """Whether the user's folder has an entry, damaged or not."""
    return (places()[0] / f"{name}.json").exists()


def drop_damaged(name: str) -> None:
    """Remove an entry of the user's folder that is damaged."""
    if is_kept(name) and find(name) is None:
        (places()[0] / f"{name}.json").unlink(missing_ok=True)


def _read(place: Path, name: str) -> dict | None:
    try:
        # a file that is damaged or cut short counts as absent, and is compiled anew
        entry = json.loads((place / f"{name}.json").read_bytes())
        if entry.get("object") is None:
            return {**entry, "code": None}
        file = place / entry["object"]
        if hashlib.sha256(file.read_bytes()).hexdigest() != entry["sha256"]:
            return None
        return {**entry, "code": native_call.loaded(str(file), entry["symbol"])}
    except (OSError, ValueError, KeyError, AttributeError):
        return None


@functools.cache
def _tidy(place: Path) -> None:
    """Once in the life of a process: remove the folders that were used the longest ago."""
    # folders of sources that nobody runs any more go, the one in use is the youngest
    place.mkdir(parents=True, exist_ok=True)
    os.utime(place)
    others = sorted(
        (f for f in place.parent.iterdir() if f != place and f.is_dir()), key=lambda f: f.stat().st_mtime, reverse=True
    )
    for other in others[MOST_FOLDERS:]:
        shutil.rmtree(other, ignore_errors=True)
