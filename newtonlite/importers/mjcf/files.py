"""Finding the files a model is made of: under its root, or from memory."""

import errno
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from newtonlite.core.errors import ParseError

from .read import Node, parse

MAX_BYTES = 1 << 30
"""Largest file that a model names."""
NOT_A_PATH = "file://", "http://", "https://", "package://"


class Files:
    """Where a model's files come from.

    ``assets`` (name to bytes) is asked first, then ``resolver(base directory or None, path)``, then the disk below ``root``.
    Files outside ``root`` are refused unless ``allow_outside``.
    """

    def __init__(self, folder: Path | None, assets: Mapping[str, bytes] | None = None, resolver: Callable | None = None, allow_outside: bool = False):
        self.folder = folder
        self.assets = dict(assets or {})
        self.resolver = resolver
        self.root = None if allow_outside or folder is None else root_of(folder)

    def beside(self, name: str) -> "Files":
        """The files of a model that was read from here, by its file name."""
        folder = Path(name).absolute().parent if name not in self.assets else self.folder
        other = Files(folder, self.assets, self.resolver, allow_outside=True)
        other.root = self.root
        return other

    def read(self, node: Node, attr: str, *folders: str) -> tuple[bytes, str]:
        """Contents and name of the file that an attribute names, looked for below ``folders`` of the model's own."""
        text = node.values.get(attr) or node.attrs.get(attr, "")
        if not text or "\0" in text:
            raise node.error("names no file; give a path", attr)
        if text.startswith(NOT_A_PATH) or text.startswith("\\\\"):
            raise node.error(f"'{text}' is not a path of a file on this machine; give one relative to the model", attr)
        inner = os.path.join(*folders, text).replace("\\", "/") if folders else text.replace("\\", "/")
        for key in (inner, os.path.normpath(inner), text):
            if key in self.assets:
                return self.assets[key], key
        path = self.locate(node, attr, inner)
        try:
            return contents(path), str(path)
        except IsADirectoryError:
            raise node.error(f"'{text}' is a folder, not a file", attr) from None
        except FileNotFoundError:
            raise node.error(f"file '{text}' does not exist (looked for {path})", attr) from None
        except OSError as problem:
            raise node.error(f"file '{text}' cannot be read ({problem.strerror})", attr) from None

    def locate(self, node: Node, attr: str, inner: str) -> Path:
        """The path on disk; ParseError where it leaves the root."""
        if self.resolver is not None:
            found = Path(self.resolver(None if self.folder is None else str(self.folder), inner))
            return found
        if self.folder is None and not os.path.isabs(inner):
            base = Path.cwd()
        else:
            base = self.folder or Path("/")
        path = Path(os.path.normpath(base / inner))
        root = self.root or (None if self.folder is not None else base)
        if root is not None and not _inside(path, root):
            raise node.error(f"'{inner}' is outside the model's root {root}; move it there, or pass allow_outside=True", attr)
        return path


def contents(path: Path) -> bytes:
    """What is in a file; OSError also for those larger than MAX_BYTES, and for what never ends, such as pipes."""
    found = path.stat()
    if found.st_size > MAX_BYTES:
        raise OSError(errno.EFBIG, f"it has {found.st_size} bytes; at most {MAX_BYTES} are read")
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe")
    return path.read_bytes()


def root_of(folder: Path) -> Path:
    """The folder a model may read from: its own, or the one above, where robots keep meshes that several models share."""
    resolved = Path(os.path.realpath(folder))
    return resolved.parent if len(resolved.parts) > 2 else resolved


def _inside(path: Path, root: Path) -> bool:
    real = Path(os.path.realpath(path))
    return real == root or root in real.parents


def load_root(source: str, files: Callable[[Path | None], Files]) -> tuple[Node, Files]:
    """The root node of a path or of a text, and the files around it."""
    if source.lstrip().startswith("<"):
        return parse(source.encode("utf-8", "surrogatepass"), "<string>"), files(None)
    path = Path(source)
    try:
        data = path.read_bytes()
    except IsADirectoryError:
        raise ParseError(f"{source}: is a folder; name the model file in it") from None
    except FileNotFoundError:
        raise ParseError(f"{source}: there is no such file; give a path, or the XML itself starting with '<'") from None
    except (OSError, ValueError) as problem:
        raise ParseError(f"{source[:200]!r}: cannot be read ({problem}); give a path, or the XML itself starting with '<'") from None
    return parse(data, source), files(path.absolute().parent)


def splice(root: Node, files: Files) -> None:
    """Replace every ``include`` by the children of the file it names; a file may be included once."""
    seen: set[str] = {os.path.realpath(root.source.name)}
    stack = [(root, 0)]
    count = 0
    while stack:
        node, depth = stack.pop()
        merged: list[Node] = []
        queue = [(child, depth) for child in reversed(node.children)]
        while queue:
            child, level = queue.pop()
            count += 1
            if child.tag != "include":
                merged.append(child)
                stack.append((child, level))
                continue
            queue += [(c, level + 1) for c in reversed(included(child, files, seen, level))]
        node.children = merged


def included(node: Node, files: Files, seen: set[str], level: int) -> list[Node]:
    """The children of the file that an ``include`` names."""
    extra = [a for a in node.attrs if a != "file"]
    if extra or node.children:
        raise node.error("takes only the attribute 'file' and nothing inside", extra[0] if extra else None)
    if level >= 32:
        raise node.error("files include each other more than 32 deep")
    data, name = files.read(node, "file")
    key = os.path.realpath(name)
    if key in seen:
        raise node.error(f"file '{node.attrs['file']}' is included a second time; a file can be included once", "file")
    seen.add(key)
    root = parse(data, name)
    if not root.children:
        raise node.error(f"file '{node.attrs['file']}' contains nothing to include", "file")
    return root.children
