"""Picture scene: shapes on the device, and the first one that a ray hits."""

import numpy as np
import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.geometry.kinds import KIND_OF, SHEET, kinds_of
from newtonlite.geometry.ray.primitive import ray_shape
from newtonlite.geometry.ray.shapes import MISS, miss
from newtonlite.viewer.surfaces import Surface, vertex_normals

THIN = 1e-6  # half the thickness of the box of a flat surface, at least [m]
DRAWN = (GeoType.PLANE, GeoType.SPHERE, GeoType.CAPSULE, GeoType.ELLIPSOID, GeoType.CYLINDER, GeoType.BOX)


@wp.struct
class RayScene:
    """Bounded shapes first, in a tree of bounding boxes; planes after them."""

    tree: wp.uint64
    bounded: int
    total: int
    kind: wp.array[int]
    scale: wp.array[wp.vec3]
    pose: wp.array[wp.transform]
    color: wp.array[wp.vec3]
    mesh: wp.array[wp.uint64]  # 0 for primitives


@wp.struct
class Hit:
    """The first surface on a ray: distance, outward normal, shape (-1: the sky)."""

    t: float
    normal: wp.vec3
    shape: int


@wp.func
def ray_triangles(mesh: wp.uint64, pose: wp.transform, origin: wp.vec3, direction: wp.vec3) -> wp.vec4:
    """(distance, smooth normal in the world, toward the ray) of a ray of the world against a shape's triangles."""
    o = wp.transform_point(wp.transform_inverse(pose), origin)
    d = wp.quat_rotate_inv(wp.transform_get_rotation(pose), direction)
    hit = wp.mesh_query_ray(mesh, o, d, MISS)
    if not hit.result:
        return miss()
    n = wp.normalize(wp.mesh_eval_velocity(mesh, hit.face, hit.u, hit.v))
    if wp.dot(n, d) > 0.0:
        n = -n
    n = wp.quat_rotate(wp.transform_get_rotation(pose), n)
    return wp.vec4(hit.t, n[0], n[1], n[2])


@wp.func
def ray_outside(scene: RayScene, shape: int, origin: wp.vec3, direction: wp.vec3) -> wp.vec4:
    """(distance, normal in the world) of a ray of the world against one shape; a miss from inside and from below."""
    if scene.mesh[shape] != wp.uint64(0):
        return ray_triangles(scene.mesh[shape], scene.pose[shape], origin, direction)
    found = ray_shape(scene.kind[shape], scene.scale[shape], scene.pose[shape], origin, direction)
    if wp.dot(wp.vec3(found[1], found[2], found[3]), direction) > 0.0:
        return miss()
    return found


@wp.func
def first_hit(scene: RayScene, origin: wp.vec3, direction: wp.vec3) -> Hit:
    """The nearest surface in front of ``origin``; shape -1 where there is none."""
    best = miss()
    found = int(-1)
    query = wp.bvh_query_ray(scene.tree, origin, direction)
    shape = int(0)
    while wp.bvh_query_next(query, shape, best[0]):
        answer = ray_outside(scene, shape, origin, direction)
        if answer[0] < best[0]:
            best = answer
            found = shape
    for plane in range(scene.bounded, scene.total):
        answer = ray_outside(scene, plane, origin, direction)
        if answer[0] < best[0]:
            best = answer
            found = plane
    result = Hit()
    result.t = best[0]
    result.normal = wp.vec3(best[1], best[2], best[3])
    result.shape = found
    return result


@wp.func
def blocked(scene: RayScene, origin: wp.vec3, direction: wp.vec3, reach: float) -> bool:
    """Whether a bounded shape lies within ``reach`` [m]. Planes cast no shadow: nothing to see lies below them."""
    query = wp.bvh_query_ray(scene.tree, origin, direction)
    shape = int(0)
    while wp.bvh_query_next(query, shape, reach):
        answer = ray_outside(scene, shape, origin, direction)
        if answer[0] < reach:
            return True
    return False


class Stage:
    """Shapes copied to a device, ready to be drawn: ``scene`` for kernels, ``device``."""

    def __init__(self, shape_type, shape_scale, shape_transform, shape_color, device=None, surfaces=None, meshes=None):
        """Newton's arrays of shapes in the world.

        Args:
            shape_type: [n] ``GeoType``; meshes and height fields without ``surfaces`` are left out.
            shape_scale: [n, 3] sizes as ``Model.shape_scale`` has them [m].
            shape_transform: [n, 7] position and quaternion (x, y, z, w) in the world.
            shape_color: [n, 3] linear red, green, blue, 0 to 1.
            device: where to draw.
            surfaces: [n] the ``Surface`` of each shape that is drawn as triangles, None for the others.
            meshes: those of an earlier stage on that device with the same surfaces, which need not be made again.
        """
        kind, scale, pose, color = checked(shape_type, shape_scale, shape_transform, shape_color)
        surfaces = [None] * len(kind) if surfaces is None else list(surfaces)
        order = np.argsort(kind == GeoType.PLANE, kind="stable")
        order = order[np.isin(kind[order], DRAWN) | np.array([surfaces[k] is not None for k in order], bool)]
        kind, scale, pose, color = (a[order] for a in (kind, scale, pose, color))
        surfaces = [surfaces[k] for k in order]
        bounded = int((kind != GeoType.PLANE).sum())
        self.device = wp.get_device(device)
        self.tree = self._tree(*bounds(kind[:bounded], scale[:bounded], pose[:bounded], surfaces))
        self.meshes = {} if meshes is None else meshes
        for one in surfaces:
            if one is not None and id(one) not in self.meshes:
                self.meshes[id(one)] = self._mesh(one)
        ids = [0 if one is None else self.meshes[id(one)].id for one in surfaces]
        self.scene = RayScene()
        self.scene.tree = self.tree.id
        self.scene.bounded = bounded
        self.scene.total = len(kind)
        numbers = kinds_of(kind, KIND_OF | {GeoType.PLANE: int(SHEET)})
        self.scene.kind = wp.array(numbers, dtype=int, device=self.device)
        self.scene.scale = wp.array(scale, dtype=wp.vec3, device=self.device)
        self.scene.pose = wp.array(pose, dtype=wp.transform, device=self.device)
        self.scene.color = wp.array(color, dtype=wp.vec3, device=self.device)
        self.scene.mesh = wp.array(np.array(ids, np.uint64), dtype=wp.uint64, device=self.device)

    def _mesh(self, surface: Surface) -> wp.Mesh:
        """Triangles on the device; the normals of the vertices are in the place of their velocities."""
        normals = vertex_normals(surface) if surface.normals is None else surface.normals
        return wp.Mesh(
            wp.array(surface.vertices, dtype=wp.vec3, device=self.device),
            wp.array(surface.faces.reshape(-1), dtype=int, device=self.device),
            wp.array(normals, dtype=wp.vec3, device=self.device),
        )

    def _tree(self, lower, upper) -> wp.Bvh:
        return wp.Bvh(
            wp.array(lower, dtype=wp.vec3, device=self.device), wp.array(upper, dtype=wp.vec3, device=self.device)
        )


def checked(shape_type, shape_scale, shape_transform, shape_color) -> list[np.ndarray]:
    """The four arrays as int32 and float32; ValueError where one has another length or is not finite."""
    kind = np.asarray(shape_type, np.int32)
    arrays = [kind]
    for name, values, width in (
        ("scale", shape_scale, 3),
        ("transform", shape_transform, 7),
        ("color", shape_color, 3),
    ):
        values = np.asarray(values, np.float32)
        if values.shape != (len(kind), width):
            raise ValueError(f"shape_{name} has shape {list(values.shape)}, expected [{len(kind)}, {width}]")
        if not np.isfinite(values).all():
            raise ValueError(f"shape_{name} is not finite in row {int(np.argwhere(~np.isfinite(values))[0, 0])}")
        arrays.append(values)
    return arrays


def bounds(kind, scale, pose, surfaces) -> tuple[np.ndarray, np.ndarray]:
    """Axis-aligned boxes [n, 3] around shapes in the world; one empty box far away where there are none."""
    if not len(kind):
        far = np.full((1, 3), float(MISS), np.float32)
        return far, far
    half, middle = scale.copy(), np.zeros_like(scale)
    for k, one in enumerate(surfaces[: len(kind)]):
        if one is not None:
            low, high = one.vertices.min(axis=0), one.vertices.max(axis=0)
            half[k], middle[k] = (high - low) / 2 + THIN, (high + low) / 2
    round_ = np.isin(kind, (GeoType.SPHERE, GeoType.CAPSULE, GeoType.CYLINDER))
    half[round_] = scale[round_, :1]
    half[kind == GeoType.CAPSULE, 2] += scale[kind == GeoType.CAPSULE, 1]
    half[kind == GeoType.CYLINDER, 2] = scale[kind == GeoType.CYLINDER, 1]
    turn = rotations(pose[:, 3:])
    reach, place = np.einsum("nij,nj->ni", np.abs(turn), half), pose[:, :3] + np.einsum("nij,nj->ni", turn, middle)
    return place - reach, place + reach


def rotations(quaternions: np.ndarray) -> np.ndarray:
    """[n, 3, 3] matrices of unit quaternions [n, 4] (x, y, z, w)."""
    x, y, z, w = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
