"""Simplified meshes: few triangles, the same shape."""

import numpy as np
import pytest

from newtonlite import Mesh
from newtonlite.core.enums import GeoType
from newtonlite.viewer.simplify import simplified
from newtonlite.viewer.surfaces import Surface, shape_surface
from tests.tolerance import tolerance


def torus(rings: int = 60, sides: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """A torus of radii 1 and 0.4: a surface with a hole, which a hull would close."""
    u, v = np.meshgrid(np.arange(rings), np.arange(sides), indexing="ij")
    around, about = 2 * np.pi * u.ravel() / rings, 2 * np.pi * v.ravel() / sides
    far = 1 + 0.4 * np.cos(about)
    number = lambda i, j: (i % rings * sides + j % sides).ravel()
    a, b, c, d = number(u, v), number(u + 1, v), number(u, v + 1), number(u + 1, v + 1)
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([c, b, d], 1)])
    return np.stack([far * np.cos(around), far * np.sin(around), 0.4 * np.sin(about)], axis=1), faces


def apart(vertices) -> np.ndarray:
    """Distance of each vertex from that torus."""
    x, y, z = np.asarray(vertices, float).T
    return np.abs(np.hypot(np.hypot(x, y) - 1.0, z) - 0.4)


@pytest.mark.parametrize("most", [1000, 300])
def test_a_mesh_keeps_its_shape_in_fewer_triangles(most):
    mesh = torus()
    found = simplified(*mesh, most)
    assert 0.4 * most <= len(found[1]) <= most
    volume = Surface(*mesh).volume
    assert Surface(*found).volume == pytest.approx(volume, rel=tolerance("drawn_coarse"))
    assert apart(found[0]).mean() < tolerance("drawn_vertex")


def test_more_triangles_are_closer():
    mesh = torus()
    assert apart(simplified(*mesh, 1500)[0]).mean() < 0.5 * apart(simplified(*mesh, 100)[0]).mean()


def test_edges_of_a_box_stay_where_they_are():
    box = Mesh.create_box(0.5, duplicate_vertices=False)
    vertices, faces = np.asarray(box.vertices, float), np.asarray(box.triangles).reshape(-1, 3)
    for _ in range(4):  # every triangle in four
        corners = vertices[faces]
        middles = 0.5 * (corners + np.roll(corners, -1, axis=1))
        a, b, c = corners.transpose(1, 0, 2)
        ab, bc, ca = middles.transpose(1, 0, 2)
        soup = np.concatenate([np.stack(t, 1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
        vertices, inverse = np.unique(soup.reshape(-1, 3), axis=0, return_inverse=True)
        faces = inverse.reshape(-1, 3)
    found = simplified(vertices, faces, 200)
    assert np.abs(found[0]).max() == pytest.approx(0.5, abs=tolerance("drawn_corner"))
    assert Surface(*found).volume == pytest.approx(1.0, rel=tolerance("drawn_volume"))


def test_a_small_mesh_stays_as_it_is():
    mesh = torus(4, 4)
    found = simplified(*mesh, 32)
    assert np.array_equal(found[0], mesh[0].astype(np.float32))
    assert np.array_equal(found[1], mesh[1])


@pytest.mark.parametrize(
    ("kind", "scale"),
    [(GeoType.SPHERE, (0.3, 0, 0)), (GeoType.ELLIPSOID, (0.3, 0.2, 0.1)), (GeoType.CYLINDER, (0.2, 0.5, 0))],
)
@pytest.mark.parametrize("share", [0.5, 0.1, 0.001])
def test_coarse_round_shapes_keep_their_volume(kind, scale, share):
    full, coarse = shape_surface(kind, scale), shape_surface(kind, scale, share=share)
    assert len(coarse.faces) < len(full.faces)
    if share < 0.01:
        assert len(coarse.faces) <= 16
    assert coarse.volume == pytest.approx(full.volume, rel=tolerance("drawn_volume"))
