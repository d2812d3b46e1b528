"""Files of recordings: NumPy's .npz with meshes, colours, times and packed poses. Reading gives back every bit that was
written.
"""

import json
import zipfile
from pathlib import Path

import numpy as np

from newtonlite.core.archive import BROKEN, Archive, room
from newtonlite.core.errors import FileError
from newtonlite.core.files import open_file
from newtonlite.core.replacing import replacing_file
from newtonlite.viewer.batches import Appearance, GroundPlane, InstanceBatch, Layer
from newtonlite.viewer.recording.pack import packed, unpacked
from newtonlite.viewer.recording.recording import Recording
from newtonlite.viewer.recording.soft import NUMBERS, parsed_mesh, within
from newtonlite.viewer.soft import ARRAYS
from newtonlite.viewer.surfaces import Surface

FORMAT = "newtonlite recording 1"
PARTS = ("vertices", "faces", "uvs", "normals", "bodies", "worlds", "colors", "opacity", "texture")

FIXED = ("header", "times", "numbers", "poses", "start", "body_world")
"""Arrays that every recording has."""


def save(recording: Recording, path) -> Path:
    """Write a recording to a file; ``.npz`` is added where the name has no ending."""
    path = Path(path)
    path = path if path.suffix else path.with_suffix(".npz")
    look = recording.look
    header = {
        "format": FORMAT,
        "shape": list(recording.body_q.shape),
        "world_count": look.world_count,
        "body_label": look.body_label,
        "grounds": [[ground.height, *map(float, ground.color)] for ground in look.grounds],
        "more": {name: list(values.shape) for name, values in recording.more.items()},
        "batches": [{"name": b.name, "layer": [int(v) for v in b.layer]} for b in look.batches],
        "soft": [{name: getattr(mesh, name) for name in NUMBERS} for mesh in look.soft],
    }
    arrays = {
        "header": np.frombuffer(json.dumps(header).encode(), np.uint8),
        "times": recording.times.astype(np.float64),
        "numbers": recording.worlds,
        "poses": packed(recording.body_q),
        "start": look.body_q.astype(np.float32),
        "body_world": look.body_world,
    }
    arrays |= {f"more_{name}": packed(values) for name, values in recording.more.items()}
    frames = {"poses": recording.body_q} | {f"more_{name}": values for name, values in recording.more.items()}
    raw = sum(values.nbytes for values in frames.values())
    still = raw > room(sum(arrays[name].nbytes for name in frames) // 2, "recording")
    if still:  # hardly anything moves: packed, it would be taken for a bomb
        arrays |= {name: packed(values, 0) for name, values in frames.items()}
    for k, batch in enumerate(look.batches):
        values = {**batch.surface._asdict(), **{name: getattr(batch, name) for name in PARTS[4:]}}
        arrays |= {f"batch{k}_{name}": values[name] for name in PARTS if values[name] is not None}
    for k, mesh in enumerate(look.soft):
        arrays |= {f"soft{k}_{name}": getattr(mesh, name) for name in ARRAYS}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing_file(path) as file:
        (np.savez if still else np.savez_compressed)(file, **arrays)
    return path


def load(path) -> Recording:
    """Read a recording; ValueError names the file and what is wrong with it."""
    try:
        with open_file(path, "recording") as file:
            return parsed(Archive(file, "recording"))
    except FileError:
        raise
    except OSError as problem:
        raise FileError(path, f"cannot be read ({problem.strerror or problem})") from None
    except BROKEN as problem:
        raise FileError(
            path, f"is not a recording ({' '.join(str(problem).split()) or type(problem).__name__})"
        ) from None


def parsed(archive: Archive) -> Recording:
    """The recording in an archive; ValueError where its arrays do not fit together. Nothing is unpacked that the header
    does not speak of.
    """
    header = json.loads(archive.array("header").tobytes())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    shape = tuple(int(n) for n in header["shape"])
    sizes = {str(name): tuple(int(n) for n in given) for name, given in header["more"].items()}
    check_shapes(shape, sizes, archive.room)
    expected = [*FIXED, *(f"more_{name}" for name in sizes)]
    expected += [f"batch{k}_{name}" for k in range(len(header["batches"])) for name in PARTS]
    soft_rows = list(header.get("soft", []))
    expected += [f"soft{k}_{name}" for k in range(len(soft_rows)) for name in ARRAYS]
    archive.expect({f"{name}.npy" for name in expected})
    arrays = {name: archive.array(name) for name in expected if f"{name}.npy" in archive.names}
    labels, world_count = [str(label) for label in header["body_label"]], int(header["world_count"])
    body_world, times = arrays["body_world"].astype(int), arrays["times"].astype(float)
    if (
        len(labels) != shape[1]
        or body_world.shape != (shape[1],)
        or times.shape != (shape[0],)
        or arrays["start"].shape != shape[1:]
    ):
        raise ValueError("names, worlds or times of another number than there are bodies or frames")
    batches = [parsed_batch(arrays, k, row, shape[1], world_count) for k, row in enumerate(header["batches"])]
    if not within(body_world, -1, world_count):
        raise ValueError("bodies of worlds that are not there")
    grounds = [GroundPlane(float(row[0]), np.array(row[1:4], float)) for row in header["grounds"]]
    soft = [
        parsed_mesh({name: arrays[f"soft{k}_{name}"] for name in ARRAYS}, row, shape[1], world_count)
        for k, row in enumerate(soft_rows)
    ]
    look = Appearance(batches, grounds, world_count, arrays["start"].astype(np.float32), labels, body_world, soft)
    more = {name: unpacked(arrays[f"more_{name}"], size) for name, size in sizes.items()}
    return Recording(look, arrays["numbers"].astype(int), times, unpacked(arrays["poses"], shape), more)


def check_shapes(shape: tuple[int, ...], more: dict[str, tuple[int, ...]], room: int) -> None:
    """ValueError for shapes that are none, or together larger than what is read."""
    if len(shape) != 3 or shape[0] < 1 or shape[1] < 0 or shape[2] != 7:
        raise ValueError(f"poses of shape {shape}")
    total = 4.0 * np.prod(shape, dtype=float)
    for name, sizes in more.items():
        if len(sizes) < 2 or sizes[0] != shape[0] or min(sizes) < 0:
            raise ValueError(f"{name} of shape {sizes}")
        total += 4.0 * np.prod(sizes, dtype=float)
    if total > room:
        raise ValueError(f"its frames would have {total:.0f} bytes; at most {room} are read")


def parsed_batch(arrays: dict, k: int, row: dict, body_count: int, world_count: int) -> InstanceBatch:
    """One batch of a file."""
    found = {name: arrays.get(f"batch{k}_{name}") for name in PARTS}
    surface = Surface(
        found["vertices"].astype(np.float32), found["faces"].astype(np.int32), found["uvs"], found["normals"]
    )
    count = len(found["bodies"])
    if surface.vertices.ndim != 2 or surface.faces.ndim != 2 or not within(surface.faces, 0, len(surface.vertices)):
        raise ValueError(f"the mesh {row['name']} has triangles without corners")
    if not (within(found["bodies"], -1, body_count) and within(found["worlds"], -1, world_count)):
        raise ValueError(f"the mesh {row['name']} is carried by bodies or worlds that are not there")
    if (
        found["worlds"].shape != (count,)
        or found["colors"].shape != (count, 3)
        or found["opacity"].shape != (count,)
        or not count
    ):
        raise ValueError(f"the mesh {row['name']} has colours of another number than copies")
    group, visual, collides, site = (int(value) for value in row["layer"])
    return InstanceBatch(
        str(row["name"]),
        surface,
        Layer(group, bool(visual), bool(collides), bool(site)),
        found["bodies"].astype(int),
        found["worlds"].astype(int),
        found["colors"].astype(float),
        found["opacity"].astype(float),
        found["texture"],
    )


def is_recording(path) -> bool:
    """Whether a file looks like one of these."""
    try:
        with open_file(path, "recording") as file:
            return "header.npy" in zipfile.ZipFile(file).namelist()
    except (OSError, *BROKEN):
        return False
