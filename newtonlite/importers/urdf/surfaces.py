"""Mesh files as vertices and triangles: OBJ, COLLADA and MuJoCo's MSH by our own readers, all others through trimesh."""

from pathlib import PurePosixPath

import numpy as np

from newtonlite.core.errors import ParseError
from newtonlite.geometry.mesh import Mesh
from newtonlite.geometry.mesh_file import check_numerals, file_surface
from newtonlite.importers.mjcf.mesh_files import TooMany, read_msh, refuse_many
from newtonlite.importers.mjcf.read import Node
from newtonlite.importers.urdf.collada import fans, read_collada
from newtonlite.importers.urdf.counts import COUNTS
from newtonlite.importers.urdf.files import RobotFiles

FAR = 1e15
"""Farthest vertex, in the units of the file."""
KINDS = ("stl", "obj", "dae", "msh", "ply", "off", "glb")


class MeshFiles:
    """Loads each file once; vertices [n, 3] in float64, triangles [m, 3], before any scale."""

    def __init__(self, files: RobotFiles):
        self.files = files
        self.read: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.built: dict[tuple, Mesh] = {}

    def of(self, node: Node) -> tuple[np.ndarray, np.ndarray]:
        """The surface of a ``mesh`` element. ParseError where there is none."""
        name = node.values["filename"]
        if name not in self.read:
            self.read[name] = load_surface(node, self.files.read(node), name)
        return self.read[name]

    def mesh(self, node: Node, weighs: bool, maxhullvert: int | None, texture: Node | None = None) -> Mesh:
        """The scene's mesh of a ``mesh`` element; shapes of one file and one ``texture`` share it. Textures are of OBJ
        files, whose texture coordinates are read.
        """
        name = node.values["filename"]
        shown = self.picture(texture) if texture is not None and name.lower().endswith(".obj") else None
        key = (name, weighs, shown)
        if key not in self.built:
            found = self.built[key] = Mesh(*self.of(node), compute_inertia=weighs, maxhullvert=maxhullvert)
            found.file = PurePosixPath(name.replace("\\", "/")).name
            found.corner_uvs = None if shown is None else self.uvs(node)
            found.texture = shown if found.corner_uvs is not None else None
        return self.built[key]

    def uvs(self, node: Node) -> np.ndarray | None:
        """Texture coordinates of a ``mesh`` element's file; ParseError where they are damaged."""
        try:
            return obj_uvs(self.files.read(node))
        except (ValueError, IndexError, OverflowError) as problem:
            if isinstance(problem, ParseError):
                raise
            raise node.error(f"its texture coordinates cannot be read ({problem})", "filename") from None

    def picture(self, texture: Node) -> str | None:
        """Path of an image file, None where there is none."""
        try:
            path = self.files.path_of(texture.values["filename"])
        except ParseError:
            return None
        return None if path is None else str(path)


def load_surface(node: Node, data: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a file's contents. ParseError names the element and what is wrong: nothing to read, or
    more than is read.
    """
    kind = PurePosixPath(name.replace("\\", "/")).suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise node.error(f"file '{name}' is of no known kind; use {', '.join(KINDS).upper()}", "filename")
    try:
        check_numerals(data, kind)
        refuse_many(*COUNTS[kind](data) if kind in COUNTS else (0, 0))
        vertices, triangles = READERS[kind](data) if kind in READERS else through_trimesh(data, kind)
        refuse_many(len(vertices), len(triangles))
    except TooMany as problem:
        raise node.error(str(problem)) from None
    except Exception as problem:  # whatever a damaged file does to its reader, the message has a place
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise node.error(f"file '{name}' cannot be read as a mesh ({reason[:160]})", "filename") from None
    if not len(triangles) or not len(vertices):
        raise node.error(f"file '{name}' has no faces", "filename")
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > FAR:
        raise node.error(f"file '{name}' has a vertex that is not finite, or beyond {FAR:g}", "filename")
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        raise node.error(
            f"file '{name}' has a face that names vertex {int(triangles.max())}; there are {len(vertices)}", "filename"
        )
    return vertices, triangles


def obj_corners(data: bytes, kind: str, part: int) -> tuple[list[list[str]], np.ndarray, np.ndarray]:
    """Rows of a kind (``v``, ``vt``) of an OBJ file, the row of each corner of its faces (``part`` between slashes, -1 for
    none), and how many corners each face has.
    """
    rows: list[list[str]] = []
    corners: list[int] = []
    counts: list[int] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words and words[0] == kind:
            rows.append(words[1:4])
        elif words and words[0] == "f":
            texts = [(word.split("/") + [""])[part] for word in words[1:]]
            numbers = [int(text) if text or not part else 0 for text in texts]
            corners += [-1 if n == 0 and part else n - 1 if n > 0 else len(rows) + n for n in numbers]
            counts.append(len(numbers))
    return rows, np.array(corners, np.int64), np.array(counts, np.int64)


def read_obj(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """All faces of an OBJ file, whatever object they belong to; those with more corners become fans."""
    vertices, corners, counts = obj_corners(data, "v", 0)
    if not len(counts):
        raise ParseError("it has no faces")
    return np.array(vertices, float).reshape(-1, 3), fans(corners, counts)


def obj_uvs(data: bytes) -> np.ndarray | None:
    """Texture coordinates [m, 3, 2], v upward, of the corners of an OBJ file's triangles; None where a corner has none."""
    uvs, corners, counts = obj_corners(data, "vt", 1)
    faces = fans(corners, counts)
    if not uvs or not len(faces) or faces.min() < 0 or faces.max() >= len(uvs):
        return None
    return np.array([uv[:2] for uv in uvs], float)[faces]


READERS = {"obj": read_obj, "dae": read_collada, "msh": read_msh}


def through_trimesh(data: bytes, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """All triangles of a file in one frame."""
    vertices, triangles = file_surface(data, kind)
    if kind == "stl":  # every triangle has corners of its own there
        vertices, same = np.unique(vertices, axis=0, return_inverse=True)
        triangles = np.asarray(same).reshape(-1)[triangles]
    return vertices, triangles
