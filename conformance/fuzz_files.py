"""Kinds of files, beside models, that ``fuzz_import`` mutates: meshes, meshes of soft bodies and of distance fields, skins,
pictures, recordings, compiled models, archives of GPU kernels, checkpoints of training, settings.
"""

import io
import os
import struct
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.core.kernel_archive import pack, take
from newtonlite.core.kernel_module import cache_folder
from newtonlite.core.settings import SETTINGS, setting
from newtonlite.geometry.mesh import Mesh
from newtonlite.images.picture import read_picture
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers import SolverMuJoCo
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


def gmsh() -> list[bytes]:
    """A tetrahedron as gmsh writes it: versions 2.2 and 4.1, as text and binary."""
    one = struct.pack("<i", 1)
    points = "".join(f"{k} {x:g} {y:g} {z:g}\n" for k, (x, y, z) in enumerate(CORNERS, 1))
    text_22 = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{points}$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"
    places = "".join(f"{x:g} {y:g} {z:g}\n" for x, y, z in CORNERS)
    text_41 = (
        f"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n{places}$EndNodes\n"
        "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n"
    )
    binary = b"".join(struct.pack("<i3d", k, *corner) for k, corner in enumerate(CORNERS, 1))
    binary_22 = [
        b"$MeshFormat\n2.2 1 8\n",
        one,
        b"\n$EndMeshFormat\n$Nodes\n4\n",
        binary,
        b"\n$EndNodes\n$Elements\n1\n",
    ]
    binary_22 += [struct.pack("<10i", 4, 1, 2, 1, 0, 1, 1, 2, 3, 4), b"\n$EndElements\n"]
    binary_41 = [b"$MeshFormat\n4.1 1 8\n", one, b"\n$EndMeshFormat\n$Nodes\n"]
    binary_41 += [struct.pack("<4q3iq4q", 1, 4, 1, 4, 3, 1, 0, 4, 1, 2, 3, 4), CORNERS.astype("<f8").tobytes()]
    binary_41 += [b"\n$EndNodes\n$Elements\n", struct.pack("<4q3iq5q", 1, 1, 1, 1, 3, 1, 4, 1, 1, 1, 2, 3, 4)]
    return [text_22.encode(), text_41.encode(), b"".join(binary_22), b"".join([*binary_41, b"\n$EndElements\n"])]


def read_model(text: str, assets: dict[str, bytes]) -> None:
    """Read MJCF with files, and compile it; all numbers are finite then."""
    builder = ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text, assets=assets)
    try:
        found = compile_model(builder.finalize(device="cpu"))
    except ModelError as problem:
        raise ModelError(f"<string>:1: {problem}") from problem  # of a scene, which has names in place of lines
    for name in (
        "flex_vert0",
        "flex_vert",
        "skin_vert",
        "skin_bonebindpos",
        "skin_bonebindquat",
        "oct_coeff",
        "oct_aabb",
    ):
        if not np.isfinite(getattr(found, name)).all():
            raise ArithmeticError(f"{name} has a number that is not finite")


def read_gmsh(data: bytes) -> None:
    """Read a soft body of tetrahedra."""
    read_model(
        "<mujoco><worldbody><flexcomp name='f' type='gmsh' dim='3' file='m.msh' mass='1'/></worldbody></mujoco>",
        {"m.msh": data},
    )


def skins() -> list[bytes]:
    """A triangle that follows two bodies, with texture coordinates and without."""
    bones = b""
    for name in (b"a", b"b"):
        bones += name.ljust(40, b"\0") + struct.pack("<7fi3i3f", 0, 0, 0, 1, 0, 0, 0, 3, 0, 1, 2, 0.5, 0.5, 0.5)
    head, points, face = "<4i", CORNERS[:3].astype("<f4").tobytes(), struct.pack("<3i", 0, 1, 2)
    coordinates = np.zeros(6, "<f4").tobytes()
    return [
        struct.pack(head, 3, 3, 1, 2) + points + coordinates + face + bones,
        struct.pack(head, 3, 0, 1, 2) + points + face + bones,
    ]


def read_skin(data: bytes) -> None:
    """Read a skin of two bodies."""
    body = "<body name='{}'><freejoint/><geom size='.1'/></body>"
    text = f"<mujoco><deformable><skin name='s' file='s.skn'/></deformable><worldbody>{body.format('a')}{body.format('b')}</worldbody></mujoco>"
    read_model(text, {"s.skn": data})


def read_octree(data: bytes) -> None:
    """Make the octree of a mesh's distances."""
    read_model(
        "<mujoco><asset><mesh name='m' file='m.obj'/></asset>"
        "<worldbody><body><freejoint/><geom type='sdf' mesh='m'/></body></worldbody></mujoco>",
        {"m.obj": data},
    )


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


def archives() -> list[bytes]:
    """An archive of GPU kernels; packed, and stored."""
    binary = folder() / "wp_made" / "wp_made.sm90.cubin"
    binary.parent.mkdir(exist_ok=True)
    binary.write_bytes(bytes(64))
    binary.with_name("wp_made.meta").write_text("{}")
    pack([binary], folder() / "k.zip")
    packed = (folder() / "k.zip").read_bytes()
    return [packed, stored(packed)]


def read_archive(data: bytes) -> None:
    """Take an archive into a kernel cache; nothing but parts of modules may be there then."""
    with cache_folder(str(folder() / "cache")):
        take(written(data, "k.zip"))
    if strange := [p for p in (folder() / "cache").rglob("*") if p.is_file() and p.parent.name != p.name.split(".")[0]]:
        raise ArithmeticError(f"{strange[0]} was written")


def checkpoints() -> list[bytes]:
    """A checkpoint of training, as torch writes it."""
    from dataclasses import asdict

    import torch

    from newtonlite.learn import checkpoint, ppo

    settings, zeros = ppo.PPOSettings(hidden=(2,)), torch.zeros(1)
    policy = ppo.ActorCritic(2, 2, 1, settings).state_dict()
    learner = {"optimiser": {"state": {}}, "generator": zeros.byte(), "iteration": 1, "learning_rate": 1e-3}
    learner |= {"policy": policy, "reward_norm": {"mean": zeros}, "discounted": zeros}
    state = {"task": "cartpole", "changes": [], "settings": {**asdict(settings), "worlds": 1}, "ppo": learner}
    state |= {"env": {"seed": np.zeros(1, np.int64)}, "rows": [{"steps": 1}], "recent": [], "steps": 1, "seconds": 1.0}
    checkpoint.save(state, folder() / "checkpoint.pt")
    return [(folder() / "checkpoint.pt").read_bytes()]


def read_checkpoint(data: bytes) -> None:
    """Load the policy of a training run, and ask it."""
    import torch

    from newtonlite.learn.runner import load_policy

    policy, *_ = load_policy(written(data, "checkpoint.pt").parent)
    policy.act(torch.zeros(1, policy.actor_norm.mean.numel()))


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
    "gmsh": Kind(gmsh, read_gmsh, "<string>:1:"),
    "skin": Kind(skins, read_skin, "<string>:1:"),
    "octree": Kind(lambda: meshes("obj"), read_octree, "<string>:1:"),
    "picture": Kind(pictures, lambda data: read_picture(written(data, "p")), "/"),
    "recording": Kind(recordings, lambda data: load(written(data, "r.npz")), "/"),
    "compiled model": Kind(compiled, lambda data: load_model(written(data, "m.nlm")), "/"),
    "kernel archive": Kind(archives, read_archive, "/"),
    "checkpoint": Kind(checkpoints, read_checkpoint, "/"),
    "setting": Kind(words, read_settings, "NEWTONLITE_"),
}
