"""Kernel archive: one file of GPU kernels, compiled on any machine, which another machine takes into its kernel cache.

A zip file: a folder for each Warp module, as Warp's cache has it, and a member that says for which sources and
version of Warp. It holds machine code, which a GPU runs as it is: take archives of those alone whose programs you would run.
"""

import json
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import warp as wp

from newtonlite.core.archive import BROKEN, Archive
from newtonlite.core.errors import FileError
from newtonlite.core.files import open_file
from newtonlite.core.kernel_folders import sources
from newtonlite.core.replacing import replace_file, replacing_file

KIND = "kernel archive"
MADE_OF = "kernels.json"
MEMBER = re.compile(r"(wp_\w+)/\1(\.meta|\.sm\d+[af]?\.(cubin|ptx))")
"""A module's folder, and what it was compiled to or the facts about that."""


def made_of() -> dict[str, str]:
    """Sources of the package, and version of Warp, of kernels that are compiled here."""
    return {"sources": sources(), "warp": wp.__version__}


def pack(binaries: Iterable[Path], file: Path) -> int:
    """Write an archive of compiled modules in Warp's cache, with the facts beside them; how many bytes it has. What is
    the same each time gives the same file.
    """
    found = {path for binary in binaries for path in (binary, *binary.parent.glob("*.meta"))}
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing_file(file) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        _put(archive, MADE_OF, json.dumps(made_of()).encode())
        for path in sorted(found):
            _put(archive, f"{path.parent.name}/{path.name}", path.read_bytes())
    return file.stat().st_size


def take(file: Path) -> int:
    """Put the kernels of an archive into Warp's cache; how many modules.

    Raises FileError for a file that is no whole archive, or of other sources or another version of Warp than are here.
    """
    try:
        with open_file(file, KIND) as opened:
            contents = _contents(Archive(opened, KIND))
    except (*BROKEN, OSError) as problem:  # also that a part lies before the file begins
        raise (
            problem if isinstance(problem, FileError) else FileError(file, f"is no archive of kernels: {problem}")
        ) from None

    # kernels of other sources would never be looked for
    made, here = json.loads(contents.pop(MADE_OF)), made_of()
    if made != here:
        names = ", ".join(f"{key} {made.get(key)} and not {here[key]}" for key in here if made.get(key) != here[key])
        raise FileError(file, f"holds kernels of {names}: make it anew, with the versions that are installed here")

    # facts last: Warp takes a module for whole that has them
    place = Path(wp.config.kernel_cache_dir)
    for name in sorted(contents, key=lambda name: (name.endswith(".meta"), name)):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(place / name, contents[name])
    return len({name.partition("/")[0] for name in contents})


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name)  # without the time of day
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def _contents(archive: Archive) -> dict[str, bytes]:
    """All members, whose names are those of compiled modules. Raises ValueError for other ones."""
    names = archive.names - {MADE_OF}
    if MADE_OF not in archive.names or not names:
        raise ValueError(f"{MADE_OF} or kernels are missing")
    if strange := [name for name in sorted(names) if not MEMBER.fullmatch(name)]:
        raise ValueError(f"{strange[0][:80]!r} is no part of one")
    if not isinstance(json.loads(archive.bytes(MADE_OF)), dict):
        raise ValueError(f"{MADE_OF} is no object")
    return {name: archive.bytes(name) for name in archive.names}
