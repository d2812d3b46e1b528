"""Mass and inertia of shapes by type, solid and hollow, against volumes and sums over points."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.geometry import compute_inertia_shape, transform_inertia
from tests.tolerance import assert_close

T = newton.GeoType
SHAPES = {T.SPHERE: (0.5, 0, 0), T.BOX: (0.5, 0.4, 0.3), T.CAPSULE: (0.5, 0.2, 0), T.CYLINDER: (0.5, 0.4, 0)}


def inside(kind, size, p):
    r, h = size[0], size[1]
    if kind == T.BOX:
        return (np.abs(p) <= size).all(-1)
    across = np.hypot(p[..., 0], p[..., 1])
    if kind == T.CYLINDER:
        return (across <= r) & (np.abs(p[..., 2]) <= h)
    past = np.maximum(np.abs(p[..., 2]) - (h if kind == T.CAPSULE else 0), 0)
    return np.hypot(across, past) <= r


@pytest.mark.parametrize("kind", SHAPES)
def test_walls_are_as_thick_everywhere(kind):
    """Against a grid of points, whose cells are 2 cm wide."""
    size, wall = np.array(SHAPES[kind]), 0.2
    p = np.stack(np.meshgrid(*[np.arange(-0.75, 0.75, 0.02) + 0.01] * 3, indexing="ij"), -1)
    inner = size - wall * (np.array([1, 0, 0]) if kind == T.CAPSULE else 1)
    here = p[inside(kind, size, p) & ~inside(kind, inner, p)]
    mass, com, inertia = compute_inertia_shape(kind, tuple(size), None, 10.0, is_solid=False, thickness=wall)
    assert_close(mass, 10.0 * len(here) * 0.02**3, "difference")
    moments = (here**2).sum() * np.eye(3) - here.T @ here
    assert_close(np.array(inertia).reshape(3, 3), 10.0 * 0.02**3 * moments, "difference")
    assert_close(np.array(com), np.zeros(3), "force", floor=1.0)
    b = newton.ModelBuilder()
    cfg = newton.ModelBuilder.ShapeConfig(density=10.0, is_solid=False, margin=wall)
    b.add_shape(body=b.add_body(), type=kind, scale=tuple(size), cfg=cfg)
    assert_close(b.body_mass[0], mass, "authored")


def test_what_leaves_no_hollow_is_refused():
    for kind, size in SHAPES.items():
        with pytest.raises(ModelError, match="thickness 0.5 leaves no hollow"):
            compute_inertia_shape(kind, size, None, 1.0, is_solid=False, thickness=0.5)
    with pytest.raises(ModelError, match="thickness must be finite"):
        compute_inertia_shape(T.SPHERE, (1, 0, 0), None, 1.0, is_solid=False, thickness=np.nan)
    with pytest.warns(newton.NewtonWarning, match="zero mass and inertia"):
        assert compute_inertia_shape(T.SPHERE, (1, 0, 0), None, 1.0, is_solid=False, thickness=0.0)[0] == 0
    assert compute_inertia_shape(T.PLANE, (0, 0, 0), None, 1.0)[0] == 0


def test_inertia_about_another_point():
    q = wp.quat_from_axis_angle(wp.vec3(0, 0, 1), np.pi / 2)
    found = np.array(transform_inertia(2.0, wp.mat33(1, 0, 0, 0, 2, 0, 0, 0, 3), wp.vec3(0, 1, 0), q)).reshape(3, 3)
    assert_close(found, np.diag([2 + 2, 1, 3 + 2]), "authored")


def test_meshes_on_devices_are_kept_by_choice_of_arguments(device):
    mesh = newton.Mesh.create_box(1.0)
    first = mesh.finalize(device)
    assert mesh.finalize(device) == first != mesh.finalize(device, bvh_constructor="sah")
    copied = mesh.copy()
    copied.inertia[0, 0] = 9.0
    assert copied.finalize(device) != first and mesh.inertia[0, 0] != 9.0
    mesh.vertices = mesh.vertices * 2
    assert mesh.mesh is None and mesh.finalize(device)
    assert np.abs(mesh.mesh.points.numpy()).max() == 2.0


def test_walls_of_a_hollow_mesh_lie_to_both_sides():
    box = newton.Mesh.create_box(0.5)
    hollow = newton.Mesh(box.vertices, box.indices, is_solid=False)
    assert_close([hollow.mass], [6.0 * 2e-3], "compiled")
    mass, _, inertia = compute_inertia_shape(T.MESH, (2, 1, 1), box, 10.0, is_solid=False, thickness=0.05)
    assert_close([mass], [10.0 * 10.0 * 0.1], "compiled")
    assert_close([hollow.inertia[0, 0] / hollow.mass], [5.0 / 18.0], "compiled")  # a cube of sheets
    assert inertia[0, 0] > 0.0
