"""Narrow phase over arrays of primitives: surfaces, order, margins and room."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
import warp as wp

from newtonlite.core.enums import GeoType
from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.geometry import NarrowPhase, sdf_box, sdf_capsule, sdf_cone, sdf_cylinder, sdf_sphere
from tests.tolerance import assert_close, tolerance

ROUND = (GeoType.SPHERE, GeoType.CAPSULE, GeoType.ELLIPSOID, GeoType.CYLINDER, GeoType.BOX, GeoType.CONE)
SIZE = [0.5, 0.4, 0.3, 0.0]
SPHERE, CAPSULE, CYLINDER, BOX, CONE = (
    wp.constant(int(kind)) for kind in (GeoType.SPHERE, GeoType.CAPSULE, GeoType.CYLINDER, GeoType.BOX, GeoType.CONE)
)
Z = wp.constant(int(Axis.Z))


@wp.kernel(enable_backward=False)
def surface_distance(kind: wp.array[int], pose: wp.array[wp.transform], point: wp.array[wp.vec3], out: wp.array[float]):
    """Signed distance of each point from its shape; of an ellipsoid to first order."""
    i = wp.tid()
    p = wp.transform_point(wp.transform_inverse(pose[i]), point[i])
    if kind[i] == SPHERE:
        out[i] = sdf_sphere(p, 0.5)
    elif kind[i] == CAPSULE:
        out[i] = sdf_capsule(p, 0.5, 0.4, Z)
    elif kind[i] == CYLINDER:
        out[i] = sdf_cylinder(p, 0.5, 0.4, Z)
    elif kind[i] == BOX:
        out[i] = sdf_box(p, 0.5, 0.4, 0.3)
    elif kind[i] == CONE:
        out[i] = sdf_cone(p, 0.5, 0.4, Z)
    else:
        u = wp.cw_div(p, wp.vec3(0.5, 0.4, 0.3))
        out[i] = 0.5 * (wp.dot(u, u) - 1.0) / wp.length(wp.cw_div(u, wp.vec3(0.5, 0.4, 0.3)))


def size_of(kind):
    """Half a metre across; round shapes have two sizes."""
    return SIZE if kind in (GeoType.BOX, GeoType.ELLIPSOID) else [0.5, 0.4, 0.0, 0.0]


def array(values, dtype):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


def collided(kinds, poses, pairs, *, phase=None, size=None, gap=0.0, data=None, room=4096):
    """Contacts as (count, pairs, positions, normals, distances, tangents)."""
    n = len(kinds)
    phase = phase or NarrowPhase(max_candidate_pairs=max(1, len(pairs)), device="cpu")
    out = [wp.zeros(room, dtype=dtype, device="cpu") for dtype in (wp.vec2i, wp.vec3, wp.vec3, float, wp.vec3)]
    count = wp.zeros(1, dtype=int, device="cpu")
    phase.launch(
        candidate_pair=array(pairs, wp.vec2i),
        candidate_pair_count=array([len(pairs) if size is None else size], int),
        shape_types=array([int(kind) for kind in kinds], int),
        shape_data=array([size_of(kind) for kind in kinds] if data is None else data, wp.vec4),
        shape_transform=array(poses, wp.transform),
        shape_source=wp.zeros(n, dtype=wp.uint64, device="cpu"),
        shape_gap=array(np.full(n, gap), float),
        contact_pair=out[0],
        contact_position=out[1],
        contact_normal=out[2],
        contact_penetration=out[3],
        contact_count=count,
        contact_tangent=out[4],
    )
    total = int(count.numpy()[0])
    return total, *(o.numpy()[: min(total, room)] for o in out)


def random_poses(rng, n, spread):
    """Places and turns."""
    q = rng.normal(size=(n, 4))
    return np.hstack([rng.uniform(-spread, spread, (n, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)]).astype(
        np.float32
    )


def test_contacts_lie_between_the_surfaces_of_every_two_kinds():
    rng, each = np.random.default_rng(2), 30
    kinds = [kind for pair in combinations_with_replacement(ROUND, 2) for _ in range(each) for kind in pair]
    poses = random_poses(rng, len(kinds), 0.7)
    pairs = np.arange(len(kinds)).reshape(-1, 2)
    pairs[::2] = pairs[::2, ::-1]
    # those beyond 5 cm have none
    count, which, pos, normal, dist, tangent = collided(kinds, poses, pairs, gap=0.025)
    assert 0.3 * len(pairs) < count < 1.2 * len(pairs)
    assert {tuple(pair) for pair in which} <= {tuple(pair) for pair in pairs}
    assert (np.diff([int(np.flatnonzero((pairs == pair).all(axis=1))[0]) for pair in which]) >= 0).all()
    assert dist.max() <= 0.05
    assert_close(np.linalg.norm(normal, axis=1), np.ones(count), "hit_distance")
    assert_close(np.linalg.norm(tangent, axis=1), np.ones(count), "hit_distance")
    assert_close((normal * tangent).sum(axis=1), np.zeros(count), "hit_distance")
    worst = []
    for side, sign in ((0, -0.5), (1, 0.5)):
        shapes = which[:, side]
        point = pos + sign * dist[:, None] * normal
        got = wp.zeros(count, dtype=float, device="cpu")
        wp.launch(
            surface_distance,
            dim=count,
            inputs=[
                array([int(kinds[i]) for i in shapes], int),
                array(poses[shapes], wp.transform),
                array(point, wp.vec3),
            ],
            outputs=[got],
            device="cpu",
        )
        worst.append(np.abs(got.numpy()))
    # deeper than that the segment of a capsule may be inside the other shape; the second contact of capsule and box is
    # that of a ball within the capsule
    second = [{kinds[a], kinds[b]} == {GeoType.CAPSULE, GeoType.BOX} for a, b in which]
    shallow = (dist > -0.05) & ~np.array(second)
    assert shallow.sum() > 30
    assert max(np.max(w[shallow]) for w in worst) < tolerance("patch_position")


def test_planes_touch_what_lies_over_them():
    kinds = [GeoType.PLANE, *ROUND]
    flat = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    low = {GeoType.SPHERE: 0.5, GeoType.CAPSULE: 0.9, GeoType.ELLIPSOID: 0.3, GeoType.CYLINDER: 0.4, GeoType.BOX: 0.3}
    poses = [flat, *([k, 0.0, low.get(kind, 0.4) - 0.01, 0.0, 0.0, 0.0, 1.0] for k, kind in enumerate(ROUND))]
    pairs = [(i, 0) for i in range(1, len(kinds))]
    wide = [[0.0] * 4, *(size_of(kind) for kind in ROUND)]
    _, which, _, normal, dist, _ = collided(kinds, poses, pairs, data=wide)
    assert_close(normal, np.broadcast_to([0.0, 0.0, -1.0], normal.shape), "hit_distance")
    for i in range(1, len(kinds)):
        assert_close(dist[which[:, 0] == i].min(), -0.01, "hit_distance", floor=1.0, what=kinds[i].name)
    assert [(which[:, 0] == i).sum() for i in range(1, len(kinds))] == [1, 1, 1, 3, 4, 3]
    # a plane of two by two metres: what lies beside it is free
    small = [[2.0, 2.0, 0.0, 0.0], *(size_of(kind) for kind in ROUND)]
    assert set(collided(kinds, poses, pairs, data=small)[1][:, 0]) == {1, 2, 3}


def test_margins_gaps_room_and_self_pairs():
    kinds, data = [GeoType.SPHERE] * 3, [[0.5, 0.0, 0.0, 0.01]] * 3
    poses = [[x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0] for x in (0.0, 1.05, 1.9)]
    pairs = [(0, 1), (1, 2), (1, 1)]
    count, which, pos, normal, dist, _ = collided(kinds, poses, pairs, data=data)
    assert (count, [tuple(p) for p in which]) == (1, [(1, 2)])
    assert_close([dist[0], pos[0, 0], normal[0, 0]], [-0.15 - 0.02, 1.475, 1.0], "hit_distance")
    count, _, _, _, dist, _ = collided(kinds, poses, pairs, data=data, gap=0.02)
    assert count == 2
    assert_close(dist[0], 0.05 - 0.02, "hit_distance", floor=1.0)
    assert collided(kinds, poses, pairs, data=data, gap=0.02, room=1)[0] == 2
    assert collided(kinds, poses, pairs, data=data, gap=0.02, size=1)[0] == 1
    small = NarrowPhase(max_candidate_pairs=1, device="cpu", has_meshes=False)
    assert collided(kinds, poses, pairs[:2], data=data, gap=0.02, phase=small)[0] == 1


def test_shapes_that_are_not_collided_here_are_refused():
    flat = [[0.0] * 6 + [1.0]] * 2
    with pytest.raises(ModelError, match="shape 1 is of type MESH; it collides primitives, CollisionPipeline the rest"):
        collided([GeoType.BOX, GeoType.MESH], flat, [(0, 1)])
    with pytest.raises(ModelError, match="does not yet support speculative"):
        NarrowPhase(max_candidate_pairs=4, speculative=True)
    with pytest.raises(ModelError, match="give at least 1"):
        NarrowPhase(max_candidate_pairs=0)
