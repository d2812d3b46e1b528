"""Rows N-010 to N-016: Newton's shapes as MuJoCo's geoms and sites."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.enums import BOX, CAPSULE, CYLINDER, ELLIPSOID, PLANE, SPHERE
from tests.solvers.mujoco.scenes import builder, pose, run
from tests.tolerance import assert_close


def test_n_010_primitives_go_over_one_to_one(device):
    b = builder()
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1)
    b.add_shape_capsule(body, radius=0.1, half_height=0.2)
    b.add_shape_cylinder(body, radius=0.1, half_height=0.2)
    b.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3)
    b.add_shape_ellipsoid(body, rx=0.1, ry=0.2, rz=0.3)
    m = SolverMuJoCo(b.finalize(device=device)).mj_model
    assert m.geom_type.tolist() == [SPHERE, CAPSULE, CYLINDER, BOX, ELLIPSOID]
    sizes = [[0.1, 0, 0], [0.1, 0.2, 0], [0.1, 0.2, 0], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]
    assert_close(m.geom_size, sizes, "authored")


def test_n_011_a_plane_needs_the_world(device):
    b = builder()
    body = b.add_body()
    b.add_shape_sphere(body, radius=0.1)
    model = b.finalize(device=device)
    model.shape_type.assign([newton.GeoType.PLANE])
    with pytest.raises(ValueError, match=r"a plane must be attached to the world \(body=-1\)"):
        SolverMuJoCo(model)


def test_n_011_a_plane_is_infinite_whatever_its_size(device):
    """A ball far outside the drawn rectangle rests on it; without a size it is drawn 5 by 5."""
    b = builder()
    b.add_shape_plane(width=2.0, length=2.0)
    b.add_ground_plane(height=-50.0)
    ball = b.add_body(xform=pose(30.0, 0.0, 0.0999))
    b.add_shape_sphere(ball, radius=0.1)
    solver = SolverMuJoCo(b.finalize(device=device))
    assert solver.mj_model.geom_type.tolist()[:2] == [PLANE, PLANE]
    assert solver.mj_model.geom_size[1].tolist() == [5.0, 5.0, 5.0]
    after = run(solver, solver.model.state(), steps=100)
    assert_close(after.body_q.numpy()[0, 2:3], [0.1], "contact_rest")


def test_n_014_cones_and_gaussians_have_no_geom(device):
    b = builder()
    body = b.add_body()
    b.add_shape_cone(body, radius=0.1, half_height=0.1, label="hat")
    with pytest.raises(ModelError, match="shape 'hat': CONE is not supported by SolverMuJoCo"):
        SolverMuJoCo(b.finalize(device=device))
    with pytest.raises(ModelError, match="Gaussian splats are not supported"):
        b.add_shape_gaussian(body)


def test_n_015_sites_of_other_types_become_spheres(device):
    b = builder()
    body = b.add_body(mass=1.0, inertia=np.eye(3))
    kinds = [newton.GeoType.SPHERE, newton.GeoType.CAPSULE, newton.GeoType.CYLINDER, newton.GeoType.BOX, newton.GeoType.ELLIPSOID]
    for k, kind in enumerate(kinds):
        b.add_site(body, xform=pose(0.1 * k, 0.0, 0.0), type=kind, scale=(0.1, 0.2, 0.3), label=f"site{k}")
    m = SolverMuJoCo(b.finalize(device=device)).mj_model
    assert m.ngeom == 0 and m.names_site == [f"site{k}" for k in range(5)]
    assert m.site_type.tolist() == [SPHERE, CAPSULE, CYLINDER, BOX, SPHERE]
    assert_close(m.site_pos[:, 0], [0.0, 0.1, 0.2, 0.3, 0.4], "authored", floor=1.0)


def test_n_016_hydroelastic_and_distance_field_contacts_are_refused_by_name(device):
    b = builder()
    for setting in ("is_hydroelastic", "force_sdf"):
        with pytest.raises(ModelError, match=f"{setting}: signed distance fields and hydroelastic contact are not supported"):
            b.add_shape_sphere(b.add_body(), cfg=b.ShapeConfig(**{setting: True}))
