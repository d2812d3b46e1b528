"""Rows N-010 to N-016: Newton's shapes as MuJoCo's geoms and sites."""

import numpy as np
import pytest
import trimesh
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers import SolverMuJoCo
from tests.harness.contacts import found_contacts
from tests.harness.engine_scenes import builder, pose
from tests.harness.newton_scenes import solver, step
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
    assert m.geom_type.tolist() == [MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.CYLINDER, MjtGeom.BOX, MjtGeom.ELLIPSOID]
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
    s = solver(b.finalize(device=device))
    assert s.mj_model.geom_type.tolist()[:2] == [MjtGeom.PLANE, MjtGeom.PLANE]
    assert s.mj_model.geom_size[1].tolist() == [5.0, 5.0, 5.0]
    after = step(s, s.model.state(), steps=100)
    assert_close(after.body_q.numpy()[0, 2:3], [0.1], "contact_rest")


def test_n_014_cones_are_meshes_and_gaussians_have_no_geom(device):
    """A cone is its mesh, in pose and hull; it stands on its base."""
    b = builder()
    b.add_ground_plane()
    body = b.add_body(xform=pose(0.0, 0.0, 0.21))
    b.add_shape_cone(body, radius=0.1, half_height=0.2, label="hat")
    mesh = newton.Mesh.create_cone(0.1, 0.2, up_axis="z")
    b.add_shape_convex_hull(b.add_body(xform=pose(1.0, 0.0, 0.21)), mesh=mesh)
    b.add_shape_cone(b.add_body(xform=pose(2.0, 0.0, 0.21)), radius=0.1, half_height=0.2)
    s = SolverMuJoCo(b.finalize(device=device))
    m = s.mj_model
    assert m.geom_type.tolist() == [MjtGeom.PLANE, MjtGeom.MESH, MjtGeom.MESH, MjtGeom.MESH]
    assert m.geom_dataid.tolist() == [-1, 0, 1, 0]
    assert m.mesh_vertnum.tolist()[0] == m.mesh_vertnum.tolist()[1]
    assert_close(m.geom_pos[1], m.geom_pos[2], "authored", floor=1.0)
    assert_close(m.geom_size[1], m.geom_size[2], "authored")
    after = step(s, s.model.state(), steps=200)
    assert_close(after.body_q.numpy()[:, 2], [0.2] * 3, "contact_rest")
    with pytest.raises(ModelError, match="Gaussian splats are not supported"):
        b.add_shape_gaussian(body)


def test_n_015_sites_of_other_types_become_spheres(device):
    b = builder()
    body = b.add_body(mass=1.0, inertia=np.eye(3))
    kinds = [
        newton.GeoType.SPHERE,
        newton.GeoType.CAPSULE,
        newton.GeoType.CYLINDER,
        newton.GeoType.BOX,
        newton.GeoType.ELLIPSOID,
    ]
    for k, kind in enumerate(kinds):
        b.add_site(body, xform=pose(0.1 * k, 0.0, 0.0), type=kind, scale=(0.1, 0.2, 0.3), label=f"site{k}")
    m = SolverMuJoCo(b.finalize(device=device)).mj_model
    assert m.ngeom == 0 and m.names_site == [f"site{k}" for k in range(5)]
    assert m.site_type.tolist() == [MjtGeom.SPHERE, MjtGeom.CAPSULE, MjtGeom.CYLINDER, MjtGeom.BOX, MjtGeom.SPHERE]
    assert_close(m.site_pos[:, 0], [0.0, 0.1, 0.2, 0.3, 0.4], "authored", floor=1.0)


def test_n_016_meshes_that_are_not_convex_collide_in_the_pipeline_alone(device):
    """Two walls of one mesh, and a ball between them: the engine's own contacts are those of the hull, the pipeline's
    of the walls.
    """
    walls = trimesh.util.concatenate(
        [
            trimesh.creation.box((0.1, 1, 1), transform=trimesh.transformations.translation_matrix([x, 0, 0]))
            for x in (-0.25, 0.25)
        ]
    )
    b = builder()
    b.add_shape_mesh(-1, mesh=newton.Mesh(walls.vertices, walls.faces.ravel()))
    b.add_shape_sphere(b.add_body(xform=pose(0, 0, 0)), radius=0.1)
    model = b.finalize(device=device)
    own, given = SolverMuJoCo(model), SolverMuJoCo(model, use_mujoco_contacts=False)
    assert np.abs(step(own, model.state()).joint_qd.numpy()).max() > 1.0
    contacts = found_contacts(model, model.state())
    assert int(contacts.rigid_contact_count.numpy()[0]) == 2
    assert_close(
        step(given, model.state(), contacts=contacts).joint_qd.numpy()[:3], [0, 0, -9.81 * 0.002], "qacc", floor=1.0
    )


def test_n_012_a_height_field_stands_at_the_height_of_its_data(device):
    """Heights are kept in 0..1 and the geom is lifted by min_z: a ball rests on the plateau of a field from -0.5 to
    0.3.
    """
    data = np.full((9, 9), -0.5)
    data[2:7, 2:7] = 0.3
    field = newton.Heightfield(data, 9, 9, hx=2.0, hy=2.0)
    b = builder()
    b.add_shape_heightfield(heightfield=field, xform=pose(0, 0, 1.0))
    ball = b.add_body(xform=pose(0.05, 0.03, 1.3999))
    b.add_shape_sphere(ball, radius=0.1)
    s = solver(b.finalize(device=device))
    m = s.mj_model
    assert m.geom_type[0] == MjtGeom.HFIELD and m.hfield_data.min() == 0.0 and m.hfield_data.max() == 1.0
    assert_close(m.geom_pos[0, 2:], [0.5], "authored")
    after = step(s, s.model.state(), steps=100)
    assert_close(after.body_q.numpy()[0, 2:3], [1.4], "contact_rest")


def test_n_013_a_mesh_collides_as_its_convex_hull(device):
    """A U of boxes rests upside down on a ball that would fit into its gap: the hull closes it. maxhullvert goes along."""
    u = trimesh.util.concatenate([trimesh.creation.box((1.0, 1.0, 0.2)), bar(-0.4), bar(0.4)])
    mesh = newton.Mesh(u.vertices, u.faces.ravel(), maxhullvert=40)
    b = builder()
    b.add_shape_sphere(-1, radius=0.2)
    body = b.add_body(xform=pose(0, 0, 0.2 + 0.7 - 1e-3, wp.quat(1.0, 0.0, 0.0, 0.0)))
    b.add_shape_mesh(body, mesh=mesh)
    s = solver(b.finalize(device=device))
    assert MjtGeom.MESH in s.mj_model.geom_type.tolist() and s.model.shape_source[1].maxhullvert == 40
    step(s, s.model.state())
    assert s.mjw_data.ncon.numpy()[0] >= 1
    assert_close(s.mjw_data.contact_pos.numpy()[0, 0], [0, 0, 0.2], "contact_rest", floor=1.0)


def bar(x: float):
    """One leg of the U."""
    leg = trimesh.creation.box((0.2, 1.0, 0.6))
    leg.apply_translation([x, 0, 0.4])
    return leg


def test_n_027_the_file_keeps_raw_limits_and_forgets_gains(device, tmp_path):
    """What is saved loads as a model of the same structure; solreflimit is there for the joint that authored it alone."""
    b = builder()
    b.add_mjcf(
        '<mujoco><compiler angle="radian"/><worldbody><body><joint name="raw" axis="0 1 0" range="-1 1" solreflimit="0.05 0.7"/>'
        '<geom size=".1" pos="0 0 .1"/></body></worldbody></mujoco>'
    )
    link = b.add_link()
    b.add_shape_sphere(link, xform=pose(1, 0, 0), radius=0.1)
    b.add_articulation(
        [b.add_joint_revolute(-1, link, limit_lower=-1.0, limit_upper=1.0, limit_ke=70.0, limit_kd=7.0, label="soft")]
    )
    path = tmp_path / "saved.xml"
    model = b.finalize(device=device)
    s = solver(model, save_to_mjcf=str(path))
    text = path.read_text()
    raw, soft = (
        next(line for line in text.splitlines() if f'name="{name}"' in line and "<joint" in line)
        for name in ("raw", "soft")
    )
    assert 'solreflimit="0.05 0.7"' in raw and "solreflimit" not in soft
    again = builder()
    again.add_mjcf(str(path))
    m = solver(again.finalize(device=device)).mj_model
    assert (m.nv, m.names_joint, m.ngeom) == (s.mj_model.nv, s.mj_model.names_joint, s.mj_model.ngeom)
    assert_close(m.jnt_solref, [[0.05, 0.7], [0.02, 1.0]], "authored")
