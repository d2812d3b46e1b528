"""Mesh file resolution of a robot: beside it, in its packages, or in memory."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from newtonlite.core.errors import FileError, MissingFileError, ParseError
from newtonlite.core.files import read_file
from newtonlite.importers.mjcf.files import may_leave, readable_folder
from newtonlite.importers.mjcf.read import Node

PACKAGES = ("package://", "model://")
MANIFESTS = ("package.xml", "model.config")
"""Files that make a folder a package of ROS or Gazebo."""
SEARCHED = {
    "AMENT_PREFIX_PATH": "share",
    "GAZEBO_MODEL_PATH": "",
    "GZ_SIM_RESOURCE_PATH": "",
    "IGN_GAZEBO_RESOURCE_PATH": "",
    "ROS_PACKAGE_PATH": "",
    "SDF_PATH": "",
}
"""Environment variables that list folders of packages, and where below these the packages are."""
UPWARD = 8
"""Number of folders above the robot that are searched for packages."""


class RobotFiles:
    """Files that a robot names, and the places where they are looked for.

    ``assets`` (name to bytes) is asked first.  ``package://name/rest`` is looked for in ``package_dirs``, then in the
    folders from the robot's upward, then in those that the variables of ROS and Gazebo list.  ``file:`` URIs are
    absolute.  Other names are relative to the robot's folder, or bare names in ``mesh_folder`` below it.  With
    ``allow_outside=False`` only what is in the folder above the robot's is read, in the package around it (a folder with
    one of ``MANIFESTS``), in ``package_dirs``, and in the folders that the variables list, symbolic links followed.
    """

    def __init__(
        self,
        folder: Path | None,
        assets: Mapping[str, bytes] | None = None,
        package_dirs: Sequence[str] = (),
        allow_outside: bool | None = None,
        mesh_folder: str = "",
    ):
        self.folder = Path(os.path.abspath(folder or Path.cwd()))
        self.assets = dict(assets or {})
        self.package_dirs = [Path(os.path.abspath(d)) for d in package_dirs]
        self.allow_outside = may_leave(allow_outside)
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
        try:
            path, root, tried = self.locate(text)
        except ParseError as problem:
            raise node.error(str(problem), attr) from None
        if path is None and root is not None:
            raise node.error(
                f"'{text}' is outside the robot's root {root}; move it there, or pass allow_outside=True", attr
            )
        if path is None:
            raise MissingFileError(str(node.error(f"file '{text}' does not exist ({self.hint(text, tried)})", attr)))
        try:
            return read_file(path, "asset")
        except FileError as problem:
            raise node.error(f"file '{text}' {problem.reason}; name a file that can be read", attr) from None

    def locate(self, text: str) -> tuple[Path | None, Path | None, list[Path]]:
        """The first place that has a file which may be read, and all places that were looked at; where there are only
        others, None and the folder that they should lie in. ParseError for URIs that name none.
        """
        scheme = text.partition(":")[0].lower() if "://" in text or text.lower().startswith("file:") else ""
        if scheme not in ("", "package", "model", "file"):
            raise ParseError(f"'{text}' is not a path of a file on this machine; download it, and give a path")
        tried, kept_out = [], None
        for path, root in self.places(text):
            tried.append(path)
            if not os.path.exists(path) or os.path.isdir(path):  # False, not an error, for names that no file can have
                continue
            if self.allow_outside or inside(path, root):
                return path, root, tried
            kept_out = kept_out or root
        return None, kept_out, tried

    def path_of(self, text: str) -> Path | None:
        """Path of a file, None where it is nowhere, or where it may not be read from."""
        return self.locate(text.strip().replace("\\", "/"))[0]

    def hint(self, text: str, tried: list[Path]) -> str:
        """Hint for a file that is nowhere."""
        if text.lower().startswith(PACKAGES):
            return "Could not resolve URI; name the folder of the package in package_dirs"
        return ("Could not resolve URI; " if text.lower().startswith("file:") else "") + f"looked for {tried[0]}"

    def places(self, text: str) -> Iterator[tuple[Path, Path]]:
        """Candidate paths of a file, each with the folder that it lies in where models do not leave theirs."""
        near = readable_folder(self.folder)
        plain = text
        if text.lower().startswith("file:"):
            plain = unquote(text[5:].removeprefix("//"))
            if (absolute := local_path(text)) is not None:
                yield normal(absolute), near
                return
        if text.lower().startswith(PACKAGES):
            package, _, plain = text.partition("://")[2].lstrip("/").partition("/")
            yield from self.in_packages(package, plain)
        for folder in (self.folder, *self.package_dirs, near):
            yield normal(folder / plain), folder if folder in self.package_dirs else near
        yield normal(self.folder / self.mesh_folder / PurePosixPath(plain).name), near

    def in_packages(self, package: str, plain: str) -> Iterator[tuple[Path, Path]]:
        """Candidate paths of a file of a package."""
        near, trusted = readable_folder(self.folder), [(folder, folder) for folder in self.package_dirs]
        for folder in (self.folder, *self.folder.parents)[:UPWARD]:
            if len(folder.parts) > 2:
                own = any((folder / name).is_file() for name in MANIFESTS)
                trusted.append((folder, folder if own else near))
        trusted += [(folder, folder) for folder in package_folders()]
        for folder, root in trusted:
            for place in (folder / package, folder):
                if package not in ("", ".", "..") and place.name == package:
                    yield normal(place / plain), root
                    yield normal(place / unquote(plain)), root


def local_path(uri: str) -> Path | None:
    """The absolute path of a ``file:`` URI, None for one without; ParseError for one of another machine."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.netloc.lower() not in ("", "localhost") and path:
        raise ParseError(f"'{uri}' is an Invalid local file URI: it names another machine; give a path on this one")
    if path.replace("\\", "/").startswith("//") or parts.query or parts.fragment:
        raise ParseError(f"'{uri}' is an Invalid local file URI; give an absolute path")
    return Path(url2pathname(parts.path)) if path.startswith("/") else None


def package_folders() -> Iterator[Path]:
    """The folders of packages that the environment lists."""
    for name, below in SEARCHED.items():
        for folder in os.environ.get(name, "").split(os.pathsep):
            if folder.strip():
                yield Path(os.path.abspath(folder.strip())) / below


def inside(path: Path, root: Path) -> bool:
    """Whether a path, links followed, is in a folder."""
    return Path(os.path.realpath(root)) in Path(os.path.realpath(path)).parents


def normal(path: Path) -> Path:
    """A path without ``..``."""
    return Path(os.path.normpath(path))
