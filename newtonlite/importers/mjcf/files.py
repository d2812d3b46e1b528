"""File resolution of a model's assets and includes, on disk or in memory."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from newtonlite.core.errors import FileError, MissingFileError, ModelError
from newtonlite.core.files import inside, read_file
from newtonlite.core.settings import setting
from newtonlite.importers.mjcf.read import MAX_ELEMENTS, Node, parse
from newtonlite.importers.report import Report

MAX_INCLUDE = 32
"""Deepest chain of files that include files."""
NOT_A_PATH = "file://", "http://", "https://", "package://"


class Files:
    """Files that a model names, and the places where they are looked for.

    ``assets`` (name to bytes) is asked first, then ``resolver(folder of the file that speaks or None, path)``, then the
    disk: MuJoCo's place, in the main model's folder, then the folder of the file that speaks.  Models are trusted to
    read what they name; with ``allow_outside=False`` they read nothing outside the folder above their own.  None leaves
    that to the setting NEWTONLITE_ALLOW_OUTSIDE (``core/settings.py``).
    """

    def __init__(
        self,
        folder: Path | None,
        assets: Mapping[str, bytes] | None = None,
        resolver: Callable | None = None,
        allow_outside: bool | None = None,
    ):
        self.folder = folder
        self.assets = dict(assets or {})
        self.resolver = resolver
        self.root = None if may_leave(allow_outside) else readable_folder(folder or Path.cwd())
        self.own: dict[str, dict[str, str]] = {}
        """Compiler settings that a file gives itself, by its name."""

    def beside(self, name: str) -> "Files":
        """The files of a model that was read from here, by its file name."""
        folder = Path(name).absolute().parent if name not in self.assets else self.folder
        other = Files(folder, self.assets, self.resolver, allow_outside=True)
        other.root = self.root
        return other

    def read(self, node: Node, attr: str, *folders: str, kind: str = "") -> tuple[bytes, str]:
        """Contents and name of the file that an attribute names, looked for below ``folders`` of the model's own;
        ``kind`` is that of an asset.
        """
        text = node.values.get(attr) or node.attrs.get(attr, "")
        if not text or "\0" in text:
            raise node.error("names no file; give a path", attr)
        if self.resolver is None and (text.startswith(NOT_A_PATH) or text.startswith("\\\\")):
            raise node.error(f"'{text}' is not a path of a file on this machine; give one relative to the model", attr)
        inner = os.path.join(*folders, text).replace("\\", "/") if folders else text.replace("\\", "/")
        for key in (inner, os.path.normpath(inner), text):
            if key in self.assets:
                return self.assets[key], key
        found = self.resolved(node, text, inner, kind)
        if isinstance(found, bytes):
            return found, f"<{text}>"
        path = found or self.locate(node, attr, text, inner, kind)
        try:
            return read_file(path, "model" if node.tag in ("include", "model") else "asset"), str(path)
        except MissingFileError:
            raise MissingFileError(str(node.error(f"file '{text}' does not exist (looked for {path})", attr))) from None
        except FileError as problem:
            raise node.error(f"file '{text}' {problem.reason}; name a file that can be read", attr) from None

    def resolved(self, node: Node, text: str, inner: str, kind: str) -> Path | bytes | None:
        """Path that the caller's own resolver makes of a text: another one, or the text itself; None without a
        resolver."""
        if self.resolver is None:
            return None
        base, own = folder_of(node), self.own.get(node.source.name)
        wanted = os.path.join(folder_in(own, kind), text) if own and kind else inner
        found = self.resolver(None if base is None else str(base), wanted)
        return found.encode() if isinstance(found, str) and found.lstrip().startswith("<") else Path(found)

    def locate(self, node: Node, attr: str, text: str, inner: str, kind: str) -> Path:
        """The path on disk: the first place that has the file, else MuJoCo's. ParseError where it leaves the root."""
        if self.folder is None and node.tag == "include" and not os.path.isabs(inner):
            raise node.error(
                f"Cannot resolve relative path '{text}' without base directory; give an absolute path, or the file in assets",
                attr,
            )
        places = list(dict.fromkeys(os.path.normpath(place) for place in self.places(node, text, inner, kind)))
        path = Path(next((place for place in places if os.path.isfile(place)), places[0]))
        if self.root is not None and not inside(path, self.root):
            raise node.error(
                f"'{inner}' is outside the model's root {self.root}; move it there, or pass allow_outside=True", attr
            )
        return path

    def places(self, node: Node, text: str, inner: str, kind: str) -> Iterator[Path]:
        """Candidate paths of a file, MuJoCo's place first."""
        text, main, beside = text.replace("\\", "/"), self.folder or Path.cwd(), folder_of(node)
        yield main / inner
        yield main / text
        if beside is not None:
            yield beside / text
            yield beside / folder_in(self.own.get(node.source.name, {}), kind) / text


def folder_of(node: Node) -> Path | None:
    """The folder of the file that an element stands in; None for text."""
    name = node.source.name
    return None if name.startswith("<") else Path(name).absolute().parent


def folder_in(settings: Mapping[str, str], kind: str) -> str:
    """The folder of the files of an asset, as compiler settings say."""
    special = settings.get("texturedir" if kind == "texture" else "meshdir")
    return special or settings.get("assetdir") or ""


def may_leave(allow_outside: bool | None) -> bool:
    """Whether models may read what is not below the folder above their own: as the caller says, else as the setting
    does. ModelError for anything but True, False, None.
    """
    if allow_outside is None:
        return setting("NEWTONLITE_ALLOW_OUTSIDE")
    if allow_outside not in (True, False) or isinstance(allow_outside, str):
        raise ModelError(f"allow_outside={allow_outside!r}: expected True, False or None")
    return bool(allow_outside)


def readable_folder(folder: Path) -> Path:
    """The folder a model may read from: its own, or the one above, where robots keep meshes that several models share."""
    resolved = Path(os.path.realpath(folder))
    return resolved.parent if len(resolved.parts) > 2 else resolved


def load_root(source: str, files: Callable[[Path | None], Files]) -> tuple[Node, Files]:
    """The root node of a path or of a text, and the files around it."""
    if source.lstrip().startswith("<"):
        return parse(source.encode("utf-8", "surrogatepass"), "<string>"), files(None)
    data = read_main(source)
    return parse(data, source), files(Path(source).absolute().parent)


def read_main(source: str) -> bytes:
    """Contents of a model's own file."""
    try:
        return read_file(source, "model")
    except MissingFileError:
        raise MissingFileError(
            f"{source}: there is no such file; give a path, or the XML itself starting with '<'"
        ) from None
    except FileError as problem:
        raise FileError(
            f"{source[:200]}: {problem.reason}; give the path of a model file, or the XML itself starting with '<'"
        ) from None


def splice(root: Node, files: Files, report: Report) -> None:
    """Replace every ``include`` by the children of the file it names; ParseError for files that include themselves."""
    count = 0
    remember(root, files)
    seen: dict[str, Node] = {}
    stack = [(root, (os.path.realpath(root.source.name),))]
    while stack:
        node, chain = stack.pop()
        merged: list[Node] = []
        queue = [(child, chain) for child in reversed(node.children)]
        while queue:
            child, inside = queue.pop()
            count += 1
            if count > MAX_ELEMENTS:
                raise child.error(
                    f"the model has more than {MAX_ELEMENTS} elements, those of included files among them"
                )
            if child.tag != "include":
                merged.append(child)
                if child.children:
                    stack.append((child, inside))
                continue
            found, key = included(child, files, inside, seen, report)
            queue += [(c, (*inside, key)) for c in reversed(found)]
        node.children = merged


def included(
    node: Node, files: Files, chain: tuple[str, ...], seen: dict[str, Node], report: Report
) -> tuple[list[Node], str]:
    """The children of the file that an ``include`` names, and which file that is; nothing, with a warning, where it
    names none. ``seen`` has the element that included each file before.
    """
    extra = [a for a in node.attrs if a != "file"]
    if extra or node.children:
        raise node.error("takes only the attribute 'file' and nothing inside", extra[0] if extra else None)
    if not node.attrs.get("file"):
        report.leave_out(node.error("names no file; give a path"))
        return [], ""
    if len(chain) > MAX_INCLUDE:
        raise node.error(f"files include each other more than {MAX_INCLUDE} deep")
    data, name = files.read(node, "file")
    key = os.path.realpath(name)
    if key in chain:
        raise node.error(f"Circular include: file '{node.attrs['file']}' includes itself", "file")
    root = parse(data, name)
    if key in seen and names_something(root):
        raise node.error(
            f"file '{node.attrs['file']}' is already included (first at {seen[key].where()}), and has names that would stand twice; include it once, or attach it as a model",
            "file",
        )
    seen.setdefault(key, node)
    if not root.children:
        raise node.error(f"file '{node.attrs['file']}' contains nothing to include", "file")
    remember(root, files)
    return root.children, key


def names_something(root: Node) -> bool:
    """Whether an element has a name, or is a default class: such a file is included once. MuJoCo includes no file
    twice, Newton any.
    """
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        if "name" in node.attrs or node.tag == "default":
            return True
        open_nodes += node.children
    return False


def remember(root: Node, files: Files) -> None:
    """Note the compiler settings that a file gives itself, before they become those of the whole model."""
    for node in root.children:
        if node.tag == "compiler":
            files.own.setdefault(root.source.name, {}).update(node.attrs)
