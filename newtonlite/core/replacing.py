"""Atomic replacement of files: a reader finds the old content or the new one, never a part of it.

The new content goes to a temporary file in the same folder, reaches the disk, and then takes the name. A full disk, an
exception or a killed program leave what was there; a killed program also its temporary file, ``.NAME.<hex>.part``.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NAMED = 40  # characters of a file's name that its temporary file repeats
LONGEST_ENDING = 16
STREAMS = ("/dev/fd/", "/dev/std", "/proc/")
"""Names of what this process has open: another file of that name would not be it."""


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[Path]:
    """A path to write to in place of ``path``, in the same folder and with the same ending; at the end it takes the
    name, unless an exception was raised, which removes it.

    A link is followed, and permissions are kept. What is no regular file, such as ``/dev/stdout``, is written to as it
    is.
    """
    target = Path(os.path.realpath(path))
    old = os.stat(path) if os.path.exists(path) else None
    if old is not None and (not stat.S_ISREG(old.st_mode) or os.path.abspath(path).startswith(STREAMS)):
        yield Path(path)
        return
    if old is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    part = _new_file(target)
    try:
        yield part
        if old is not None:
            os.chmod(part, stat.S_IMODE(old.st_mode))
        _to_disk(part)
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    _folder_to_disk(target.parent)


@contextlib.contextmanager
def replacing_file(path: Any, mode: str = "wb", **options: Any) -> Iterator[Any]:
    """The same, opened; ``options`` are those of ``open``."""
    with replacing(path) as part, open(part, mode, **options) as file:
        yield file


def replace_files(contents: Mapping[Any, bytes | str]) -> None:
    """Replace several files at once, or none where one cannot be written; the first is the one that names the others,
    and takes its name last. Their folders are made.
    """
    with contextlib.ExitStack() as opened:
        for path, content in contents.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            part = opened.enter_context(replacing(path))
            part.write_bytes(content.encode() if isinstance(content, str) else content)


def replace_file(path: Any, content: bytes | str) -> None:
    """Replace a file by a content; text is UTF-8."""
    replace_files({path: content})


def _new_file(target: Path) -> Path:
    """An empty file beside ``target`` that nobody else has, with the permissions of a new one."""
    ending = target.suffix if len(target.suffix) <= LONGEST_ENDING else ""
    part = target.with_name(f".{target.stem[:NAMED]}.{secrets.token_hex(6)}.part{ending}")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as problem:  # speaks of the file that was asked for
        raise type(problem)(problem.errno, problem.strerror, str(target)) from None
    return part


def _to_disk(part: Path) -> None:
    """Wait until a file is on the disk."""
    handle = os.open(part, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _folder_to_disk(folder: Path) -> None:
    """Have the new name reach the disk, where the system opens folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
