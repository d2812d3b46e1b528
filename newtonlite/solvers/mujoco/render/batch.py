"""Camera batch: the cameras that are rendered, what they see, and their pictures."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.mujoco import MjtObj
from newtonlite.solvers.mujoco.raycast import GROUPS
from newtonlite.solvers.mujoco.render.colour import ColourOptions, ColourStage
from newtonlite.solvers.mujoco.render.hits import ColourHits, Pictures
from newtonlite.solvers.mujoco.render.looks import GeomLooks, Lights
from newtonlite.solvers.mujoco.render.rays import TILE, CameraTable, RayTable, make_rays
from newtonlite.solvers.mujoco.render.scene import RenderGeoms, RenderPoses, place_spheres
from newtonlite.solvers.mujoco.render.soft import SOFT, SoftPoses, carry_vertices, fit_boxes, wrap_vertices
from newtonlite.solvers.mujoco.render.soft_tables import soft_scene
from newtonlite.solvers.mujoco.render.surfaces import RaySurfaces, surfaces_of
from newtonlite.solvers.mujoco.render.trace import trace_tiles

KINDS = {"depth": float, "seg": wp.vec2i, "normal": wp.vec3, "rgb": wp.uint32}
"""Pictures, and the type of a pixel."""
TYPES = {
    (np.int32, 1): int,
    (np.int32, 2): wp.vec2i,
    (np.float32, 3): wp.vec3,
    (np.float32, 4): wp.vec4,
    (np.uint64, 1): wp.uint64,
}
"""Types of the arrays of geoms, by those of their numbers and how many of them there are."""


class CameraParameters(NamedTuple):
    """Parameters of the rays of all cameras of a model: projection [ncam], vertical field of view [rows, ncam] [degree],
    sensor size [ncam] and intrinsics [rows, ncam] [m].
    """

    projection: wp.array
    fovy: wp.array
    sensor: wp.array
    intrinsic: wp.array


class CameraBatch:
    """Cameras of ``nworld`` worlds, numbers ``cameras`` of a compiled model (or a ``mujoco.MjModel``), with a resolution
    (width, height) for each, and which pictures each has: ``outputs`` maps ``KINDS`` to masks [n].

    Geoms, flexes and skins of ``groups`` are seen, but for those without opacity. ``culling`` leaves out surfaces from behind;
    ``smooth`` False shows the triangles of flexes. With ``per_world`` the rays are made anew for each picture, from the parameters of each world.
    """

    def __init__(
        self,
        mj: Any,
        nworld: int,
        cameras: Sequence[int],
        resolutions: Sequence[tuple[int, int]],
        outputs: dict[str, Sequence[bool]],
        *,
        groups: Sequence[int] = (0, 1, 2),
        culling: bool = True,
        smooth: bool = True,
        per_world: bool = False,
        colour: ColourOptions | None = None,
        device: Any = None,
    ):
        self.device, self.nworld, self.per_world = wp.get_device(device), int(nworld), per_world
        self.enabled_geom_groups, self.nrender = tuple(int(g) for g in groups), len(cameras)
        self.smooth = smooth
        self.cameras, self.resolutions = list(cameras), [(int(w), int(h)) for w, h in resolutions]
        self._pixels = [w * h for w, h in self.resolutions]
        p, colour = Pictures(), colour or ColourOptions()
        self.pictures, self._first, self.samples = p, {}, colour.samples
        for name, dtype in KINDS.items():
            self._add(name, dtype, outputs.get(name, [False] * len(self.cameras)))
        self._look_through(mj)
        surfaces = self._list_geoms(mj)
        self._colour = (
            ColourStage(mj, self._seen, surfaces, colour, self.device)
            if max(self._first["rgb"], default=-1) >= 0
            else None
        )
        self._keep_hits()
        extent = float(mj.stat.extent)
        p.zfar = float(mj.vis.map.zfar) * extent if hasattr(mj, "vis") else 50.0 * extent
        p.culling = int(culling)

    def _array(self, values: Any, dtype: Any) -> wp.array:
        return wp.array(values, dtype=dtype, device=self.device)

    def _look_through(self, mj: Any) -> None:
        """Cameras, tiles and rays."""
        tile = int(TILE)
        tiles = [
            (k, x, y)
            for k, (width, height) in enumerate(self.resolutions)
            for y in range(0, height, tile)
            for x in range(0, width, tile)
        ]
        c = self._cameras = CameraTable()
        c.id, c.size = self._array(self.cameras, int), self._array(np.array(self.resolutions).reshape(-1, 2), wp.vec2i)
        c.start = self._array(np.cumsum([0, *self._pixels])[:-1], int)
        c.tile = self._array(np.array(tiles).reshape(-1, 3), wp.vec3i)
        rows = self.nworld if self.per_world else 1
        self._rays = [RayTable() for _ in range(self.samples**2 + (self.samples > 1))]
        for r in self._rays:
            for name, width, dtype in (
                ("way", sum(self._pixels), wp.vec3),
                ("offset", sum(self._pixels), wp.vec3),
                ("axis", len(tiles), wp.vec4),
                ("base", len(tiles), wp.vec4),
            ):
                setattr(r, name, wp.zeros((rows, width), dtype=dtype, device=self.device))
        if not self.per_world:
            values = (mj.cam_fovy, np.float32), (mj.cam_intrinsic, np.float32)
            fovy, intrinsic = (np.asarray(value, kind)[None] for value, kind in values)
            self.aim(
                CameraParameters(
                    self._array(np.asarray(mj.cam_projection, np.int32), int),
                    self._array(fovy, float),
                    self._array(np.asarray(mj.cam_sensorsize, np.float32), wp.vec2),
                    self._array(intrinsic, wp.vec4),
                )
            )

    def _list_geoms(self, mj: Any) -> RaySurfaces:
        """Geoms that cameras see."""
        seen = np.isin(np.asarray(mj.geom_group), self.enabled_geom_groups) & (self.nrender > 0)
        geoms = self._seen = np.flatnonzero(seen).astype(np.int32)
        surfaces = surfaces_of(mj, geoms, max(self._first["rgb"], default=-1) >= 0, self.device)
        groups = self.enabled_geom_groups if self.nrender else ()
        self._soft = soft_scene(mj, self.nworld, groups, self.smooth, surfaces, self.device)
        parts, none = self._soft.parts, np.zeros(len(self._soft.parts))
        casts = np.asarray(getattr(mj, "geom_castshadow", np.ones(int(mj.ngeom))))[geoms]

        # geoms, then flexes and skins
        with_soft = lambda first, then, kind, width: self._array(
            np.concatenate([np.asarray(first).reshape(-1, width), np.asarray(then).reshape(-1, width)])
            .astype(kind)
            .reshape((-1, width) if width > 1 else -1),
            TYPES[kind, width],
        )
        g, rest = RenderGeoms(), np.zeros(len(geoms))
        g.id = with_soft(geoms, [part.id for part in parts], np.int32, 1)
        g.kind = with_soft(np.asarray(mj.geom_type)[geoms], none + int(SOFT), np.int32, 1)
        g.object = with_soft(rest + int(MjtObj.GEOM), [part.object for part in parts], np.int32, 1)
        g.soft = with_soft(rest - 1, np.arange(len(parts)), np.int32, 1)
        g.rgba = with_soft(np.zeros((len(geoms), 4)), [part.rgba for part in parts], np.float32, 4)
        g.material = with_soft(rest - 1, [part.material for part in parts], np.int32, 1)
        g.surface = with_soft(surfaces.id, none, np.uint64, 1)
        g.ball, g.half = (
            with_soft(values, np.zeros((len(parts), width)), np.float32, width)
            for values, width in ((surfaces.ball, 4), (surfaces.half, 3))
        )
        g.face = with_soft(surfaces.face, [(-1, part.uv) for part in parts], np.int32, 2)
        g.casts = with_soft(casts, none + 1, np.int32, 1)
        g.sphere = wp.zeros((self.nworld, len(geoms) + len(parts)), dtype=wp.vec4, device=self.device)
        self._geoms, self._meshes = g, surfaces.meshes
        return surfaces

    def _keep_hits(self) -> None:
        """Room for what the rays of colours meet."""
        h, shape = ColourHits(), self.pictures.rgb.shape
        self._hits = h
        for name, dtype in (("dist", float), ("geom", int), ("normal", wp.vec3), ("face", int), ("corner", wp.vec2)):
            setattr(h, name, wp.zeros(shape, dtype=dtype, device=self.device))
        h.dark = wp.zeros(shape, dtype=wp.uint32, device=self.device)
        layered = shape if self._colour is not None and self._colour.options.layers else (0, 0)
        h.sum = wp.zeros(shape if self.samples > 1 else layered, dtype=wp.vec3, device=self.device)
        for name, dtype in (("passed", float), ("mirror", wp.vec4), ("weight", float)):
            setattr(h, name, wp.zeros(layered, dtype=dtype, device=self.device))

    def _add(self, name: str, dtype: Any, wanted: Sequence[bool]) -> None:
        """A kind of picture, of the cameras that want it."""
        sizes = [n if has else 0 for n, has in zip(self._pixels, wanted, strict=True)]
        starts = np.cumsum([0, *sizes])
        self._first[name] = [int(s) if has else -1 for s, has in zip(starts, wanted)]
        setattr(self.pictures, f"{name}_adr", self._array(self._first[name], int))
        setattr(self.pictures, name, wp.zeros((self.nworld, int(starts[-1])), dtype=dtype, device=self.device))

    def groups(self, geomgroup: Sequence[int] | None) -> np.ndarray:
        """Six flags: the enabled groups among those that a ray is asked for (None, or -1 in each: all)."""
        every = geomgroup is None or all(g == -1 for g in geomgroup)
        asked = [True] * GROUPS if every else [bool(g) for g in geomgroup]
        if len(asked) != GROUPS:
            raise StateError(f"geomgroup: expected {GROUPS} flags, got {len(asked)}")
        return np.array([asked[g] and g in self.enabled_geom_groups for g in range(GROUPS)])

    def aim(self, parameters: CameraParameters) -> None:
        """Make the rays: through the middles of the pixels, and with several samples through a grid within each."""
        grid = [
            ((i + 0.5) / self.samples, (j + 0.5) / self.samples)
            for j in range(self.samples)
            for i in range(self.samples)
        ]
        places = grid if self.samples == 1 else [(0.5, 0.5), *grid]
        for r, place in zip(self._rays, places, strict=True):
            inputs = [self._cameras, *parameters, wp.vec2(*place), r]
            wp.launch(make_rays, dim=(len(r.axis), len(self._cameras.tile)), inputs=inputs, device=self.device)

    def place(self, poses: RenderPoses, looks: GeomLooks, soft: SoftPoses, mask: wp.array | None = None) -> None:
        """Follow the poses of the geoms, flexes and skins, of these in the worlds in ``mask`` (None: all)."""
        self._check(poses)
        s, v = self._soft.surfaces, self._soft.vertices
        if self._soft.parts:
            wp.launch(carry_vertices, dim=v.place.shape, inputs=[v, soft, mask], device=self.device)
            wp.launch(wrap_vertices, dim=v.place.shape, inputs=[v, s, mask], device=self.device)
            wp.launch(fit_boxes, dim=(self.nworld, len(self._soft.parts)), inputs=[s, mask], device=self.device)
        inputs = [self._geoms, poses, looks, s]
        wp.launch(place_spheres, dim=self._geoms.sphere.shape, inputs=inputs, device=self.device)

    def render(self, poses: RenderPoses, looks: GeomLooks, lights: Lights, mask: wp.array | None = None) -> None:
        """Render all pictures of the worlds in ``mask`` (None: all); those of other worlds stay as they are."""
        self._check(poses)
        if mask is not None and (mask.shape != (self.nworld,) or mask.dtype != wp.bool):
            raise StateError(f"render: world_mask must be bool [{self.nworld}], got {mask.dtype.__name__}{mask.shape}")
        size = self.nworld, len(self._cameras.tile)
        plain = self.pictures if self.samples == 1 else self._without("rgb")
        coloured = self.pictures if self.samples == 1 else self._without("depth", "seg", "normal")
        self._hits.sum.zero_()
        for k, rays in enumerate(self._rays):
            out = coloured if k else plain
            inputs = [self._cameras, rays, self._geoms, poses, self._soft.surfaces, mask, out, self._hits]
            wp.launch(trace_tiles, dim=size, inputs=inputs, device=self.device)
            sample = k - (self.samples > 1)
            if self._colour is not None and sample >= 0:
                scene = self._cameras, rays, self._geoms, poses, self._soft.surfaces, (looks, lights)
                self._colour.launch(size, *scene, mask, self._hits, out, sample == self.samples**2 - 1)

    def _without(self, *kinds: str) -> Pictures:
        """The pictures, but for some kinds."""
        p = Pictures()
        p.zfar, p.culling = self.pictures.zfar, self.pictures.culling
        for name in KINDS:
            first = [-1] * len(self.cameras) if name in kinds else self._first[name]
            setattr(p, name, getattr(self.pictures, name))
            setattr(p, f"{name}_adr", self._array(first, int))
        return p

    def _check(self, poses: RenderPoses) -> None:
        if poses.geom_xpos.shape[0] != self.nworld:
            raise StateError(
                f"render: the context is for {self.nworld} worlds and the data has {poses.geom_xpos.shape[0]}; make one for as many"
            )

    def picture(self, name: str, camera: int) -> wp.array:
        """The picture of a kind that a camera has, [nworld, height, width]: a view, which the next ``render`` fills anew.

        ``camera`` counts those that are rendered. StateError where there is none of this kind.
        """
        if not 0 <= camera < len(self.cameras):
            raise StateError(f"camera_index {camera}: the context renders {len(self.cameras)} cameras")
        first, (width, height) = self._first[name][camera], self.resolutions[camera]
        if first < 0:
            raise StateError(f"camera_index {camera}: the context has no {name} of it; make it with render_{name}=True")
        every = getattr(self.pictures, name)
        size = wp.types.type_size_in_bytes(every.dtype)
        view = wp.array(
            ptr=every.ptr + first * size if every.ptr else None,
            shape=(self.nworld, height, width),
            strides=(every.strides[0], width * size, size),
            dtype=every.dtype,
            device=self.device,
            capacity=every.capacity - first * size,
            deleter=None,
        )
        view.owner = every  # which it needs
        return view
