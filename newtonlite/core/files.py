"""File reading: the one door through which files come that the package did not write itself.

Only regular files are opened, without waiting: no pipes, devices, sockets or folders.  A file is looked at, opened,
looked at again through its descriptor, and read once from that, up to the limit of its kind (``core/limits.py``).
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from newtonlite.core.errors import FileError, MissingFileError
from newtonlite.core.limits import most

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
FLAGS |= getattr(os, "O_NOCTTY", 0)
CHUNK = 1 << 20
KINDS = {
    stat.S_IFDIR: "is a folder, not a file",
    stat.S_IFIFO: "is a device or a pipe, not a file",
    stat.S_IFSOCK: "is a socket, not a file",
    stat.S_IFCHR: "is a device or a pipe, not a file",
    stat.S_IFBLK: "is a device or a pipe, not a file",
}
MISSING = (errno.ENOENT, errno.ENOTDIR)


def open_file(path, kind: str) -> BinaryIO:
    """A regular file opened for reading, no larger than files of a kind (a row of ``LIMITS``) may be.

    Raises FileError ``path: reason``, MissingFileError where there is none.
    """
    try:
        admit(path, os.stat(path), kind)
        descriptor = os.open(path, FLAGS)
    except (OSError, ValueError) as problem:
        raise refusal(path, problem) from None
    file = os.fdopen(descriptor, "rb")
    try:
        admit(path, os.fstat(descriptor), kind)
    except FileError:
        file.close()
        raise
    return file


def read_file(path, kind: str) -> bytes:
    """Contents of a regular file, read once; raises as ``open_file`` does, also where it grows beyond the limit."""
    with open_file(path, kind) as file:
        size, parts, left = os.fstat(file.fileno()).st_size, [], most(kind) + 1
        try:
            while left and (part := file.read(min(max(size + 1, CHUNK), left))):
                parts.append(part)
                left -= len(part)
                size = 0
        except (OSError, MemoryError) as problem:
            raise refusal(path, problem) from None
    if not left:
        raise FileError(path, too_large(most(kind) + 1, kind))
    return b"".join(parts)


def check_file(path, kind: str) -> int:
    """Size of a file that another library opens by its name; raises as ``open_file`` does."""
    try:
        found = os.stat(path)
        admit(path, found, kind)
        return found.st_size
    except (OSError, ValueError) as problem:
        raise refusal(path, problem) from None


def admit(path, found: os.stat_result, kind: str) -> None:
    """FileError for what is no regular file, or larger than files of its kind may be."""
    if not stat.S_ISREG(found.st_mode):
        raise FileError(path, KINDS.get(stat.S_IFMT(found.st_mode), "is no regular file"))
    if found.st_size > most(kind):
        raise FileError(path, too_large(found.st_size, kind))


def too_large(size: int, kind: str) -> str:
    """Reason for which a file is too large."""
    return f"has {size} bytes; at most {most(kind)} are read"


def refusal(path, problem: Exception) -> FileError:
    """The error for a file that cannot be opened or read."""
    if isinstance(problem, FileError):
        return problem
    if isinstance(problem, OSError) and problem.errno in MISSING:
        return MissingFileError(path, "does not exist")
    reason = getattr(problem, "strerror", None) or " ".join(str(problem).split()) or "not enough memory"
    return FileError(path, f"cannot be read ({reason})")


def inside(path, root) -> bool:
    """Whether a path, symbolic links followed, is a folder or lies in it."""
    real, folder = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    return real == folder or folder in real.parents
