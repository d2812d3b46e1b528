"""Unpacking of a wheel that is not trusted: names, kinds and sizes of its members are judged before anything is written.

A wheel is a zip archive. Members that would leave the folder, that are links, that are there twice on a file system
without capitals, or that are larger than they may be, are errors of the whole wheel: nothing of it is then written.
"""

import hashlib
import shutil
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from newtonlite.core.errors import FileError

ENDINGS = (
    *("xml", "mjcf", "urdf", "usd", "usda", "usdc", "usdz"),
    *("stl", "obj", "msh", "dae", "mtl", "ply", "glb", "gltf", "skn"),
    *("png", "jpg", "jpeg", "bmp", "tga"),
)
"""What models consist of; nothing else of a wheel is written, and no code."""
MOST_MEMBERS, MOST_BYTES, MOST_OF_ONE, MOST_EXPANSION = 20_000, 1 << 30, 64 << 20, 1000
"""Members and bytes of a wheel, bytes of a member, and how many times its packed size it may have."""
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    struct.error,
)
"""What a damaged archive raises."""
LINK, KIND = 0o120000, 0o170000


def unpack(wheel: Path, folder: Path, roots: tuple[str, ...]) -> list[Path]:
    """The files of models below ``roots`` of a wheel, written below a folder that takes the place of an older one."""
    beside = folder.with_name(folder.name + ".part")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            chosen = [member for member in judged(archive, wheel.name) if wanted(member.filename, roots)]
            if not chosen:
                raise FileError(f"{wheel.name}: no models below {', '.join(roots)}")
            for member in chosen:
                write(archive, member, beside / member.filename)
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
    except FileError:
        raise
    except DAMAGE as problem:
        raise FileError(f"{wheel.name}: no sound archive ({problem}); fetch it again") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return [folder / member.filename for member in chosen]


def judged(archive: zipfile.ZipFile, name: str) -> list[zipfile.ZipInfo]:
    """The files of an archive, of which none is a danger."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_BYTES:
        raise FileError(f"{name}: more than {MOST_MEMBERS} members or {MOST_BYTES >> 20} MiB")
    seen: set[str] = set()
    for member in members:
        fault = danger(member, seen)
        if fault:
            raise FileError(f"{name}: member {member.filename!r} {fault}")
        seen.add(member.filename.casefold())
    return [member for member in members if not member.is_dir()]


def danger(member: zipfile.ZipInfo, seen: set[str]) -> str:
    """Why a member must not be written; empty where it may."""
    parts = PurePosixPath(member.filename).parts
    if not parts or member.filename.startswith("/") or ".." in parts or set(member.filename) & set("\\:\0"):
        return "leaves the folder"
    if (member.external_attr >> 16) & KIND == LINK:
        return "is a link"
    if member.filename.casefold() in seen:
        return "is there twice"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.file_size > min(MOST_OF_ONE, MOST_EXPANSION * max(member.compress_size, 1)) and wanted(
        member.filename, ("",)
    ):
        return "is too large"
    return ""


def wanted(name: str, roots: tuple[str, ...]) -> bool:
    """Whether a member belongs to models below one of the roots."""
    return name.rpartition(".")[2].lower() in ENDINGS and name.startswith(roots)


def write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> None:
    """Write a member, whose size the archive tells and its check sum confirms."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        found = hashlib.sha256()
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()
