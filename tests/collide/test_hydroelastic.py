"""Hydroelastic contacts against the closed form of a ball pressed into a box."""

import numpy as np
import pytest
from scipy.integrate import quad

import newtonlite as newton
from newtonlite.core.errors import ModelError, StateError
from newtonlite.solvers import SolverMuJoCo
from tests.harness.collide_scenes import in_world, mesh_of, pose
from tests.tolerance import assert_same, tolerance

RADIUS, DEPTH, TOP = 0.1, 0.01, 0.1


def pressed(box: float, ball: float, at=(0.0137, 0.0071), mesh=None, depth: float = DEPTH):
    """A ball of stiffness ``ball`` pressed into the top of a box of stiffness ``box``."""
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(is_hydroelastic=True, kh=box, gap=0.0)
    if mesh is None:
        b.add_shape_box(-1, hx=0.3, hy=0.3, hz=TOP, cfg=cfg)
    else:
        b.add_shape_mesh(-1, mesh=mesh, cfg=cfg)
    b.add_shape_sphere(
        b.add_body(xform=pose(*at, TOP + RADIUS - depth)),
        radius=RADIUS,
        cfg=b.ShapeConfig(is_hydroelastic=True, kh=ball, gap=0.0),
    )
    return b


def patch(model) -> dict:
    """Area, force and centre of pressure of all contacts."""
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    pipeline.collide(model.state(), contacts)
    rows = in_world(model, contacts, model.state())
    stiffness = contacts.rigid_contact_stiffness.numpy()[: len(rows["dist"])]
    kh = model.shape_material_kh.numpy()[:2].astype(float)
    load = -stiffness * rows["dist"]
    middle = rows["points"].mean(axis=1)
    up = np.where(rows["shapes"][:, :1] == 0, 1.0, -1.0) * rows["normal"]
    if not len(load):
        return {"count": 0}
    return {
        "area": stiffness.sum() / (kh.prod() / kh.sum()),
        "force": load @ up,
        "centre": load @ middle / load.sum(),
        "count": len(load),
    }


def closed_form(box: float, ball: float) -> dict:
    """Where box u = ball (R - |x - c|), u being the depth below the box's top: a surface of revolution, integrated
    along u.
    """
    share = box / ball
    lowest = DEPTH / (1.0 + share)
    far2 = lambda u: (RADIUS - share * u) ** 2 - (RADIUS - DEPTH + u) ** 2
    half_slope = lambda u: -share * (RADIUS - share * u) - (RADIUS - DEPTH + u)
    strip = lambda u: 2.0 * np.pi * np.sqrt(max(far2(u), 0.0) + half_slope(u) ** 2)
    total = lambda f: quad(f, 0.0, lowest)[0]
    weight = total(lambda u: box * u * strip(u))
    return {
        "area": total(strip),
        "force": total(lambda u: box * u * 2.0 * np.pi * abs(half_slope(u))),
        "height": TOP - total(lambda u: u * box * u * strip(u)) / weight,
    }


@pytest.mark.parametrize(
    "box, ball", [(1e7, 1e7), (1e9, 1e6), (1e6, 1e8), (3e6, 1e6)], ids=("alike", "hard box", "hard ball", "softer ball")
)
def test_a_ball_pressed_into_a_box_has_the_patch_and_pressure_of_the_closed_form(box, ball, device):
    """Area, force, and centre of pressure within 2 %, the last of the patch's radius."""
    got, want = patch(pressed(box, ball).finalize(device=device)), closed_form(box, ball)
    radius = np.sqrt(want["area"] / np.pi)
    assert abs(got["area"] / want["area"] - 1.0) < tolerance("pressed")
    assert abs(got["force"][2] / want["force"] - 1.0) < tolerance("pressed")
    assert np.abs(got["force"][:2]).max() < tolerance("pressed") * want["force"]
    assert np.linalg.norm(got["centre"] - [0.0137, 0.0071, want["height"]]) < tolerance("pressed") * radius
    assert 12 <= got["count"] <= 60


def test_a_mesh_presses_by_its_distance_field(device):
    """A box made of triangles, with a table: the same patch."""
    import trimesh

    mesh = mesh_of(trimesh.creation.box((0.6, 0.6, 2 * TOP)))
    b = pressed(1e7, 1e7, mesh=mesh)
    assert mesh.sdf is None
    model = b.finalize(device=device)
    assert mesh.sdf is not None
    got, want = patch(model), closed_form(1e7, 1e7)
    assert abs(got["area"] / want["area"] - 1.0) < tolerance("pressed")
    assert abs(got["force"][2] / want["force"] - 1.0) < tolerance("pressed")


def test_a_half_space_presses_as_a_large_box(device):
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(is_hydroelastic=True, kh=1e7, gap=0.0)
    b.add_shape_plane((0.0, 0.0, 1.0, -TOP), cfg=cfg)
    b.add_shape_sphere(b.add_body(xform=pose(0.2, 0.1, TOP + RADIUS - DEPTH)), radius=RADIUS, cfg=cfg)
    got, want = patch(b.finalize(device=device)), closed_form(1e7, 1e7)
    assert abs(got["area"] / want["area"] - 1.0) < tolerance("pressed")
    assert abs(got["force"][2] / want["force"] - 1.0) < tolerance("pressed")


def test_bodies_apart_do_not_press(device):
    assert patch(pressed(1e7, 1e7, depth=-0.001).finalize(device=device))["count"] == 0


def test_a_ball_rests_at_the_depth_at_which_the_pressure_carries_it(device):
    """In the solver, with elliptic cones, each piece is a spring of its own stiffness: the sum of k depth is m g. Little
    damping of friction, which slows the sinking along the tilted sides.
    """
    b = pressed(1e6, 1e6, at=(0.0, 0.0), depth=0.01)
    for shape in (0, 1):
        b.shape_material_kd[shape] = 600.0
        b.shape_material_kf[shape] = 100.0
    b.body_mass[0] = 3.0
    model = b.finalize(device=device)
    solver, one, two = SolverMuJoCo(model, use_mujoco_contacts=False, cone="elliptic"), model.state(), model.state()
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    assert contacts.per_contact_shape_properties
    for _ in range(400):
        pipeline.collide(one, contacts)
        solver.step(one, two, None, contacts, 0.002)
        one, two = two, one
    pipeline.collide(one, contacts)
    rows = in_world(model, contacts, one)
    load = -contacts.rigid_contact_stiffness.numpy()[: len(rows["dist"])] * rows["dist"]
    weight = 3.0 * 9.81
    assert abs(one.body_qd.numpy()[0, 2]) < tolerance("contact_rest")
    assert abs(load.sum() / weight - 1.0) < tolerance("balanced")


def test_newtons_settings_are_taken_or_refused(device):
    """Sizes of buffers change nothing; what is not here says so."""
    model = pressed(1e7, 1e7).finalize(device=device)
    Config = newton.geometry.HydroelasticSDF.Config
    config = Config(
        buffer_fraction=0.1, buffer_mult_iso=3, anchor_contact=True, normal_matching=False, mc_edge_clamp_min=0.0
    )
    found = [newton.CollisionPipeline(model, sdf_hydroelastic_config=c) for c in (None, config)]
    rows = []
    for pipeline in found:
        contacts = pipeline.contacts()
        pipeline.collide(model.state(), contacts)
        rows.append(
            [
                contacts.rigid_contact_count.numpy().copy(),
                contacts.rigid_contact_stiffness.numpy().copy(),
                contacts.rigid_contact_point0.numpy().copy(),
            ]
        )
    for one, other in zip(*rows, strict=True):
        assert_same(one, other)
    for options, said in (
        ({"reduce_contacts": False}, "reduce_contacts=False is not supported"),
        ({"moment_matching": True}, "moment_matching is not supported"),
        ({"output_contact_surface": True}, "output_contact_surface"),
        ({"pressure_func": print}, "pressure_func"),
        ({"margin_contact_area": 0.1}, "margin_contact_area"),
        ({"buffer_fraction": 1.5}, "buffer_fraction: 1.5; give a number above 0, at most 1"),
        ({"mc_edge_clamp_min": float("nan")}, "mc_edge_clamp_min: nan"),
    ):
        with pytest.raises(ModelError, match=said):
            Config(**options)
    with pytest.raises(
        ModelError, match="sdf_hydroelastic_config: give a newtonlite.geometry.HydroelasticSDF.Config, not dict"
    ):
        newton.CollisionPipeline(model, sdf_hydroelastic_config={})
    with pytest.raises(ModelError, match="CollisionPipeline makes these contacts by itself"):
        newton.geometry.HydroelasticSDF(1, 1, 1, None, 1)


def test_contacts_without_room_for_stiffness_are_refused(device):
    model = pressed(1e7, 1e7).finalize(device=device)
    pipeline = newton.CollisionPipeline(model)
    with pytest.raises(StateError, match="hydroelastic contacts have their own stiffness"):
        pipeline.collide(model.state(), newton.Contacts(100, device=device))
