"""Body variants: what bodies weigh, collide with and show after a selection."""

import numpy as np
import pytest
import warp as wp

from newtonlite import CollisionPipeline, GeoType, Mesh, ModelBuilder, ModelError, ModelFlags, ShapeFlags, intersect_ray
from newtonlite.solvers import SolverMuJoCo
from tests.tolerance import assert_close

HALF, RADIUS = 0.25, 0.05
CUBE, BALLS, BLOCK = range(3)


def variant(kind: int, **config):
    """A cube, two small balls above each other, or the cube as a mesh."""
    builder = ModelBuilder()
    builder.rigid_gap = 0.01
    body = builder.add_body(label=("cube", "balls", "block")[kind])
    cfg = ModelBuilder.ShapeConfig(**config)
    if kind == CUBE:
        builder.add_shape_box(body, hx=HALF, hy=HALF, hz=HALF, cfg=cfg)
    elif kind == BLOCK:
        builder.add_shape_mesh(body, mesh=Mesh.create_box(HALF), cfg=cfg)
    else:
        for z in (-RADIUS, RADIUS):
            builder.add_shape_sphere(body, xform=wp.transform((0, 0, z), wp.quat_identity()), radius=RADIUS, cfg=cfg)
    return builder


def scene(worlds: int = 2, height: float = HALF - 0.01, kinds=(CUBE, BALLS, BLOCK), initial: int = 0):
    """One body that has variants in every world, over the ground."""
    one = ModelBuilder()
    body = one.add_body(xform=wp.transform((0, 0, height), wp.quat_identity()), label="thing")
    one.add_body_variants(body, [variant(kind) for kind in kinds], initial=initial)
    builder = ModelBuilder()
    builder.replicate(one, worlds)
    builder.rigid_gap = 0.01
    builder.add_ground_plane()
    return builder


def select(model, variants, bodies=None) -> int:
    ints = lambda values: wp.array(values, dtype=int, device=model.device)
    return model.select_body_variants(ints(variants), bodies=None if bodies is None else ints(bodies))


def weight(kind: int):
    """Mass, centre and inertia of the body of a variant."""
    builder = variant(kind)
    return builder.body_mass[0], np.array(builder.body_com[0]), np.array(builder.body_inertia[0]).reshape(3, 3)


def test_a_body_weighs_what_it_has_itself_and_what_its_variant_weighs(device):
    """Inertias about the common centre, by the parallel axis theorem for every point mass of both."""
    mass, com, tensor = 2.0, np.array([0.1, -0.2, 0.5]), np.diag([0.3, 0.2, 0.4])
    builder = ModelBuilder()
    body = builder.add_body(mass=mass, com=com, inertia=wp.mat33(tensor))
    builder.add_body_variants(body, [variant(CUBE), variant(BALLS)], initial=BALLS)
    model = builder.finalize(device=device)
    for kind in (BALLS, CUBE, BALLS):
        if kind != model.body_variant.numpy()[0]:
            select(model, [kind])
        parts = [(mass, com, tensor), weight(kind)]
        total = sum(m for m, _, _ in parts)
        centre = sum(m * c for m, c, _ in parts) / total
        about = sum(
            i + m * ((c - centre) @ (c - centre) * np.eye(3) - np.outer(c - centre, c - centre)) for m, c, i in parts
        )
        assert_close(model.body_mass.numpy(), [total], "force")
        assert_close(model.body_inv_mass.numpy(), [1.0 / total], "force")
        assert_close(model.body_com.numpy(), [centre], "force")
        assert_close(model.body_inertia.numpy(), [about], "force")
        assert_close(model.body_inv_inertia.numpy()[0] @ about, np.eye(3), "force")


def test_rows_have_a_role_and_hold_the_shapes_of_the_selected_variant(device):
    with_site = variant(CUBE)
    with_site.add_site(0)
    builder = ModelBuilder()
    body = builder.add_body(label="thing")
    builder.add_body_variants(body, [with_site, variant(BALLS, mu=0.2)], labels=["boxed", "balls"])
    model = builder.finalize(device=device)
    assert list(model.shape_label) == ["thing/variant_collider_0", "thing/variant_collider_1", "thing/variant_site_0"]
    assert model.body_variant_labels(0) == ["boxed", "balls"]
    live = int(ShapeFlags.VISIBLE | ShapeFlags.COLLIDE_SHAPES)
    assert (model.shape_flags.numpy()[:2] & live).tolist() == [live, 0]
    flags = select(model, [1])
    assert flags == ModelFlags.SHAPE_TYPE_AND_SOURCE | ModelFlags.SHAPE_PROPERTIES | ModelFlags.BODY_INERTIAL_PROPERTIES
    assert model.shape_type.numpy()[:2].tolist() == [GeoType.SPHERE] * 2
    assert (model.shape_flags.numpy()[:2] & live).tolist() == [live, live]
    assert_close(model.shape_material_mu.numpy()[:2], [0.2, 0.2], "force")
    assert not select(model, [-1]) - flags and model.body_variant.numpy().tolist() == [1]


@pytest.mark.parametrize("broad_phase", ["explicit", "nxn", "sap"])
def test_a_pipeline_finds_contacts_of_the_selected_variant(broad_phase, device):
    """The cube and the mesh touch the ground, the balls hover above it."""
    model = scene().finalize(device=device)
    pipeline = CollisionPipeline(model, broad_phase=broad_phase)
    contacts = pipeline.contacts()
    ground = model.shape_count - 1
    for variants, touching in (([CUBE, BALLS], {0, ground}), ([BALLS, BLOCK], {2, ground})):
        select(model, variants)
        pipeline.collide(model.state(), contacts)
        n = int(contacts.rigid_contact_count.numpy()[0])
        found = {
            *contacts.rigid_contact_shape0.numpy()[:n].tolist(),
            *contacts.rigid_contact_shape1.numpy()[:n].tolist(),
        }
        assert found == touching


def test_rays_meet_the_selected_variant(device):
    model = scene().finalize(device=device)
    hit = wp.zeros(2, dtype=int, device=device)
    vectors = lambda v: wp.array([v] * 2, dtype=wp.vec3, device=device)
    rays = {"ray_origins": vectors((-2, 0, 0.45)), "ray_directions": vectors((1, 0, 0)), "out_shape_id": hit}
    for variants, wanted in (([BALLS, CUBE], [-1, 2]), ([CUBE, BALLS], [0, -1])):
        select(model, variants)
        model.bvh_refit_shapes(model.state())
        intersect_ray(model, ray_worlds=wp.array([0, 1], dtype=int, device=device), **rays)
        assert hit.numpy().tolist() == wanted


def test_a_solver_follows_a_selection_in_the_middle_of_a_run(device):
    """Worlds that become unlike go on from where they were; both bodies come to rest on what they are now."""
    model = scene(height=0.4, kinds=(CUBE, BALLS)).finalize(device=device)
    solver, states = SolverMuJoCo(model, nconmax=16), [model.state(), model.state()]
    control = model.control()
    for step in range(160):
        if step == 4:
            before = states[0].body_q.numpy()
            solver.notify_model_changed(select(model, [CUBE, BALLS]))
            assert len(solver.groups) == 2
            assert_close(states[0].body_q.numpy(), before, "force")
        solver.step(states[0], states[1], control, None, 0.01)
        states.reverse()
    assert_close(states[0].body_q.numpy()[:, 2], [HALF, 2.0 * RADIUS], "contact_rest")


def test_options_set_on_the_engine_stay_when_worlds_are_grouped_anew(device):
    model = scene(kinds=(CUBE, BALLS)).finalize(device=device)
    solver, state = SolverMuJoCo(model, nconmax=16), model.state()
    opt = solver.mjw_model.opt
    opt.iterations, opt.cone, opt.density = 7, 1, 2.5
    opt.tolerance.assign(np.array([1e-5, 1e-7], np.float32))
    solver.notify_model_changed(select(model, [CUBE, BALLS]))
    assert len(solver.groups) == 2
    for engine, tolerance in zip(solver.groups, (1e-5, 1e-7), strict=True):
        m = engine.mjw_model
        assert (m.opt_iterations, m.opt_cone) == (7, 1)
        assert_close(m.opt_density.numpy(), [2.5], "parameter")
        assert_close(m.opt_tolerance.numpy(), [tolerance], "parameter")
    solver.step(state, model.state(), model.control(), None, 0.01)
    solver.notify_model_changed(select(model, [CUBE, CUBE]))
    m = solver.only.mjw_model
    assert m.opt_iterations == 7 and m.opt_cone == 1
    assert_close(m.opt_tolerance.numpy(), [1e-5, 1e-7], "parameter")


def wrong(builder, body):
    """What add_body_variants refuses: variants, and the error."""
    two, loose, soft = ModelBuilder(), variant(CUBE), ModelBuilder()
    two.add_body()
    two.add_body()
    loose.add_shape_box(-1)
    config = ModelBuilder.ShapeConfig(is_hydroelastic=True, sdf_max_resolution=8)
    soft.add_shape_sphere(soft.add_body(), radius=0.1, cfg=config)
    other = variant(CUBE)
    other.shape_collision_group[0] = 2
    yield [two], "exactly one body"
    yield [loose], "not attached"
    yield [soft], "hydroelastic"
    yield [variant(CUBE), other], "collision groups"
    yield [builder], "no variants itself"
    yield [], "at least one"


def test_what_is_no_variant_is_refused_and_leaves_the_builder_as_it_was():
    builder = ModelBuilder()
    body = builder.add_body()
    for variants, error in wrong(builder, body):
        with pytest.raises(ModelError, match=error):
            builder.add_body_variants(body, variants)
        assert not builder.shape_count and not builder._variants
    with pytest.raises(IndexError, match="variant 1 does not exist"):
        builder.add_body_variants(body, [variant(CUBE)], initial=1)
    builder.add_body_variants(body, [variant(CUBE)])
    with pytest.raises(ModelError, match="already has variants"):
        builder.add_body_variants(body, [variant(CUBE)])
    with pytest.raises(NotImplementedError, match="collapse before"):
        builder.collapse_fixed_joints()
    model = builder.finalize("cpu")
    with pytest.raises(ModelError, match="one variant per body"):
        select(model, [0, 0])
    with pytest.raises(IndexError, match="body 3"):
        model.body_variant_labels(3)
