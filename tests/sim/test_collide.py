"""Model.collide, Model.contacts and the arguments of CollisionPipeline."""

import numpy as np
import pytest
import trimesh
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError, NewtonWarning, StateError
from tests.harness.contacts import contacts_of, found_contacts
from tests.tolerance import assert_same

ROWS = ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal", "margin0", "margin1")


def balls(count: int = 3, worlds: int = 1, **config):
    """Balls in a row on the ground, each overlapping the next."""
    one = newton.ModelBuilder()
    for k in range(count):
        one.add_shape_sphere(
            one.add_body(xform=((0.15 * k, 0, 0.1), (0, 0, 0, 1))), radius=0.1, cfg=one.ShapeConfig(gap=0.0, **config)
        )
    b = newton.ModelBuilder()
    b.add_ground_plane(cfg=b.ShapeConfig(gap=0.0))
    b.replicate(one, worlds)
    return b


def pairs(contacts) -> list:
    """Shapes of each row."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    both = np.stack([contacts.rigid_contact_shape0.numpy()[:n], contacts.rigid_contact_shape1.numpy()[:n]], axis=1)
    return [tuple(sorted(row)) for row in both.tolist()]


def bits(contacts) -> list:
    """All rows in use."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    return [getattr(contacts, f"rigid_contact_{name}").numpy()[:n] for name in ROWS]


def test_collide_makes_contacts_or_fills_those_given(device):
    model = balls().finalize(device=device)
    state, mine = model.state(), contacts_of(model)
    found = found_contacts(model, state)
    assert found_contacts(model, state, mine) is mine and found is not mine
    assert set(pairs(mine)) == {(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)}
    for a, b in zip(bits(found), bits(mine), strict=True):
        assert_same(a, b)
    assert mine.contact_generation.numpy()[0] == 1


def test_every_broad_phase_finds_the_same_in_every_run(device):
    model = balls(worlds=3).finalize(device=device)
    state = model.state()
    want = None
    for phase in (None, "nxn", "sap", "explicit", "nxn"):
        pipeline = newton.CollisionPipeline(model, broad_phase=phase)
        contacts = pipeline.contacts()
        pipeline.collide(state, contacts)
        pipeline.collide(state, contacts)
        got = bits(contacts)
        want = want or got
        assert len(got[0]) == 15
        for a, b in zip(got, want, strict=True):
            assert_same(a, b)


def test_worlds_side_by_side_find_what_one_world_finds(device):
    """Worlds that are no copies of each other go as one; their contacts are those of each alone."""
    alike = balls(worlds=2).finalize(device=device)
    b = newton.ModelBuilder()
    b.add_ground_plane(cfg=b.ShapeConfig(gap=0.0))
    for count in (3, 2):
        b.begin_world()
        b.add_builder(balls_alone(count))
        b.end_world()
    unlike = b.finalize(device=device)
    one, other = newton.CollisionPipeline(alike), newton.CollisionPipeline(unlike)
    assert (one.nworld, other.nworld) == (2, 1)
    found = pairs(found_contacts(unlike, unlike.state(), collision_pipeline=other))
    assert set(found) == {(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (0, 4), (0, 5), (4, 5)} and len(found) == 8


def balls_alone(count: int):
    """Balls in a row without a ground."""
    b = newton.ModelBuilder()
    for k in range(count):
        b.add_shape_sphere(b.add_body(xform=((0.15 * k, 0, 0.1), (0, 0, 0, 1))), radius=0.1, cfg=b.ShapeConfig(gap=0.0))
    return b


def test_groups_filters_and_flags_say_who_meets_whom(device):
    b = balls()
    b.add_shape_collision_filter_pair(1, 2)
    b.shape_collision_group[3] = 7
    model = b.finalize(device=device)
    assert set(pairs(found_contacts(model, model.state()))) <= {
        tuple(p) for p in model.shape_contact_pairs.numpy().tolist()
    }
    assert (1, 2) not in pairs(found_contacts(model, model.state())) and (0, 1) in pairs(
        found_contacts(model, model.state())
    )


def test_a_caller_may_list_the_pairs(device):
    model = balls().finalize(device=device)
    pipeline = newton.CollisionPipeline(model, broad_phase="explicit", shape_pairs_filtered=np.array([[2, 1], [0, 3]]))
    assert set(pairs(found_contacts(model, model.state(), collision_pipeline=pipeline))) == {(1, 2), (0, 3)}
    with pytest.raises(ModelError, match="shape_pairs_filtered: give pairs of two different shapes"):
        newton.CollisionPipeline(model, broad_phase="explicit", shape_pairs_filtered=np.array([[0, 9]]))
    for bad in ("ab", [[0.5, 1.0]], [[0, 1, 2]]):
        with pytest.raises(ModelError, match="shape_pairs_filtered: give whole numbers"):
            newton.CollisionPipeline(model, broad_phase="explicit", shape_pairs_filtered=np.array(bad))
    for name, value in (
        ("rigid_contact_max", -1),
        ("rigid_contact_max", float("nan")),
        ("shape_pairs_max", 0),
        ("shape_pairs_max", float("nan")),
    ):
        with pytest.raises(ModelError, match=f"CollisionPipeline {name}: .*; give a whole number"):
            newton.CollisionPipeline(model, **{name: value})
    with pytest.raises(ModelError, match="shape_pairs_filtered: is for broad_phase='explicit'"):
        newton.CollisionPipeline(model, shape_pairs_filtered=np.array([[0, 1]]))


def test_bodies_that_nothing_moves_meet_unless_told_otherwise(device):
    b = balls(2)
    b.body_flags[0] = b.body_flags[1] = newton.BodyFlags.KINEMATIC
    model = b.finalize(device=device)
    for include, count in ((True, 3), (False, 0)):
        pipeline = newton.CollisionPipeline(model, include_static_kinematic_pairs=include)
        contacts = pipeline.contacts()
        pipeline.collide(model.state(), contacts)
        assert len(pairs(contacts)) == count


@pytest.mark.parametrize("worlds", (1, 2))
def test_what_does_not_fit_is_counted_and_reported(device, worlds):
    model = balls(worlds=worlds).finalize(device=device)
    pipeline = newton.CollisionPipeline(model, rigid_contact_max=2)
    contacts = pipeline.contacts()
    assert contacts.rigid_contact_max == 2
    if model.device.is_cpu:
        with pytest.warns(NewtonWarning, match="contacts did not fit into 2 rows"):
            pipeline.collide(model.state(), contacts)
    else:
        pipeline.collide(model.state(), contacts)
    assert len(pairs(contacts)) == 2 and pipeline.lost == 5 * worlds - 2


def test_bodies_without_mass_collide_as_others(device):
    """Collision alone needs no inertia, of no joint."""
    found = []
    for density in (1000.0, 0.0):
        b = newton.ModelBuilder()
        b.add_ground_plane(cfg=b.ShapeConfig(gap=0.0))
        cfg = b.ShapeConfig(gap=0.0, density=density)
        for k in range(3):
            body = b.add_link(xform=((0.15 * k, 0, 0.09), (0, 0, 0, 1)))
            b.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
            b.add_articulation([b.add_joint_free(body) if k else b.add_joint_revolute(-1, body, axis=(0, 0, 1))])
        model = b.finalize(device=device)
        assert (model.body_mass.numpy() > 0).all() == (density > 0)
        found.append(bits(found_contacts(model, model.state())))
    assert len(found[0][0]) > 8
    for one, other in zip(*found, strict=True):
        assert_same(one, other)


def test_scenes_without_pairs_have_no_contacts(device):
    for b in (newton.ModelBuilder(), balls_alone(1)):
        model = b.finalize(device=device)
        assert pairs(found_contacts(model, model.state())) == []


def test_meshes_that_are_not_convex_collide_by_their_triangles(device):
    """Convex ones are the engine's. A ball in the corner of an L touches both sides, and its hull would have swallowed
    it.
    """
    u = trimesh.util.concatenate([trimesh.creation.box((1, 1, 0.2)), trimesh.creation.box((0.2, 1, 1))])
    for mesh, worlds in ((u, 0), (trimesh.creation.box((1, 1, 1)), 1)):
        b = newton.ModelBuilder()
        b.add_shape_mesh(-1, mesh=newton.Mesh(mesh.vertices, mesh.faces.ravel()), cfg=b.ShapeConfig(gap=0.0))
        b.add_shape_sphere(b.add_body(xform=((0.199, 0, 0.199), (0, 0, 0, 1))), radius=0.1, cfg=b.ShapeConfig(gap=0.0))
        model = b.finalize(device=device)
        pipeline = newton.CollisionPipeline(model)
        assert pipeline.nworld == worlds
        if not worlds:
            assert pairs(found_contacts(model, model.state(), collision_pipeline=pipeline)) == [(0, 1), (0, 1)]


def test_what_is_not_supported_is_refused_by_name(device):
    model = balls().finalize(device=device)
    refused = {"dynamic_shape_scale": True, "requires_grad": True, "narrow_phase": object()}
    for name, value in refused.items():
        with pytest.raises(ModelError, match=f"CollisionPipeline: {name} is not supported"):
            newton.CollisionPipeline(model, **{name: value})
    with pytest.raises(ModelError, match="'colour' is unknown"):
        newton.CollisionPipeline(model, colour=3)
    with pytest.raises(ModelError, match="broad_phase: 'octree'"):
        newton.CollisionPipeline(model, broad_phase="octree")
    newton.CollisionPipeline(
        model, contact_matching="disabled", soft_contact_max=0, reduce_contacts=True, deterministic=True
    )
    pipeline = newton.CollisionPipeline(model)
    with pytest.raises(ModelError, match="soft contacts are not supported"):
        pipeline.collide(model.state(), pipeline.contacts(), soft_self_contact=True)
    with pytest.raises(StateError, match="expected a Contacts, got NoneType"):
        pipeline.collide(model.state(), None)
    with pytest.raises(StateError, match="state.body_q must be transforms"):
        pipeline.collide(balls(2).finalize(device=device).state(), pipeline.contacts())
    with pytest.raises(ModelError, match="enable_rigid_soft_full_surface_contact"):
        with pytest.warns(newton.NewtonDeprecationWarning):
            model.collide(model.state(), enable_rigid_soft_full_surface_contact=True)


def test_gaps_of_soft_contacts_have_nothing_to_act_on(device):
    """No model has particles; the former name warns."""
    model = balls().finalize(device=device)
    pipeline = newton.CollisionPipeline(model, soft_contact_gap=0.1)
    for call in (
        lambda: newton.CollisionPipeline(model, soft_contact_margin=0.1),
        lambda: pipeline.collide(model.state(), pipeline.contacts(), soft_contact_margin=0.1),
    ):
        with pytest.warns(newton.NewtonDeprecationWarning, match="now soft_contact_gap"):
            call()
    with pytest.raises(ModelError, match="give one"):
        newton.CollisionPipeline(model, soft_contact_margin=0.1, soft_contact_gap=0.1)


def test_names_that_are_not_here_say_what_to_do_instead(device):
    """Of Newton's pipelines: soft things and ranges are refused, what there is nothing of is empty."""
    pipeline = newton.CollisionPipeline(balls().finalize(device=device))
    for call, name in (
        (lambda: pipeline.init_soft_self_contact(margin=0.1), "init_soft_self_contact"),
        (lambda: pipeline.refit_soft_self_contact_bvh(None), "refit_soft_self_contact_bvh"),
        (lambda: pipeline.set_collision_detection_range(soft_contact_gap=0.1), "set_collision_detection_range"),
    ):
        with pytest.raises(ModelError, match=f"CollisionPipeline.{name}: .*not supported"):
            call()
    pipeline.set_collision_detection_range()
    assert (
        pipeline.body_pair_reduction is None
        and pipeline.soft_contact_pair_count == pipeline.soft_rigid_contact_pair_count == 0
    )
    assert pipeline.contacts().contact_matching_mode == "disabled"


def test_listed_pairs_name_shapes_that_collide_with_nothing_else(device):
    """Contacts are those of shapes that collide, by the engine and by triangles."""
    counts = {}
    for collides in (True, False):
        b = newton.ModelBuilder()
        cfg = b.ShapeConfig(has_shape_collision=collides)
        b.add_shape_box(-1, hx=1.0, hy=1.0, hz=0.1, cfg=cfg)
        b.add_shape_cone(-1, xform=((3, 0, 0), (0, 0, 0, 1)), radius=1.0, half_height=0.1, cfg=cfg)
        for x in (0, 3):
            b.add_shape_sphere(b.add_body(xform=((x, 0, 0.15), (0, 0, 0, 1))), radius=0.1)
        model = b.finalize(device=device)
        pipeline = newton.CollisionPipeline(
            model, broad_phase="explicit", shape_pairs_filtered=np.array([[0, 2], [1, 3]])
        )
        counts[collides] = pairs(found_contacts(model, model.state(), collision_pipeline=pipeline))
    assert counts[True] == counts[False] and set(counts[True]) == {(0, 2), (1, 3)}


def test_pairs_of_meshes_are_counted_with_height_fields_among_them(device):
    b = newton.ModelBuilder()
    field = b.add_shape_heightfield(heightfield=newton.Heightfield(np.zeros((2, 2)), 2, 2))
    plane = b.add_shape_plane()
    cubes = [b.add_shape_mesh(b.add_body(), mesh=newton.Mesh.create_box(0.1)) for _ in range(2)]
    pairs = [[cubes[0], cubes[1]], [cubes[0], field], [cubes[1], plane]]
    model = b.finalize(device=device)
    chosen = wp.array(pairs, dtype=wp.vec2i, device=device)
    facts = newton.CollisionPipeline(model, broad_phase="explicit", shape_pairs_filtered=chosen).narrow_phase
    assert (facts.max_mesh_mesh_pairs, facts.max_mesh_plane_pairs) == (2, 1)


def test_room_for_contacts_of_particles_is_empty_and_has_rows_of_forces():
    contacts = newton.Contacts(3, 2, device="cpu", requested_attributes={"force"})
    assert contacts.force.shape == (5,)
    assert contacts.soft_contact_particle.numpy().tolist() == [-1, -1]
    assert contacts.soft_contact_indices.numpy().tolist() == [[-1] * 3] * 2
    assert contacts.soft_contact_normal.shape == (2,) and contacts.soft_contact_count.numpy()[0] == 0
    assert newton.Contacts(3, device="cpu").soft_contact_shape.shape == (0,)
