"""Kinds of files, beside models, that ``fuzz_import`` mutates: meshes, pictures, recordings, compiled models, settings."""

import io
import os
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from newtonlite.core.settings import SETTINGS, setting
from newtonlite.geometry.mesh import Mesh
from newtonlite.images.picture import read_picture
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.binary import load_model, save_model
from newtonlite.viewer.batches import appearance
from newtonlite.viewer.png import encode
from newtonlite.viewer.recording.file import load, save
from newtonlite.viewer.recording.recording import Recording

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
SCENE = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
DAE = """<COLLADA><asset><unit meter="1"/></asset><library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="a" count="12">{points}</float_array><technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<vcount>3 3 3 3</vcount><p>{faces}</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s">
<node><translate>1 0 0</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


class Kind(NamedTuple):
    """Kind of file: its corpus, and a reader of a mutated one, whose errors begin with ``place``."""

    corpus: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    place: str


@cache
def folder() -> Path:
    """A folder for one process."""
    return Path(tempfile.mkdtemp())


def written(data: bytes, name: str) -> Path:
    """A file with these contents."""
    path = folder() / name
    path.write_bytes(data)
    return path


def meshes(kind: str) -> list[bytes]:
    """A tetrahedron in one format."""
    if kind == "msh":
        parts = (np.array([4, 0, 0, 4], "<i4"), CORNERS.astype("<f4"), FACES.astype("<i4"))
        return [b"".join(part.tobytes() for part in parts)]
    if kind == "dae":
        points, faces = (" ".join(str(x) for x in array.ravel()) for array in (CORNERS, FACES))
        return [DAE.format(points=points, faces=faces).encode()]
    import trimesh

    data = trimesh.Trimesh(CORNERS, FACES, process=False).export(file_type=kind)
    return [data if isinstance(data, bytes) else data.encode()]


def read_mesh(kind: str, data: bytes) -> None:
    """Read a mesh file by URDF, by MJCF where that knows the format, and alone."""
    shape = f"<collision><geometry><mesh filename='m.{kind}'/></geometry></collision>"
    ModelBuilder().add_urdf(f"<robot name='r'><link name='a'>{shape}</link></robot>", assets={f"m.{kind}": data})
    if kind in ("obj", "stl", "msh"):
        text = f"<mujoco><asset><mesh name='m' file='m.{kind}'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
        ModelBuilder().add_mjcf(text, assets={f"m.{kind}": data})


def read_alone(kind: str, data: bytes) -> None:
    """Read a mesh file by itself."""
    Mesh.create_from_file(str(written(data, f"m.{kind}")), compute_inertia=False)


def pictures() -> list[bytes]:
    """PNG files of several kinds, plain and interlaced."""
    rng = np.random.default_rng(0)
    files = [encode(rng.integers(0, 256, (5, 7, 3), np.uint8)), encode(np.full((40, 40, 3), 7, np.uint8))]
    try:
        from PIL import Image
    except ImportError:
        return files
    for mode in ("L", "LA", "RGBA", "P", "1", "I;16"):
        out = io.BytesIO()
        Image.new(mode, (9, 6)).save(out, "PNG")
        files.append(out.getvalue())
    for kind in ("JPEG", "BMP", "GIF"):
        out = io.BytesIO()
        Image.new("RGB", (9, 6), (1, 2, 3)).save(out, kind)
        files.append(out.getvalue())
    return files


@cache
def scene():
    """A small scene."""
    builder = ModelBuilder()
    builder.add_mjcf(SCENE)
    return builder.finalize(device="cpu")


def recordings() -> list[bytes]:
    """A recording; packed, and stored, so that changes reach its arrays."""
    frames = np.random.default_rng(0).standard_normal((4, 1, 7)).astype(np.float32)
    one = Recording(appearance(scene()), np.arange(1), np.arange(4.0), frames, {"body_qd": frames[..., :6]})
    packed = save(one, folder() / "r.npz").read_bytes()
    return [packed, stored(packed)]


def stored(data: bytes) -> bytes:
    """An archive without compression."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w") as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    return out.getvalue()


def compiled() -> list[bytes]:
    """A compiled model."""
    data = save_model(compile_model(scene()), folder() / "m.nlm").read_bytes()
    return [data, stored(data)]


def words() -> list[bytes]:
    """What settings are set to."""
    return [b"0", b"1", b"true", b"no", b"off", b"wait", b"background", b" 0", b"/tmp"]


def read_settings(data: bytes) -> None:
    """Set one of the settings to a text and ask for it: a value, or an error that names it."""
    name = sorted(SETTINGS)[len(data) % len(SETTINGS)]
    before = os.environ.get(name)
    os.environ[name] = data.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    try:
        setting(name)
    finally:
        os.environ.pop(name)
        os.environ.update({} if before is None else {name: before})


KINDS = {
    **{
        kind: Kind(lambda kind=kind: meshes(kind), lambda data, kind=kind: read_mesh(kind, data), "<string>:1:")
        for kind in ("obj", "stl", "msh", "dae", "ply", "off", "glb")
    },
    **{
        f"{kind} alone": Kind(lambda kind=kind: meshes(kind), lambda data, kind=kind: read_alone(kind, data), "/")
        for kind in ("obj", "stl", "ply", "off", "glb")
    },
    "picture": Kind(pictures, lambda data: read_picture(written(data, "p")), "/"),
    "recording": Kind(recordings, lambda data: load(written(data, "r.npz")), "/"),
    "compiled model": Kind(compiled, lambda data: load_model(written(data, "m.nlm")), "/"),
    "setting": Kind(words, read_settings, "NEWTONLITE_"),
}
