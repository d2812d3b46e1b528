"""Simpler shapes in the place of meshes."""

import numpy as np
import pytest
import trimesh

import newtonlite as newton
from newtonlite.core.enums import GeoType, ShapeFlags
from newtonlite.core.errors import ModelError
from tests.harness.sim_scenes import pose
from tests.tolerance import assert_close


def scene():
    """A body with an L-shaped mesh, scaled, and a sphere."""
    part = trimesh.util.concatenate([trimesh.creation.box((2.0, 1.0, 1.0)), trimesh.creation.box((1.0, 1.0, 3.0))])
    part.apply_translation([0.5, 0.0, 1.0])
    b = newton.ModelBuilder()
    body = b.add_body()
    mesh = newton.Mesh(part.vertices, part.faces.ravel())
    b.add_shape_mesh(body, xform=pose((0.1, 0.2, 0.3), (1, 2, 3), 0.5), mesh=mesh, scale=(0.1, 0.2, 0.1), label="part")
    b.add_shape_sphere(body, radius=0.1)
    return b, mesh


def test_hulls_boxes_and_spheres_stand_in_for_meshes():
    for method, kind in {
        "convex_hull": GeoType.CONVEX_MESH,
        "bounding_box": GeoType.BOX,
        "bounding_sphere": GeoType.SPHERE,
    }.items():
        b, mesh = scene()
        mass = b.body_mass[0]
        assert b.approximate_meshes(method) == {0}
        assert b.shape_type[:] == [kind, GeoType.SPHERE] and b.body_mass[0] == mass
    b, mesh = scene()
    b.approximate_meshes("bounding_box")
    assert_close(np.array(b.shape_scale[0]), 0.5 * np.ptp(mesh.vertices * [0.1, 0.2, 0.1], axis=0), "authored")


def test_a_bounding_sphere_holds_every_vertex():
    b, mesh = scene()
    before = np.array(b.shape_transform[0], float)
    b.approximate_meshes("bounding_sphere")
    centre = np.array(b.shape_transform[0], float)[:3]
    from newtonlite.math.transform import apply

    reach = np.linalg.norm(apply(before, mesh.vertices * [0.1, 0.2, 0.1]) - centre, axis=1).max()
    assert_close([b.shape_scale[0][0]], [reach], "authored")


def test_meshes_may_stay_to_be_looked_at():
    b, mesh = scene()
    b.approximate_meshes("convex_hull", keep_visual_shapes=True)
    assert b.shape_count == 3 and b.shape_label[2] == "part_visual" and b.shape_source[2] is mesh
    assert not b.shape_flags[2] & newton.ShapeFlags.COLLIDE_SHAPES and b.shape_flags[2] & newton.ShapeFlags.VISIBLE


def test_other_methods_and_shapes_are_refused():
    b, _ = scene()
    with pytest.raises(ModelError, match="'coacd'  is not supported; use one of convex_hull"):
        b.approximate_meshes("coacd")
    with pytest.raises(ModelError, match="shape 1 is no mesh"):
        b.approximate_meshes(shape_indices=[1])


def test_what_replaces_a_mesh_that_is_still_shown_is_not_seen():
    b, _ = scene()
    b.approximate_meshes("bounding_box", keep_visual_shapes=True)
    assert isinstance(b.shape_type[0], GeoType) and b.shape_type[2] == GeoType.MESH
    assert not b.shape_flags[0] & ShapeFlags.VISIBLE and b.shape_flags[2] == ShapeFlags.VISIBLE
