"""Barrels, cylinders whose sides are arcs: mass, contacts and rays of the round shape."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.enums import GeoType
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry import NarrowPhase, inertia
from newtonlite.geometry.mesh import Mesh
from newtonlite.math.transform import quat_between
from tests.collide.test_narrow_phase import collided
from tests.tolerance import assert_close, tolerance

RADIUS, HALF, ARC = 0.3, 0.4, 0.5
SIZES = {"radius": RADIUS, "half_height": HALF, "barrel_radius": ARC}
EQUATOR = RADIUS + ARC - np.sqrt(ARC**2 - HALF**2)
ALONG_X = (0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5))


def scene(other, **sizes):
    """A barrel at the origin along x and another shape, each on a body."""
    b = newton.ModelBuilder()
    barrel = b.add_body(xform=wp.transform((0.0, 0.0, 0.0), wp.quat(*ALONG_X)))
    b.add_shape_cylinder(barrel, **SIZES)
    if other != "plane":
        getattr(b, f"add_shape_{other}")(b.add_body(xform=wp.transform(sizes.pop("at"), wp.quat_identity())), **sizes)
    else:
        b.add_shape_plane(**sizes)
    return b.finalize(device="cpu")


def contacts_of(model, broad_phase="explicit"):
    """Distances, normals from the barrel on, and middles of the contacts at the initial pose."""
    pipeline = newton.CollisionPipeline(model, broad_phase=broad_phase)
    state, contacts = model.state(), pipeline.contacts()
    pipeline.collide(state, contacts)
    n = int(contacts.rigid_contact_count.numpy()[0])
    shape, normal = contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_normal.numpy()[:n]
    poses = [wp.transform_identity(), *(wp.transform(*q) for q in state.body_q.numpy())]
    body = model.shape_body.numpy() + 1
    ends = []
    for k in (0, 1):
        points, owner = (
            getattr(contacts, f"rigid_contact_point{k}").numpy()[:n],
            getattr(contacts, f"rigid_contact_shape{k}").numpy(),
        )
        margin = getattr(contacts, f"rigid_contact_margin{k}").numpy()[:n, None] * (1.0, -1.0)[k]
        placed = [wp.transform_point(poses[body[owner[i]]], wp.vec3(*points[i])) for i in range(n)]
        ends.append(np.array(placed).reshape(-1, 3) + margin * normal)
    dist = ((ends[1] - ends[0]) * normal).sum(axis=1)
    return dist, np.where(shape == 0, 1.0, -1.0)[:, None] * normal, 0.5 * (ends[0] + ends[1])


def test_mass_is_that_of_a_fine_mesh_and_a_hull_collides_in_the_engine():
    model = scene("plane", plane=(0.0, 0.0, 1.0, 1.0))
    fine = Mesh.create_cylinder(RADIUS, HALF, barrel_radius=ARC, up_axis="z", segments=512)
    want = inertia.mesh(1000.0, fine.vertices, fine.triangles)
    assert_close(model.body_mass.numpy()[0], want.mass, "hit_normal")
    assert_close(model.body_inertia.numpy()[0], want.inertia, "hit_normal")
    assert model.shape_type.numpy()[0] == GeoType.CYLINDER
    np.testing.assert_array_equal(model.shape_scale.numpy()[0], np.float32([RADIUS, HALF, ARC]))
    compiled = newton.solvers.SolverMuJoCo(model).mj_model
    assert list(compiled.geom_type).count(MjtGeom.MESH) == 1


@pytest.mark.parametrize("broad_phase", ["explicit", "sap"])
@pytest.mark.parametrize(
    ("other", "sizes", "normal", "point"),
    [
        ("plane", {"plane": (0.0, 0.0, 1.0, EQUATOR - 0.01)}, (0, 0, -1), (0, 0, -EQUATOR)),
        ("sphere", {"at": (0.0, 0.0, EQUATOR + 0.19), "radius": 0.2}, (0, 0, 1), (0, 0, EQUATOR)),
        ("sphere", {"at": (HALF + 0.19, 0.1, 0.0), "radius": 0.2}, (1, 0, 0), (HALF, 0.1, 0)),
        ("box", {"at": (0.0, 0.0, EQUATOR + 0.19), "hx": 0.2, "hy": 0.2, "hz": 0.2}, (0, 0, 1), (0, 0, EQUATOR)),
        ("capsule", {"at": (0.0, EQUATOR + 0.19, 0.0), "radius": 0.2, "half_height": 0.3}, (0, 1, 0), (0, EQUATOR, 0)),
    ],
)
def test_one_contact_on_the_arc_or_the_cap(other, sizes, normal, point, broad_phase):
    dist, found, middle = contacts_of(scene(other, **dict(sizes)), broad_phase)
    assert len(dist) == 1
    assert_close(dist, [-0.01], "hit_distance", floor=1.0)
    assert_close(found[0], normal, "hit_normal")
    assert_close(middle[0], np.array(point) - 0.005 * np.array(normal, float), "patch_position")


def test_a_barrel_stands_on_its_cap():
    b = newton.ModelBuilder()
    b.add_shape_plane()
    b.add_shape_cylinder(b.add_body(xform=wp.transform((0.0, 0.0, HALF - 0.01), wp.quat_identity())), **SIZES)
    dist, normal, middle = contacts_of(b.finalize(device="cpu"))
    assert len(dist) >= 3
    assert_close(dist, np.full(len(dist), -0.01), "hit_distance", floor=1.0)
    assert_close(np.hypot(middle[:, 0], middle[:, 1]), np.full(len(dist), RADIUS), "hit_position")


def test_narrow_phase_takes_a_third_size_for_the_arc():
    """Along a tilted axis the lowest point is where the arc is level; on its cap a barrel is a cylinder."""
    kinds = [GeoType.PLANE, GeoType.CYLINDER, GeoType.CYLINDER, GeoType.SPHERE, GeoType.BOX]
    data = [[0.0] * 4, [RADIUS, HALF, ARC, 0.0], [RADIUS, HALF, ARC, 0.0], [0.2, 0, 0, 0], [0.2, 0.2, 0.2, 0]]
    tilt = 0.3
    level = RADIUS - np.sqrt(ARC**2 - HALF**2)
    height = level * np.cos(tilt) + ARC - 0.01
    axis = np.array([np.cos(tilt), 0.0, np.sin(tilt)])
    flat = [0.0, 0.0, 0.0, 1.0]
    poses = [
        [0.0, 0.0, 0.0, *flat],
        [0.0, 0.0, height, *quat_between(np.array([0.0, 0.0, 1.0]), axis)],
        [5.0, 0.0, HALF - 0.01, *flat],
        [5.0, EQUATOR + 0.19, HALF - 0.01, *flat],
        [5.0 - EQUATOR - 0.19, 0.0, HALF - 0.01, *flat],
    ]
    phase = NarrowPhase(max_candidate_pairs=8, device="cpu")
    _, which, pos, _, dist, _ = collided(kinds, poses, [(0, 1), (0, 2), (2, 3), (2, 4)], data=data, phase=phase)
    assert [tuple(pair) for pair in which] == [(0, 1), (0, 2), (0, 2), (0, 2), (2, 3), (2, 4)]
    assert_close(dist, np.full(6, -0.01), "hit_distance", floor=1.0)
    assert_close(pos[0, 0], -level * np.sin(tilt), "patch_position", floor=1.0)


def test_rays_end_on_the_arc():
    model = scene("plane", plane=(0.0, 0.0, 1.0, 5.0))
    rng = np.random.default_rng(3)
    origin = rng.normal(size=(200, 3))
    origin *= 2.0 / np.linalg.norm(origin, axis=1, keepdims=True)
    toward = rng.uniform(-0.2, 0.2, (200, 3)) - origin
    out = [wp.zeros(200, dtype=dtype, device="cpu") for dtype in (float, int, wp.vec3)]
    given = [wp.array(x.astype(np.float32), dtype=wp.vec3, device="cpu") for x in (origin, toward)]
    worlds = wp.full(200, -1, dtype=int, device="cpu")
    newton.intersect_ray(
        model,
        ray_origins=given[0],
        ray_directions=given[1],
        ray_worlds=worlds,
        out_dist=out[0],
        out_shape_id=out[1],
        out_normal=out[2],
    )
    dist, shape, normal = (array.numpy() for array in out)
    assert (shape == 0).all()
    x, y, z = (origin + dist[:, None] * toward).T
    off = np.hypot(y, z)
    side = np.abs(x) < HALF - 1e-4
    assert 100 < side.sum() < 200
    arc = np.hypot(x, off - RADIUS + np.sqrt(ARC**2 - HALF**2))
    assert_close(arc[side], np.full(side.sum(), ARC), "hit_distance", floor=1.0)
    assert (off[~side] <= RADIUS + tolerance("hit_distance")).all()
    assert ((normal * toward).sum(axis=1) < 0.0).all()
