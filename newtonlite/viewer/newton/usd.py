"""ViewerUSD: a recording as USD, a layer of what is seen and a thin layer of samples for each run."""

from pathlib import Path
from typing import Any

import numpy as np

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError, StateError
from newtonlite.exporters.usd.layers import export_layers
from newtonlite.exporters.usd.node import LayerPrim
from newtonlite.exporters.usd.tags import linear
from newtonlite.importers.usd.stage import need_pxr
from newtonlite.viewer.layout import WorldLayout
from newtonlite.viewer.newton.base import ViewerBase, host
from newtonlite.viewer.surfaces import shape_surface
from newtonlite.viewer.touching import contacts_in_world

ROOT = "/root"
GPRIMS = {
    GeoType.SPHERE: "Sphere",
    GeoType.ELLIPSOID: "Sphere",
    GeoType.CAPSULE: "Capsule",
    GeoType.CYLINDER: "Cylinder",
    GeoType.CONE: "Cone",
    GeoType.BOX: "Cube",
}
SUFFIXES = (".usdc", ".usda", ".usd")
CONTACT = 0.01
"""Drawn width of a contact point [m]."""


class ViewerUSD(ViewerBase):
    """Records the motion of a program to USD, which usdview and other programs play.

    Args:
        output_path: the file of samples, ``.usdc``, ``.usda`` or ``.usd``; beside it, ``NAME_model`` of the same ending
            holds the shapes, once.
        fps: frames per second of the recording; a frame is at the time of ``begin_frame`` [s] times this.
        up_axis: "Y" or "Z".
        num_frames: frames after which ``is_running`` says no; None: never.
        scaling: scale of the whole picture.
        points_as_spheres: whether points are drawn as balls; else as points.
        flush_every: frames after which the file is written, so that a killed run leaves a readable one.

    Several worlds that hold the same bodies are recorded as instances, one prim for a body of all of them, and laid out
    by ``set_world_offsets``. A body that rests gets no samples. Contacts are recorded where ``log_contacts`` is called.
    """

    def __init__(
        self,
        output_path: Any,
        fps: int = 60,
        up_axis: str = "Z",
        num_frames: int | None = 100,
        scaling: float = 1.0,
        points_as_spheres: bool = True,
        flush_every: int = 100,
    ):
        need_pxr()
        from pxr import Sdf

        super().__init__()
        self.output_path = Path(output_path)
        if self.output_path.suffix not in SUFFIXES:
            raise ModelError(
                f"output_path {output_path}: ends in '{self.output_path.suffix}'; give one of {', '.join(SUFFIXES)}"
            )
        if fps <= 0 or flush_every < 1 or up_axis not in ("Y", "Z") or not scaling > 0:
            raise ModelError(
                f"fps {fps}, flush_every {flush_every}, up_axis {up_axis!r}, scaling {scaling}: give positive numbers, and Y or Z"
            )
        self.fps, self.up_axis, self.num_frames, self.scaling = fps, up_axis, num_frames, scaling
        self.points_as_spheres, self.flush_every = points_as_spheres, flush_every
        self.model_path = self.output_path.with_name(f"{self.output_path.stem}_model{self.output_path.suffix}")
        self.layout: WorldLayout | None = None
        self.tracks: list[Track] = []
        self.order = self.worlds = np.zeros(0, int)
        self.last: tuple[np.ndarray, np.ndarray] | None = None
        self.frame, self.frame_count, self._running, self._first = 0, 0, True, None
        self.output_path.parent.mkdir(parents=True, exist_ok=True)
        self.samples, self.shapes = self._layer(Sdf), self._layer(Sdf)
        self._drawn = False  # whether the shapes are in their file
        self.samples.subLayerPaths.append(f"./{self.model_path.name}")

    def _layer(self, Sdf):
        layer = Sdf.Layer.CreateAnonymous(self.output_path.suffix)
        for name, value in (("metersPerUnit", 1.0), ("upAxis", self.up_axis)):
            layer.pseudoRoot.SetInfo(name, value)
        layer.timeCodesPerSecond = layer.framesPerSecond = float(self.fps)
        layer.defaultPrim = ROOT[1:]
        return layer

    def set_model(self, model) -> None:
        """Write what is seen of a model; ModelError where another one was recorded already."""
        if model is not None and self.model is not None and model is not self.model:
            raise ModelError("ViewerUSD records one model; make another viewer for another model")
        if model is self.model:
            return
        super().set_model(model)
        if model is None:
            return
        self.layout = WorldLayout(model.world_count, (0.0, 0.0, 0.0))
        self.tracks = Picture(model, self.shapes, self.scaling).write()
        for track in self.tracks:
            track.prepare(self.samples)
        bodies = [track.bodies for track in self.tracks]
        self.order = np.concatenate([np.zeros(0, int), *bodies])
        world = model.body_world.numpy() if model.body_count else np.zeros(0, int)
        self.worlds = world[self.order]

    def set_world_offsets(self, spacing) -> None:
        super().set_world_offsets(spacing)
        self.layout.spread(tuple(spacing))

    def begin_frame(self, time: float) -> None:
        super().begin_frame(time)
        self.frame = int(np.floor(time * self.fps + 1e-4))
        self._first = self.frame if self._first is None else self._first

    def log_state(self, state) -> None:
        """Record where bodies are; StateError where the state does not belong to the model."""
        model = self._needs_model("log_state")
        poses = np.zeros((0, 7), np.float32) if state.body_q is None else state.body_q.numpy()
        if len(poses) != model.body_count:
            raise StateError(f"log_state: a state of {len(poses)} bodies for a model of {model.body_count}")
        if not self.tracks:
            return
        places = (poses[self.order, :3] + self.layout.offsets[self.worlds]) * np.float32(self.scaling)
        turns = poses[self.order, 3:]
        moved = np.ones(len(self.tracks), bool)
        if self.last is not None:
            before, facing = self.last
            turns = np.where((turns * facing).sum(1, keepdims=True) < 0, -turns, turns)
            changed = (places != before).any(1) | (turns != facing).any(1)
            moved = np.logical_or.reduceat(changed, [track.rows.start for track in self.tracks])
        for track, moves in zip(self.tracks, moved.tolist(), strict=True):
            track.add(self.samples, self.frame, places, turns, self.last if moves else None, moves)
        self.last = places, turns

    def log_contacts(self, contacts, state, observables: Any = None) -> None:
        """Record where bodies touch."""
        model = self._needs_model("log_contacts")
        poses = state.body_q.numpy() if state.body_q is not None else np.zeros((0, 7), np.float32)
        found = contacts_in_world(model, contacts, poses)
        self.log_points("/contacts", found.position + self.layout.offsets[found.world], CONTACT)

    def log_points(self, name: str, points, radii=None, colors=None, hidden: bool = False) -> None:
        """Record points [n, 3] with one radius or one each [m]."""
        from pxr import Vt

        places = host(points, 3) if points is not None and not hidden else np.zeros((0, 3), np.float32)
        path = f"{ROOT}/{name.strip('/').replace('/', '_')}"
        kind = "PointInstancer" if self.points_as_spheres else "Points"
        if not self.samples.GetPrimAtPath(path):
            node = LayerPrim(self.samples, path, kind)
            if self.points_as_spheres:
                LayerPrim(self.samples, f"{path}/ball", "Sphere").set("double", radius=1.0)
                node.point("prototypes", f"{path}/ball")
            for attr, type_name in (("positions", "point3f[]"), ("scales", "float3[]"), ("protoIndices", "int[]")):
                if self.points_as_spheres:
                    node.put(type_name, attr, [])
            if not self.points_as_spheres:
                node.put("point3f[]", "points", []).put("float[]", "widths", [])
        count = len(places)
        sizes = np.full(1, CONTACT, np.float32) if radii is None else host(radii).reshape(-1)
        radius = np.broadcast_to(sizes, (count,)) if len(sizes) in (1, count) else np.full(count, CONTACT, np.float32)
        put = lambda attr, value: self.samples.SetTimeSample(f"{path}.{attr}", self.frame, value)
        vectors = lambda array: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(array, np.float32))
        if self.points_as_spheres:
            put("positions", vectors(places * self.scaling))
            put("scales", vectors(np.repeat(radius[:, None] * self.scaling, 3, axis=1)))
            put("protoIndices", Vt.IntArray([0] * count))
        else:
            put("points", vectors(places * self.scaling))
            put("widths", Vt.FloatArray((2.0 * radius * self.scaling).tolist()))

    def end_frame(self) -> None:
        """Count the frame, and write the file when it is time."""
        self.frame_count += 1
        if self.frame_count % self.flush_every == 0:
            self.flush()

    def flush(self) -> None:
        """Write what has been recorded."""
        self.samples.startTimeCode, self.samples.endTimeCode = float(self._first or 0), float(self.frame)
        export_layers({self.output_path: self.samples} | ({} if self._drawn else {self.model_path: self.shapes}))
        self._drawn = True

    def is_running(self) -> bool:
        """Until all frames are recorded, or ``close``."""
        return self._running and (self.num_frames is None or self.frame_count < self.num_frames)

    def close(self) -> None:
        """Write the rest."""
        if self._running:
            self.flush()
        self._running = False


class Track:
    """Bodies that one prim shows: one of a model with one world, or the same body of all worlds as instances.

    Its bodies are the ``rows`` of the arrays of a frame, which hold the bodies of one track after the other.
    """

    __slots__ = ("bodies", "many", "names", "path", "rows", "since")

    def __init__(self, path: str, bodies: np.ndarray, first: int, many: bool):
        self.path, self.bodies, self.many = path, bodies, many
        self.rows = slice(first, first + len(bodies))
        self.names: tuple = ()
        self.since = -1
        """The last frame of a rest, -1 while it moves."""

    def prepare(self, layer) -> None:
        """Make the attributes that samples belong to."""
        from pxr import Sdf

        kinds = {"positions": "point3f[]", "orientationsf": "quatf[]"}
        kinds = kinds if self.many else {"xformOp:translate": "double3", "xformOp:orient": "quatf"}
        spec = Sdf.CreatePrimInLayer(layer, self.path)
        for name, kind in kinds.items():
            Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.Find(kind))
        self.names = tuple(Sdf.Path(f"{self.path}.{name}") for name in kinds)

    def add(self, layer, frame: int, places: np.ndarray, turns: np.ndarray, last: Any, moves: bool) -> None:
        """Samples of a frame, unless nothing moved; when it moves again, where it rested (``last``) is said once
        more.
        """
        if not moves:
            self.since = frame
            return
        if self.since >= 0:
            self.write(layer, self.since, *last)
        self.since = -1
        self.write(layer, frame, places, turns)

    def write(self, layer, frame: int, places: np.ndarray, turns: np.ndarray) -> None:
        """Positions [n, 3] and rotations [n, 4] (x, y, z, w) of one frame."""
        from pxr import Gf, Vt

        place, turn = self.names
        if self.many:
            layer.SetTimeSample(place, frame, Vt.Vec3fArray.FromNumpy(places[self.rows]))
            layer.SetTimeSample(turn, frame, Vt.QuatfArray.FromNumpy(turns[self.rows]))
            return
        x, y, z, w = turns[self.rows.start].tolist()
        layer.SetTimeSample(place, frame, Gf.Vec3d(*places[self.rows.start].tolist()))
        layer.SetTimeSample(turn, frame, Gf.Quatf(w, x, y, z))


class Picture:
    """The shapes of a model as prims."""

    def __init__(self, model, layer, scaling: float):
        self.model, self.layer, self.scaling = model, layer, scaling
        self.kind, self.scale = model.shape_type.numpy(), model.shape_scale.numpy()
        self.local, self.body = model.shape_transform.numpy(), model.shape_body.numpy()
        self.color, self.source = model.shape_color.numpy(), list(model.shape_source)
        drawn = (model.shape_flags.numpy() & int(ShapeFlags.VISIBLE)) != 0
        self.on: dict[int, list[int]] = {}
        for shape in np.flatnonzero(drawn):
            self.on.setdefault(int(self.body[shape]), []).append(int(shape))
        self.meshes: dict[tuple, str] = {}

    def write(self) -> list[Track]:
        """All prims; returns what moves."""
        LayerPrim(self.layer, ROOT, "Xform")
        LayerPrim(self.layer, f"{ROOT}/world", "Xform")
        LayerPrim(self.layer, f"{ROOT}/Meshes", abstract=True)
        for shape in self.on.get(-1, ()):
            self.shape(shape, f"{ROOT}/world")
        world = self.model.body_world.numpy() if self.model.body_count else np.zeros(0, int)
        groups = self.alike(world)
        tracks, first = [], 0
        for number, bodies in enumerate(groups):
            path, many = f"{ROOT}/body_{number}", len(bodies) > 1
            track, first = Track(path, bodies, first, many), first + len(bodies)
            self.group(track, int(bodies[0]))
            tracks.append(track)
        return tracks

    def alike(self, world: np.ndarray) -> list[np.ndarray]:
        """Bodies that are shown by one prim: the k-th of each world where all worlds show the same."""
        count = self.model.world_count
        rows = [np.flatnonzero(world == w) for w in range(count)]
        rest = [np.array([b]) for b in np.flatnonzero(world < 0)]
        same = count > 1 and len({len(r) for r in rows}) == 1
        if same:
            columns = np.array(rows).T
            same = all(len({self.signature(int(b)) for b in column}) == 1 for column in columns)
            if same:
                return rest + list(columns)
        return rest + [np.array([b]) for row in rows for b in row]

    def signature(self, body: int) -> tuple:
        """Signature of a body's shapes, without their colours."""
        return tuple(
            (int(self.kind[s]), self.scale[s].tobytes(), self.local[s].tobytes(), id(self.source[s]))
            for s in self.on.get(body, ())
        )

    def group(self, track: Track, body: int) -> None:
        """A body, or a body of all worlds as instances."""
        if not track.many:
            node = LayerPrim(self.layer, track.path, "Xform")
            node.put("double3", "xformOp:translate", (0, 0, 0)).put("quatf", "xformOp:orient", (1, 0, 0, 0))
            node.put("token[]", "xformOpOrder", ["xformOp:translate", "xformOp:orient"])
            node.spec.SetInfo("displayName", self.model.body_label[body])
            below = track.path
        else:
            below = f"{track.path}/look"
            node = LayerPrim(self.layer, track.path, "PointInstancer").point("prototypes", below)
            node.put("int[]", "protoIndices", [0] * len(track.bodies))
            node.put("point3f[]", "positions", []).put("quatf[]", "orientationsf", [])
            LayerPrim(self.layer, below, "Xform")
        for shape in self.on.get(body, ()):
            self.shape(shape, below)

    def shape(self, s: int, parent: str) -> None:
        """A shape as a Gprim, else as a mesh."""
        kind, path = GeoType(int(self.kind[s])), f"{parent}/shape_{s}"
        x, y, z, w = (float(c) for c in self.local[s, 3:])
        size = self.scale[s].astype(float) * self.scaling
        node = LayerPrim(self.layer, path, GPRIMS.get(kind, "Mesh"))
        stretch = None
        if kind in (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE):
            node.set("double", radius=size[0], height=2.0 * size[1]).set("token", axis="Z")
        elif kind is GeoType.SPHERE:
            node.set("double", radius=size[0])
        elif kind is GeoType.ELLIPSOID:
            node.set("double", radius=1.0)
            stretch = size
        elif kind is GeoType.BOX:
            node.set("double", size=2.0)
            stretch = size
        else:
            self.mesh(node, s, kind)
            stretch = (self.scaling,) * 3 if self.scaling != 1.0 else None
        node.place(self.local[s, :3].astype(float) * self.scaling, (w, x, y, z), stretch)
        node.put("color3f[]", "primvars:displayColor", [[linear(float(c)) for c in self.color[s]]])

    def mesh(self, node: LayerPrim, s: int, kind: GeoType) -> None:
        """A shape of triangles, which equal shapes share."""
        from pxr import Sdf

        key = (int(kind), self.scale[s].tobytes(), id(self.source[s]))
        if key not in self.meshes:
            found = shape_surface(kind, self.scale[s], self.model.shape_source[s])
            made = LayerPrim(self.layer, f"{ROOT}/Meshes/mesh_{len(self.meshes)}", "Mesh")
            faces = np.asarray(found.faces).reshape(-1, 3)
            made.put("point3f[]", "points", found.vertices).put("int[]", "faceVertexCounts", [3] * len(faces))
            made.put("int[]", "faceVertexIndices", faces.ravel()).put("token", "subdivisionScheme", "none")
            self.meshes[key] = made.path
        node.spec.referenceList.Prepend(Sdf.Reference(primPath=self.meshes[key]))
