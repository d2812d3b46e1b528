"""Contacts that the engine cannot make, against what geometry says they are."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from tests.harness.collide_scenes import FLAT, KINDS, corner, floor, found, hollow, mesh_of, pose, stand
from tests.tolerance import assert_close, assert_same, tolerance

SINK = 0.001
UP = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sink", (SINK, -SINK), ids=("in", "above"))
def test_shapes_touch_a_floor_of_many_triangles_as_if_it_were_one(kind, sink, device):
    """Also where edges of the floor run under them: all normals are its own, all depths the same, and flat shapes stand
    on several points.
    """
    contacts = found(stand(kind, bump(), 0.1 - sink, gap=0.002, at=(0.1, 0.05)).finalize(device=device))
    assert len(contacts["dist"]) >= FLAT[kind]
    to_shape = np.where(contacts["shapes"][:, :1] == 0, 1.0, -1.0) * contacts["normal"]
    touching = contacts["dist"] < 0.0015
    assert_close(to_shape[touching], np.tile(UP, (touching.sum(), 1)), "hit_normal")
    assert np.abs(contacts["dist"].min() + sink) < tolerance("hit_distance")
    assert np.abs(contacts["points"][touching, :, 2].mean(axis=1) + 0.5 * sink).max() < tolerance(
        "hit_distance"
    ) + 2 * tolerance("standing") * (kind in ("sphere", "ellipsoid"))
    if FLAT[kind] >= 4:
        spread = np.ptp(contacts["points"][touching, 0, :2], axis=0)
        assert (spread > 0.11).all(), spread


def bump() -> newton.Mesh:
    """A flat floor of many triangles with a post far off, so that it is not convex."""
    import trimesh

    flat = floor()
    post = trimesh.creation.box((0.1, 0.1, 0.5))
    post.apply_translation([0.9, 0.9, 0.2])
    return mesh_of(trimesh.util.concatenate([trimesh.Trimesh(flat.vertices, flat.triangles, process=False), post]))


@pytest.mark.parametrize("kind", ("sphere", "box", "hull", "mesh"))
def test_shapes_touch_the_floor_and_the_wall_of_a_corner(kind, device):
    side = 0.1 if kind == "sphere" else 0.07
    contacts = found(stand(kind, corner(), 0.2 - SINK, at=(0.1 + side - SINK, 0.0)).finalize(device=device))
    to_shape = np.where(contacts["shapes"][:, :1] == 0, 1.0, -1.0) * contacts["normal"]
    for axis in ((1, 0, 0), (0, 0, 1)):
        assert (to_shape @ axis > 1 - tolerance("standing")).any()
    assert np.abs(contacts["dist"][(to_shape.max(axis=1) > 1 - tolerance("standing"))] + SINK).max() < tolerance(
        "hit_distance"
    )


def test_two_crossed_bars_touch_where_their_edges_cross(device):
    """No corner of one is over the other."""
    import trimesh

    def bar():
        return mesh_of(
            trimesh.util.concatenate(
                [
                    trimesh.creation.box((0.6, 0.1, 0.1)),
                    trimesh.creation.box(
                        (0.1, 0.1, 0.1),
                        transform=np.diag([1, 1, 1, 1]) + np.array([[0, 0, 0, 0.5], [0] * 4, [0] * 4, [0] * 4]),
                    ),
                ]
            )
        )

    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0)
    b.add_shape_mesh(-1, mesh=bar(), cfg=cfg)
    half = float(np.sqrt(0.5))
    b.add_shape_mesh(b.add_body(xform=pose(0, 0, 0.1 - SINK, (0, 0, half, half))), mesh=bar(), cfg=cfg)
    contacts = found(b.finalize(device=device))
    assert len(contacts["dist"]) >= 4
    assert_close(np.abs(contacts["normal"][:, 2]), np.ones(len(contacts["dist"])), "hit_normal")
    assert np.abs(contacts["dist"] + SINK).max() < tolerance("hit_distance")
    where = contacts["points"].mean(axis=1)[:, :2]
    assert np.abs(where).max() < 0.05 + tolerance("standing") and (np.ptp(where, axis=0) > 0.09).all()


def test_a_ball_inside_a_closed_mesh_is_pushed_out_the_nearest_way(device):
    """Its middle 2 cm below the floor's top, and another with its middle exactly on it."""
    for depth in (0.02, 0.0):
        contacts = found(stand("sphere", bump(), -depth, at=(0.11, 0.07)).finalize(device=device))
        deepest = contacts["dist"].argmin()
        assert contacts["normal"][deepest] @ UP > 1 - tolerance("hit_normal")
        assert contacts["dist"][deepest] == pytest.approx(-0.1 - depth, abs=tolerance("outside"))


def test_meshes_follow_their_scale_and_may_be_mirrored(device):
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0)
    b.add_shape_mesh(-1, mesh=corner(), scale=(-2.0, 1.0, 0.5), cfg=cfg)
    b.add_shape_sphere(b.add_body(xform=pose(0.5, 0, 0.05 + 0.1 - SINK)), radius=0.1, cfg=cfg)
    contacts = found(b.finalize(device=device))
    assert_close(contacts["normal"], [UP], "hit_normal")
    assert_close(contacts["dist"], [-SINK], "contact", floor=1.0)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("hull", "mesh")])
def test_a_cone_touches_every_shape(kind, device):
    """With its tip, standing upside down on the shape's top: 0.1 above its middle."""
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0)
    top = 0.1
    KINDS[kind](b, b.add_body(), cfg)
    b.add_shape_cone(
        b.add_body(xform=pose(1e-4, 2e-4, top + 0.2 - SINK, (1, 0, 0, 0))), radius=0.1, half_height=0.2, cfg=cfg
    )
    contacts = found(b.finalize(device=device))
    assert len(contacts["dist"]) > 0
    if kind != "cone":
        deepest = contacts["dist"].argmin()
        assert contacts["dist"][deepest] == pytest.approx(-SINK, abs=tolerance("outside"))
        assert abs(contacts["normal"][deepest][2]) > 0.99


@pytest.mark.parametrize("phase", ("explicit", "sap"))
def test_a_ball_touches_a_cone_once(phase, device):
    """On its flank, at the rim and base, at the tip: one contact along the shortest way."""
    flank, rim = np.array([0.4, 0.0, 0.1]) / np.hypot(0.4, 0.1), np.array([0.6, 0.0, -0.8])
    spots = [([0.05, 0, 0], flank), ([0.1, 0, -0.2], rim), ([0.02, 0, -0.2], -UP), ([0, 0, 0.2], UP)]
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0)
    for i, (spot, way) in enumerate(spots):
        b.add_shape_cone(-1, xform=pose(float(i), 0, 0), radius=0.1, half_height=0.2, cfg=cfg)
        at = np.array(spot) + (0.05 - SINK) * way
        b.add_shape_sphere(b.add_body(xform=pose(float(i + at[0]), 0, float(at[2]))), radius=0.05, cfg=cfg)
    model = b.finalize(device=device)
    contacts = found(model, newton.CollisionPipeline(model, broad_phase=phase))
    order = contacts["shapes"][:, 0].argsort()
    np.testing.assert_array_equal(contacts["shapes"][order], [[0, 1], [2, 3], [4, 5], [6, 7]])
    assert_close(contacts["dist"], np.full(4, -SINK), "hit_distance", floor=1.0)
    assert_close(contacts["normal"][order], [way for _, way in spots], "hit_normal")


def test_cones_stand_on_planes_and_height_fields(device):
    for ground in ("plane", "field"):
        b = newton.ModelBuilder()
        cfg = b.ShapeConfig(gap=0.0)
        if ground == "plane":
            b.add_ground_plane(cfg=cfg)
        else:
            b.add_shape_heightfield(
                heightfield=newton.Heightfield(np.zeros((5, 5)), 5, 5, min_z=0.0, max_z=0.0), cfg=cfg
            )
        b.add_shape_cone(b.add_body(xform=pose(0.1, 0.05, 0.2 - SINK)), radius=0.1, half_height=0.2, cfg=cfg)
        contacts = found(b.finalize(device=device))
        assert len(contacts["dist"]) >= 7
        assert np.abs(contacts["dist"].min() + SINK) < tolerance("hit_distance")
        assert (np.abs(contacts["normal"][:, 2]) > 1 - tolerance("standing")).all()


def test_distance_fields_find_what_triangles_find(device):
    """A box with a pit on a corner's floor, with tables and without."""
    results = []
    for table in (False, True):
        ground, part = corner(), hollow()
        if table:
            ground.build_sdf(max_resolution=64, margin=0.02, device=device)
            part.build_sdf(max_resolution=64, margin=0.02, device=device)
        b = newton.ModelBuilder()
        cfg = b.ShapeConfig(gap=0.0)
        b.add_shape_mesh(-1, mesh=ground, cfg=cfg)
        b.add_shape_mesh(b.add_body(xform=pose(0.3, 0.1, 0.2 - SINK)), mesh=part, cfg=cfg)
        results.append(found(b.finalize(device=device)))
    exact, table = results
    assert len(table["dist"]) >= 4 and len(exact["dist"]) >= 4
    assert np.abs(table["dist"].min() - exact["dist"].min()) < tolerance("outside")
    assert (np.abs(table["normal"][:, 2]) > 1 - tolerance("standing")).all()


def test_a_convex_mesh_with_a_field_is_taken_by_its_field(device):
    """Stretched alike, the table is; otherwise it is made anew."""
    for scale in ((2.0, 2.0, 2.0), (1.0, 2.0, 2.0)):
        box = newton.Mesh.create_box(0.05)
        box.build_sdf(max_resolution=16, margin=0.02, device=device)
        b = newton.ModelBuilder()
        cfg = b.ShapeConfig(gap=0.0)
        b.add_shape_mesh(-1, mesh=newton.Mesh.create_box(0.5), cfg=cfg)
        b.add_shape_mesh(b.add_body(xform=pose(0.1, 0.1, 0.6 - SINK)), mesh=box, scale=scale, cfg=cfg)
        contacts = found(b.finalize(device=device))
        assert len(contacts["dist"]) >= 4
        assert np.abs(contacts["dist"] + SINK).max() < tolerance("outside")


def test_rows_have_margins_and_radii_as_the_engines_have(device):
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0, margin=0.01)
    b.add_shape_mesh(-1, mesh=corner(), cfg=cfg)
    b.add_shape_sphere(b.add_body(xform=pose(0.3, 0, 0.215)), radius=0.1, cfg=cfg)
    rows = found(b.finalize(device=device))["rows"]
    assert_close(rows["margin0"], [0.01], "authored")
    assert_close(rows["margin1"], [0.11], "authored")
    assert_close(rows["point0"], [[0.3, 0, 0.1]], "contact", floor=1.0)
    assert_close(rows["point1"], [[0, 0, 0]], "contact", floor=1.0)
    assert_close(rows["offset1"], [[0, 0, -0.11]], "contact", floor=1.0)


def many(worlds: int):
    """Parts of all kinds on a corner, in worlds that are copies."""
    one = newton.ModelBuilder()
    cfg = one.ShapeConfig(gap=0.02)
    for k, kind in enumerate(KINDS):
        KINDS[kind](one, one.add_body(xform=pose(0.16 * (k % 3) + 0.15, 0.25 * (k // 3) - 0.3, 0.19)), cfg)
    b = newton.ModelBuilder()
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.02))
    b.replicate(one, worlds)
    return b


def rows_of_world(model, contacts, world: int) -> list:
    """Rows of one world, shapes counted within it."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    shapes = np.stack([contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_shape1.numpy()[:n]], 1)
    own = model.shape_world.numpy()[shapes].max(axis=1) == world
    local = np.where(model.shape_world.numpy()[shapes] >= 0, shapes - world * len(KINDS), shapes)
    return [
        local[own],
        *(
            getattr(contacts, f"rigid_contact_{name}").numpy()[:n][own]
            for name in ("point0", "point1", "normal", "margin0")
        ),
    ]


def test_contacts_do_not_depend_on_broad_phase_run_or_number_of_worlds(device):
    want = None
    for worlds, phase in ((1, None), (3, "nxn"), (3, "sap"), (2, "explicit")):
        model = many(worlds).finalize(device=device)
        pipeline = newton.CollisionPipeline(model, broad_phase=phase)
        contacts = pipeline.contacts()
        for _ in range(2):
            pipeline.collide(model.state(), contacts)
        for world in range(worlds):
            got = rows_of_world(model, contacts, world)
            want = want or got
            assert len(got[0]) > 30
            for a, b in zip(got, want, strict=True):
                assert_same(a, b)


def test_what_does_not_fit_is_counted_by_kind(device):
    model = many(1).finalize(device=device)
    whole = newton.CollisionPipeline(model)
    everything = whole.contacts()
    whole.collide(model.state(), everything)
    total = int(everything.rigid_contact_count.numpy()[0])
    pipeline = newton.CollisionPipeline(model, rigid_contact_max=5)
    contacts = pipeline.contacts()
    if model.device.is_cpu:
        with pytest.warns(newton.NewtonWarning, match="contacts did not fit into 5 rows"):
            pipeline.collide(model.state(), contacts)
    assert contacts.rigid_contact_count.numpy()[0] == 5 and pipeline.lost == total - 5
    assert whole.lost_pairs == 0


def test_groups_and_filters_hold_outside_the_engine_too(device):
    b = many(1)
    b.add_shape_collision_filter_pair(0, 1)
    b.shape_collision_group[5] = 7
    model = b.finalize(device=device)
    pairs = {tuple(sorted(p)) for p in found(model)["shapes"].tolist()}
    assert (0, 1) not in pairs and not any(5 in p for p in pairs) and (0, 2) in pairs
    only = newton.CollisionPipeline(model, broad_phase="explicit", shape_pairs_filtered=np.array([[0, 1], [3, 0]]))
    assert {tuple(sorted(p)) for p in found(model, only)["shapes"].tolist()} == {(0, 1), (0, 3)}


def test_reduction_keeps_the_deepest_and_the_widest(device):
    """A finely cut plate on a plane: all its corners touch; a few stay, among them those of the plate."""
    plate = floor(15)
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.0)
    b.add_ground_plane(cfg=cfg)
    tilt = 1e-4
    b.add_shape_mesh(
        b.add_body(xform=pose(0, 0, 1.0 - 1e-3, (0, np.sin(tilt / 2), 0, np.cos(tilt / 2)))),
        mesh=bumped(plate),
        cfg=cfg,
    )
    model = b.finalize(device=device)
    few, all_ = found(model), found(model, newton.CollisionPipeline(model, reduce_contacts=False))
    assert len(few["dist"]) <= 8 < 200 < len(all_["dist"])
    assert few["dist"].min() == all_["dist"].min()
    assert (np.ptp(few["points"][:, 0, :2], axis=0) > 1.7).all()


def test_without_reduction_the_deepest_512_of_a_pair_stay_and_the_others_are_counted(device):
    """A bumpy plate upside down over a plane: every vertex is a contact."""
    plate = floor(40, bumpy=0.05)
    b = newton.ModelBuilder()
    b.add_ground_plane(cfg=b.ShapeConfig(gap=0.2))
    b.add_shape_mesh(b.add_body(xform=pose(0, 0, 0.06, (1, 0, 0, 0))), mesh=plate, cfg=b.ShapeConfig(gap=0.0))
    model = b.finalize(device=device)
    pipeline = newton.CollisionPipeline(model, reduce_contacts=False, rigid_contact_max=5000)
    with pytest.warns(newton.NewtonWarning, match="contacts did not fit"):
        dist = np.sort(found(model, pipeline)["dist"])
    height = 0.06 - plate.vertices[:1600, 2]
    assert len(dist) == 512 and pipeline.lost_by_world()["features"].tolist() == [pipeline.lost]
    assert 1600 <= 512 + pipeline.lost < 1620
    assert np.abs(dist - height[height < dist[-1] - 1e-5, None]).min(axis=1).max() < tolerance("hit_distance")


def bumped(plate):
    """The plate with a notch, so that it is not convex."""
    vertices = plate.vertices.copy()
    top = len(vertices) // 4
    vertices[top, 2] -= 0.3
    return newton.Mesh(vertices, plate.indices)


SOUND = {
    "same place": lambda b, cfg: b.add_shape_mesh(b.add_body(), mesh=corner(), cfg=cfg),
    "far away": lambda b, cfg: b.add_shape_sphere(b.add_body(xform=pose(1e6, 1e6, 1e6)), cfg=cfg),
    "a point on an edge": lambda b, cfg: b.add_shape_sphere(
        b.add_body(xform=pose(0.1, 0.0, 0.1)), radius=1e-6, cfg=cfg
    ),
    "a ball in the middle": lambda b, cfg: b.add_shape_sphere(b.add_body(), radius=0.1, cfg=cfg),
    "a box in the middle": lambda b, cfg: b.add_shape_box(b.add_body(), hx=0.1, hy=0.1, hz=0.1, cfg=cfg),
    "a short capsule": lambda b, cfg: b.add_shape_capsule(
        b.add_body(xform=pose(0.3, 0, 0.15)), radius=0.1, half_height=1e-9, cfg=cfg
    ),
    "triangles without area": lambda b, cfg: b.add_shape_mesh(
        b.add_body(xform=pose(0.3, 0, 0.15)), mesh=slivers(), cfg=cfg
    ),
}


def slivers() -> newton.Mesh:
    """A box with a hole, with triangles on a line and in a point besides."""
    made = hollow()
    return newton.Mesh(made.vertices, np.concatenate([made.indices, [0, 0, 0, 0, 1, 1, 0, 1, 0]]))


@pytest.mark.filterwarnings("ignore:finalize. Inertia validation")
@pytest.mark.parametrize("add", SOUND.values(), ids=SOUND)
def test_degenerate_poses_and_shapes_give_finite_contacts(add, device):
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.001)
    b.add_shape_mesh(-1, mesh=corner(), cfg=cfg)
    add(b, cfg)
    contacts = found(b.finalize(device=device))
    for name in ("points", "normal", "dist"):
        assert np.isfinite(contacts[name]).all()
    assert_close(np.linalg.norm(contacts["normal"], axis=1), np.ones(len(contacts["dist"])), "contact")


def test_poses_that_are_no_numbers_have_no_contacts(device):
    model = many(2).finalize(device=device)
    state = model.state()
    poses = state.body_q.numpy()
    poses[: len(KINDS)] = np.nan
    state.body_q.assign(poses)
    contacts = found(model, state=state)
    worlds = model.shape_world.numpy()[contacts["shapes"]].max(axis=1)
    assert (worlds == 1).all() and len(worlds) > 30 and np.isfinite(contacts["dist"]).all()


def test_what_cannot_be_pressed_is_refused(device):
    b = newton.ModelBuilder()
    field = newton.Heightfield(np.zeros((3, 3)), 3, 3)
    with pytest.raises(ModelError, match="is_hydroelastic: a height field has no pressure inside"):
        b.add_shape_heightfield(heightfield=field, cfg=b.ShapeConfig(is_hydroelastic=True))
    with pytest.raises(ModelError, match="kh: -1"):
        b.add_shape_sphere(-1, cfg=b.ShapeConfig(is_hydroelastic=True, kh=-1.0))


def test_meshes_without_a_surface_or_an_inside_are_refused_by_name(device):
    """All corners in one place; and a sheet that is to be pressed. A sheet by itself collides."""
    square = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    for corners, soft, message in (
        ([[0, 0, 0]] * 4, False, "no triangle of its mesh has area"),
        (square, True, "nothing is inside its mesh"),
        (square, False, ""),
    ):
        b = newton.ModelBuilder()
        cfg = b.ShapeConfig(gap=0.0, is_hydroelastic=soft)
        b.add_shape_mesh(-1, mesh=newton.Mesh(corners, [0, 1, 2, 1, 3, 2]), cfg=cfg, label="sheet")
        b.add_shape_sphere(b.add_body(xform=pose(0.4, 0.4, 0.1 - SINK)), radius=0.1, cfg=cfg)
        model = b.finalize(device=device)
        if message:
            with pytest.raises(ModelError, match=f"shape 'sheet': {message}"):
                newton.CollisionPipeline(model)
        else:
            assert_close(found(model)["dist"], [-SINK], "contact", floor=1.0)
