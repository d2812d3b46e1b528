"""Ray casting: rays against the shapes of a model, through a bounding volume hierarchy over them."""

from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.geometry.barrel import equatorial_radius
from newtonlite.geometry.kinds import BARREL, KIND_OF, SHEET, kinds_of
from newtonlite.geometry.ray.primitive import ray_shape
from newtonlite.geometry.ray.shapes import MISS, hit, miss
from newtonlite.geometry.tessellate import height_grid
from newtonlite.sim.shape_bounds import barrels

kernel_module(__name__, max_unroll=0)

FACETED = (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD)
ENDLESS = 1.0e6
"""Half-size of what has no end [m]."""
CONSTRUCTORS = (None, "sah", "median", "lbvh")


@wp.struct
class RayShapes:
    """Shapes that rays are cast at: kinds, sizes, meshes and poses by number, and the shape of each leaf."""

    kind: wp.array[int]
    scale: wp.array[wp.vec3]
    mesh: wp.array[wp.uint64]
    pose: wp.array[wp.transform]
    leaf: wp.array[wp.uint32]


@wp.kernel(enable_backward=False)
def place_shapes(
    shape_body: wp.array[int],
    shape_transform: wp.array[wp.transform],
    body_q: wp.array[wp.transform],
    pose: wp.array[wp.transform],
):
    """Poses of shapes in the world."""
    i = wp.tid()
    frame = shape_transform[i]
    if shape_body[i] >= 0 and body_q.shape[0] > 0:
        frame = body_q[shape_body[i]] * frame
    pose[i] = frame


@wp.kernel(enable_backward=False)
def place_leaves(s: RayShapes, bounds: wp.array2d[wp.vec3], lower: wp.array[wp.vec3], upper: wp.array[wp.vec3]):
    """Boxes of the leaves along the world's axes."""
    k = wp.tid()
    i = int(s.leaf[k])
    low = bounds[i, 0]
    high = bounds[i, 1]
    turn = wp.quat_to_matrix(wp.transform_get_rotation(s.pose[i]))
    half = 0.5 * (high - low)
    reach = wp.vec3()
    for r in range(3):
        reach[r] = wp.abs(turn[r, 0]) * half[0] + wp.abs(turn[r, 1]) * half[1] + wp.abs(turn[r, 2]) * half[2]
    middle = wp.transform_point(s.pose[i], 0.5 * (low + high))
    lower[k] = middle - reach
    upper[k] = middle + reach


@wp.func
def ray_mesh(mesh: wp.uint64, scale: wp.vec3, pose: wp.transform, origin: wp.vec3, direction: wp.vec3) -> wp.vec4:
    """The nearest triangle of a mesh that is stretched by ``scale``; its normal points against the ray."""
    back = wp.transform_inverse(pose)
    o = wp.cw_div(wp.transform_point(back, origin), scale)
    d = wp.cw_div(wp.transform_vector(back, direction), scale)
    query = wp.mesh_query_ray(mesh, o, d, MISS)
    if not query.result:
        return miss()
    normal = wp.transform_vector(pose, wp.normalize(wp.cw_div(query.normal, scale)))
    return hit(query.t, wp.where(wp.dot(normal, direction) > 0.0, -normal, normal))


@wp.func
def meet(s: RayShapes, i: int, origin: wp.vec3, direction: wp.vec3) -> wp.vec4:
    """Distance and normal, in the world, of a ray that meets shape ``i``."""
    if s.mesh[i] != wp.uint64(0):
        return ray_mesh(s.mesh[i], s.scale[i], s.pose[i], origin, direction)
    return ray_shape(s.kind[i], s.scale[i], s.pose[i], origin, direction)


@wp.kernel(enable_backward=False)
def cast_rays(
    bvh: wp.uint64,
    s: RayShapes,
    origins: wp.array[wp.vec3],
    directions: wp.array[wp.vec3],
    worlds: wp.array[int],
    shared: int,
    passes: int,
    dist: wp.array[float],
    shape: wp.array[int],
    normal: wp.array[wp.vec3],
):
    """The nearest shape of each ray's world and of those in all worlds."""
    r = wp.tid()
    best = miss()
    nearest = int(-1)
    for p in range(passes):
        group = worlds[r]
        if p == 1 or group < 0:
            group = shared
        root = wp.bvh_get_group_root(bvh, group)
        if root >= 0 and not (p == 1 and worlds[r] < 0):
            query = wp.bvh_query_ray(bvh, origins[r], directions[r], root)
            k = int(0)
            while wp.bvh_query_next(query, k, best[0]):
                i = int(s.leaf[k])
                found = meet(s, i, origins[r], directions[r])
                if found[0] < best[0]:
                    best = found
                    nearest = i
    met = nearest >= 0
    if dist.shape[0] > 0:
        dist[r] = wp.where(met, best[0], -1.0)
    if shape.shape[0] > 0:
        shape[r] = nearest
    if normal.shape[0] > 0:
        normal[r] = wp.where(met, wp.vec3(best[1], best[2], best[3]), wp.vec3())


def field_mesh(field: Any, device: Any) -> wp.Mesh:
    """The surface of a height field."""
    x, y = np.linspace(-field.hx, field.hx, field.ncol), np.linspace(-field.hy, field.hy, field.nrow)
    heights = field.min_z + field.data.astype(float) * (field.max_z - field.min_z)
    points, triangles = height_grid(x, y, heights.T)
    return wp.Mesh(
        wp.array(points.astype(np.float32), dtype=wp.vec3, device=device),
        wp.array(np.asarray(triangles, np.int32).ravel(), dtype=int, device=device),
    )


def local_bounds(model: Any) -> np.ndarray:
    """Corners of each shape's box in its own frame [nshape, 2, 3]."""
    kind, scale = model.shape_type.numpy(), np.abs(model.shape_scale.numpy().astype(float))
    x, y, _ = scale.T
    half = scale.copy()
    half[kind == GeoType.SPHERE] = x[kind == GeoType.SPHERE, None]
    tall = np.isin(kind, (GeoType.CAPSULE, GeoType.CYLINDER, GeoType.CONE))
    wide = np.where(kind == GeoType.CYLINDER, equatorial_radius(*scale.T), x)
    half[tall] = np.stack([wide, wide, y + np.where(kind == GeoType.CAPSULE, x, 0.0)], axis=1)[tall]
    plane = kind == GeoType.PLANE
    half[plane] = np.stack([np.where(x > 0.0, x, ENDLESS), np.where(y > 0.0, y, ENDLESS), 0.0 * x], axis=1)[plane]
    bounds = np.stack([-half, half], axis=1)
    for i in np.flatnonzero(np.isin(kind, FACETED)).tolist():
        source = model.shape_source[i]
        low, high = source.bounds() if kind[i] == GeoType.HFIELD else (source.vertices.min(0), source.vertices.max(0))
        ends = np.stack([low, high]) * model.shape_scale.numpy()[i]
        bounds[i] = ends.min(axis=0), ends.max(axis=0)
    return bounds.astype(np.float32)


class RayMethods:
    """The part of ``Model`` that is about rays. The hierarchy is built when it is first asked for, of visible shapes at
    the model's initial state.
    """

    _ray_bvh: wp.Bvh | None = None
    _ray_tables: dict[str, Any] | None = None

    def bvh_build_shapes(
        self, state: Any, *, bvh_constructor: str | None = None, shape_flags: int = ShapeFlags.VISIBLE
    ) -> None:
        """Build the hierarchy of shapes that have one of ``shape_flags``, at ``state.body_q``. Visible shapes without
        opacity are left out where only visible ones are asked for. ModelError for a constructor that Warp has not.
        """
        if bvh_constructor not in CONSTRUCTORS:
            raise ModelError(f"bvh_build_shapes bvh_constructor: {bvh_constructor!r}; use sah, median, lbvh or None")
        make = lambda values, dtype: wp.array(values, dtype=dtype, device=self.device)
        leaves = np.zeros(0, int)
        if self.shape_count:
            flags = self.shape_flags.numpy() & int(shape_flags)
            opaque = self.shape_opacity.numpy() > 0.0
            leaves = np.flatnonzero(np.where(opaque, flags, flags & ~int(ShapeFlags.VISIBLE)) != 0)
        self._ray_tables = {"leaf": make(leaves.astype(np.uint32), wp.uint32), "meshes": []}
        self._ray_bvh = None
        if not len(leaves):
            return
        s = self._ray_tables["shapes"] = RayShapes()
        types, s.scale, s.leaf = self.shape_type.numpy(), self.shape_scale, self._ray_tables["leaf"]
        kind = kinds_of(types, KIND_OF | {GeoType.PLANE: int(SHEET)})
        kind[barrels(types, self.shape_scale.numpy())] = int(BARREL)
        s.kind = make(kind, int)
        ids = self.shape_source_ptr.numpy().copy()
        for i in np.flatnonzero(types == GeoType.HFIELD).tolist():
            self._ray_tables["meshes"].append(field_mesh(self.shape_source[i], self.device))
            ids[i] = self._ray_tables["meshes"][-1].id
        s.mesh = make(ids, wp.uint64)
        s.pose = wp.zeros(self.shape_count, dtype=wp.transform, device=self.device)
        self._ray_tables["bounds"] = make(local_bounds(self), wp.vec3)
        world = self.shape_world.numpy()[leaves]
        groups = np.where(world < 0, self.world_count, world).astype(np.int32)
        lower, upper = (wp.zeros(len(leaves), dtype=wp.vec3, device=self.device) for _ in range(2))
        self._place(state, lower, upper)
        more = {} if bvh_constructor is None else {"constructor": bvh_constructor}
        self._ray_bvh = wp.Bvh(lower, upper, groups=make(groups, int), **more)

    def bvh_refit_shapes(self, state: Any) -> None:
        """Move the hierarchy to the poses of ``state.body_q``."""
        if self._tables() and self._ray_bvh is not None:
            self._place(state, self._ray_bvh.lowers, self._ray_bvh.uppers)
            self._ray_bvh.refit()

    def _place(self, state: Any, lower: wp.array, upper: wp.array) -> None:
        tables = self._ray_tables
        s = tables["shapes"]
        body_q = getattr(state, "body_q", None) if self.body_count else None
        if self.body_count and body_q is None:
            raise StateError("Model: the state for rays has no body_q; give one of model.state()")
        wp.launch(
            place_shapes,
            dim=self.shape_count,
            inputs=[self.shape_body, self.shape_transform, body_q, s.pose],
            device=self.device,
        )
        wp.launch(place_leaves, dim=len(lower), inputs=[s, tables["bounds"], lower, upper], device=self.device)

    def _tables(self) -> dict[str, Any]:
        if self._ray_tables is None:
            self.bvh_build_shapes(self)
        return self._ray_tables

    @property
    def bvh_shapes(self) -> wp.Bvh | None:
        """Hierarchy over shapes by world; None where there are no shapes in it."""
        self._tables()
        return self._ray_bvh

    @property
    def bvh_shape_enabled(self) -> wp.array:
        """Numbers of the shapes in the hierarchy."""
        return self._tables()["leaf"]

    @property
    def bvh_shape_count_enabled(self) -> int:
        """Number of shapes in the hierarchy."""
        return len(self._tables()["leaf"])

    @property
    def bvh_shape_bounds(self) -> wp.array | None:
        """Corners of each shape's box in its own frame [nshape, 2] [m]."""
        return self._tables().get("bounds")

    @property
    def bvh_shape_world_transforms(self) -> wp.array | None:
        """Poses of the shapes in the world, as of the last build or refit."""
        return self._tables()["shapes"].pose if self._ray_bvh is not None else None


def intersect_ray(
    model: Any,
    *,
    ray_origins: wp.array,
    ray_directions: wp.array,
    ray_worlds: wp.array,
    enable_global_world: bool = True,
    out_dist: wp.array | None = None,
    out_shape_id: wp.array | None = None,
    out_normal: wp.array | None = None,
    fast_math: bool = True,
) -> None:
    """Cast rays at the shapes of a model: the nearest of each ray's world, and of those that are in all worlds.

    Origins in the world [m], directions of length 1, the number of each ray's world, -1 for what is in all worlds
    alone. Distances [m] (-1 for a miss), numbers of shapes (-1) and normals (zero) go to the arrays that are given.
    Shapes are where ``model.bvh_refit_shapes`` last put them, at first where the model begins. ``fast_math`` is taken
    and does nothing.
    """
    model._tables()
    if model._ray_bvh is None:
        for array, value in ((out_dist, -1.0), (out_shape_id, -1), (out_normal, wp.vec3())):
            if array is not None:
                array.fill_(value)
        return
    wp.launch(
        cast_rays,
        dim=len(ray_origins),
        inputs=[
            model._ray_bvh.id,
            model._ray_tables["shapes"],
            ray_origins,
            ray_directions,
            ray_worlds,
            model.world_count,
            2 if enable_global_world else 1,
        ],
        outputs=[out_dist, out_shape_id, out_normal],
        device=model.device,
    )
