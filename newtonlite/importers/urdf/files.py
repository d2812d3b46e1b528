"""Finding the mesh files that a robot names: beside it, in its packages, or in memory."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from newtonlite.importers.mjcf.files import contents, root_of
from newtonlite.importers.mjcf.read import Node

PACKAGES = ("package://", "model://")
UPWARD = 8
"""How many folders above the robot are searched for packages."""


class Files:
    """Where a robot's files come from.

    ``assets`` (name to bytes) is asked first.  ``package://name/rest`` is looked for in ``package_dirs``, then in the folders from
    the robot's upward.  Other names are relative to the robot's folder, or bare names in ``mesh_folder`` below it.  What is not in
    the folder above the robot's, or in a package, needs ``allow_outside``.
    """

    def __init__(
        self,
        folder: Path | None,
        assets: Mapping[str, bytes] | None = None,
        package_dirs: Sequence[str] = (),
        allow_outside: bool = False,
        mesh_folder: str = "",
    ):
        self.folder = Path(os.path.abspath(folder or Path.cwd()))
        self.assets = dict(assets or {})
        self.package_dirs = [Path(os.path.abspath(d)) for d in package_dirs]
        self.allow_outside = allow_outside
        self.mesh_folder = mesh_folder

    def read(self, node: Node, attr: str = "filename") -> bytes:
        """Contents of the file that an attribute names; ParseError where it cannot be had."""
        text = node.values[attr].strip().replace("\\", "/")
        if not text or "\0" in text:
            raise node.error("names no file; give a path", attr)
        base = PurePosixPath(text).name
        for key in (node.values[attr], text, base):
            if key in self.assets:
                return self.assets[key]
        scheme = text.partition("://")[0] if "://" in text else ""
        if scheme not in ("", "package", "model", "file"):
            raise node.error(f"'{text}' is not a path of a file on this machine; download it, and give a path", attr)
        tried = []
        for path, root in self.places(text):
            tried.append(path)
            if not os.path.isfile(path):  # unlike Path.is_file, False for names that no file can have
                continue
            if not (self.allow_outside or inside(path, root)):
                raise node.error(f"'{text}' is outside the robot's root {root}; move it there, or pass allow_outside=True", attr)
            try:
                return contents(path)
            except OSError as problem:
                raise node.error(f"file '{text}' cannot be read ({problem.strerror})", attr) from None
        hint = "name the folder of the package in package_dirs" if text.startswith(PACKAGES) else f"looked for {tried[0]}"
        raise node.error(f"file '{text}' does not exist ({hint})", attr)

    def places(self, text: str) -> Iterator[tuple[Path, Path]]:
        """Where a file may be, and the folder it may not leave."""
        near = root_of(self.folder)
        plain = text.removeprefix("file://")
        if text.startswith(PACKAGES):
            package, _, plain = text.partition("://")[2].partition("/")
            above = [folder for folder in (self.folder, *self.folder.parents)[:UPWARD] if len(folder.parts) > 2]
            for folder in (*self.package_dirs, *above):
                for root in (folder / package, folder):
                    if package not in ("", ".", "..") and root.name == package:
                        yield normal(root / plain), root
        for folder in (self.folder, *self.package_dirs, near):
            yield normal(folder / plain), folder if folder in self.package_dirs else near
        yield normal(self.folder / self.mesh_folder / PurePosixPath(plain).name), near


def inside(path: Path, root: Path) -> bool:
    """Whether a path, links followed, is in a folder."""
    return Path(os.path.realpath(root)) in Path(os.path.realpath(path)).parents


def normal(path: Path) -> Path:
    """A path without ``..``."""
    return Path(os.path.normpath(path))
