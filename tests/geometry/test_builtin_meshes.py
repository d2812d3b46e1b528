"""Meshes made by formula are those of MuJoCo, vertex by vertex."""

import numpy as np
import pytest

from newtonlite.geometry import builtin_meshes
from tests import oracle
from tests.tolerance import tolerance

SHAPES = [
    *(("sphere", k) for k in range(5)),
    *(("hemisphere", k) for k in (0, 1, 2, 5)),
    *(("cone", sides, top) for sides, top in ((3, 1.0), (5, 0.5), (7, 0.0))),
    *(("supersphere", n, e, f) for n in (3, 30) for e, f in ((0.4, 0.4), (1.0, 2.0), (0.0, 0.0), (2.0, 0.4))),
    *(("supertorus", n, 0.5, s, t) for n in (3, 30) for s, t in ((0.4, 2.0), (1.0, 1.0), (2.0, 0.4))),
    *(("wedge", a, b, 45.0, 20.0, g) for a, b in ((3, 2), (12, 7)) for g in (0.0, 0.3)),
    *(
        (name, *counts, 0.1, 0.2, 0.3)
        for name in ("grid", "box", "cylinder", "ellipsoid")
        for counts in ((2, 2, 2), (3, 4, 5), (4, 2, 3))
    ),
    *(("plate", a, b) for a, b in ((1, 4), (3, 4))),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: " ".join(map(str, shape)))
def test_vertices_and_triangles(shape):
    vertices, triangles = getattr(builtin_meshes, shape[0])(*shape[1:])
    want, faces = oracle.made_mesh(*shape)
    assert vertices.shape == want.shape and np.array_equal(triangles, faces)
    assert np.abs(vertices - want).max() <= tolerance("compiled") * np.abs(want).max()
