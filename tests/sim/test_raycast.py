"""Rays against the shapes of a model: surfaces, worlds, poses, and which shapes are looked at."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.geometry import sdf_box, sdf_capsule, sdf_cone, sdf_cylinder, sdf_sphere
from tests.tolerance import assert_close, tolerance

SPHERE, CAPSULE, CYLINDER, BOX = (
    wp.constant(int(kind)) for kind in (GeoType.SPHERE, GeoType.CAPSULE, GeoType.CYLINDER, GeoType.BOX)
)
Z = wp.constant(int(Axis.Z))


@wp.kernel(enable_backward=False)
def distance_to(kind: int, pose: wp.transform, point: wp.array[wp.vec3], out: wp.array[float]):
    """Signed distance of points from a shape of sizes 0.5, 0.4, 0.3."""
    i = wp.tid()
    p = wp.transform_point(wp.transform_inverse(pose), point[i])
    if kind == SPHERE:
        out[i] = sdf_sphere(p, 0.5)
    elif kind == CAPSULE:
        out[i] = sdf_capsule(p, 0.5, 0.4, Z)
    elif kind == CYLINDER:
        out[i] = sdf_cylinder(p, 0.5, 0.4, Z)
    elif kind == BOX:
        out[i] = sdf_box(p, 0.5, 0.4, 0.3)
    else:
        out[i] = sdf_cone(p, 0.5, 0.4, Z)


def cast(model, origins, directions, worlds=-1, **more):
    """Distances, shapes and normals."""
    n = len(origins)
    out = [wp.zeros(n, dtype=dtype, device="cpu") for dtype in (float, int, wp.vec3)]
    newton.intersect_ray(
        model,
        ray_origins=wp.array(np.asarray(origins, np.float32), dtype=wp.vec3, device="cpu"),
        ray_directions=wp.array(np.asarray(directions, np.float32), dtype=wp.vec3, device="cpu"),
        ray_worlds=wp.array(np.broadcast_to(worlds, n).astype(np.int32), dtype=int, device="cpu"),
        out_dist=out[0],
        out_shape_id=out[1],
        out_normal=out[2],
        **more,
    )
    return [array.numpy() for array in out]


POSE = wp.transform((0.1, -0.2, 0.3), wp.quat_rpy(0.4, -0.7, 1.1))
ADD = {
    "sphere": {"radius": 0.5},
    "capsule": {"radius": 0.5, "half_height": 0.4},
    "cylinder": {"radius": 0.5, "half_height": 0.4},
    "box": {"hx": 0.5, "hy": 0.4, "hz": 0.3},
    "cone": {"radius": 0.5, "half_height": 0.4},
}


@pytest.mark.parametrize("name", ADD)
def test_rays_end_on_the_first_surface(name):
    """Before the hit a ray is outside, there it is on the surface, and a ray that misses is outside all along."""
    b = newton.ModelBuilder()
    getattr(b, f"add_shape_{name}")(-1, xform=POSE, **ADD[name])
    model = b.finalize(device="cpu")
    rng = np.random.default_rng(4)
    origins = rng.normal(size=(300, 3))
    origins *= 2.0 / np.linalg.norm(origins, axis=1, keepdims=True)
    toward = rng.uniform(-0.6, 0.6, (300, 3)) - origins
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    dist, shape, normal = cast(model, origins, toward)
    met = shape == 0
    assert 100 < met.sum() < 300
    assert (dist[~met] == -1.0).all()
    assert not normal[~met].any()
    reach = np.where(met, dist, 4.0)[:, None] * np.linspace(0.0, 1.0, 401)
    points = origins[:, None] + reach[..., None] * toward[:, None]
    out = wp.zeros(points.shape[:2], dtype=float, device="cpu").flatten()
    kind = int(model.shape_type.numpy()[0])
    flat = wp.array(points.reshape(-1, 3).astype(np.float32), dtype=wp.vec3, device="cpu")
    wp.launch(distance_to, dim=len(flat), inputs=[kind, POSE, flat], outputs=[out], device="cpu")
    outside = out.numpy().reshape(points.shape[:2])
    assert outside[:, :-1].min() > -tolerance("hit_position")
    assert_close(outside[met, -1], np.zeros(met.sum()), "hit_distance")
    # the normal leads outward: the distance grows along it as fast as the way
    ahead = points[met, -1] + 1e-2 * normal[met]
    out = wp.zeros(len(ahead), dtype=float, device="cpu")
    flat = wp.array(ahead.astype(np.float32), dtype=wp.vec3, device="cpu")
    wp.launch(distance_to, dim=len(flat), inputs=[kind, POSE, flat], outputs=[out], device="cpu")
    assert_close(out.numpy(), np.full(len(ahead), 1e-2), "hit_distance", floor=1.0)
    assert_close(np.linalg.norm(normal[met], axis=1), np.ones(met.sum()), "hit_distance")


def test_planes_meshes_fields_and_ellipsoids():
    b = newton.ModelBuilder()
    b.add_shape_plane(None, xform=wp.transform((0.0, 0.0, -1.0), wp.quat_identity()), width=2.0, length=4.0)
    b.add_shape_mesh(
        -1,
        xform=wp.transform((10.0, 0.0, 0.0), wp.quat_identity()),
        mesh=newton.Mesh.create_box(0.5),
        scale=(1.0, 2.0, 3.0),
    )
    field = newton.Heightfield(np.array([[0.0, 1.0], [0.0, 1.0]]), 2, 2, hx=1.0, hy=1.0)
    b.add_shape_heightfield(heightfield=field, xform=wp.transform((20.0, 0.0, 0.0), wp.quat_identity()))
    b.add_shape_ellipsoid(-1, xform=wp.transform((30.0, 0.0, 0.0), wp.quat_identity()), rx=0.5, ry=0.4, rz=0.3)
    model = b.finalize(device="cpu")
    down, up = [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]
    cases = [
        ([0.9, 1.9, 4.0], down, 5.0, 0, up),
        ([0.9, 1.9, -4.0], up, 3.0, 0, up),
        ([1.1, 0.0, 4.0], down, -1.0, -1, [0.0] * 3),
        ([10.0, 0.0, 4.0], down, 2.5, 1, up),
        ([10.0, 4.0, 0.0], [0.0, -1.0, 0.0], 3.0, 1, [0.0, 1.0, 0.0]),
        ([20.5, 0.3, 4.0], down, 3.25, 2, [-(0.2**0.5), 0.0, 0.8**0.5]),
        ([30.0, 0.0, 4.0], down, 3.7, 3, up),
    ]
    dist, shape, normal = cast(model, [c[0] for c in cases], [c[1] for c in cases])
    assert shape.tolist() == [c[3] for c in cases]
    assert_close(dist, [c[2] for c in cases], "hit_distance")
    assert_close(normal, [c[4] for c in cases], "hit_distance")


def test_rays_see_their_world_and_what_is_in_all():
    one = newton.ModelBuilder()
    one.add_shape_sphere(one.add_body(xform=wp.transform((0.0, 0.0, 1.0), wp.quat_identity())), radius=0.5)
    b = newton.ModelBuilder()
    for x in (0.0, 5.0):
        b.add_world(one, xform=wp.transform((x, 0.0, 0.0), wp.quat_identity()))
    b.add_ground_plane()
    model = b.finalize(device="cpu")
    origins, directions = [[0.0, 0.0, 4.0], [5.0, 0.0, 4.0]] * 2, [[0.0, 0.0, -1.0]] * 4
    worlds = [0, 0, 1, -1]
    assert cast(model, origins, directions, worlds)[1].tolist() == [0, 2, 2, 2]
    assert cast(model, origins, directions, worlds, enable_global_world=False)[1].tolist() == [0, -1, -1, 2]
    # bodies that moved are seen there after a refit
    state = model.state()
    poses = state.body_q.numpy()
    poses[:, 0] = 5.0 - poses[:, 0]
    state.body_q.assign(poses)
    assert cast(model, origins, directions, [0, 0, 1, 1])[1].tolist() == [0, 2, 2, 1]
    model.bvh_refit_shapes(state)
    assert cast(model, origins, directions, [0, 0, 1, 1])[1].tolist() == [2, 0, 1, 2]


def test_the_shapes_that_are_looked_at():
    b = newton.ModelBuilder()
    cfg = newton.ModelBuilder.ShapeConfig
    for x, more in ((0.0, {}), (2.0, {"opacity": 0.0}), (4.0, {"cfg": cfg(is_visible=False)})):
        b.add_shape_sphere(-1, xform=wp.transform((x, 0.0, 0.0), wp.quat_identity()), radius=0.5, **more)
    model = b.finalize(device="cpu")
    assert (model.bvh_shape_count_enabled, model.bvh_shape_enabled.numpy().tolist()) == (1, [0])
    rays = [[x, 0.0, 2.0] for x in (0.0, 2.0, 4.0)], [[0.0, 0.0, -1.0]] * 3
    assert cast(model, *rays)[1].tolist() == [0, -1, -1]
    model.bvh_build_shapes(model, shape_flags=ShapeFlags.VISIBLE | ShapeFlags.COLLIDE_SHAPES, bvh_constructor="sah")
    assert cast(model, *rays)[1].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.bvh_shape_bounds.numpy()[0], [[-0.5] * 3, [0.5] * 3])
    np.testing.assert_array_equal(model.bvh_shape_world_transforms.numpy()[:, 0], [0.0, 2.0, 4.0])
    with pytest.raises(ModelError, match="bvh_constructor: 'tree'"):
        model.bvh_build_shapes(model, bvh_constructor="tree")
    empty = newton.ModelBuilder().finalize(device="cpu")
    assert empty.bvh_shapes is None
    assert cast(empty, *rays)[0].tolist() == [-1.0] * 3
