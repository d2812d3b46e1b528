"""Soft meshes on the page: made for the worlds that are shown, and moved with their bodies."""

from types import SimpleNamespace

import numpy as np

from newtonlite.viewer.batches import appearance
from newtonlite.viewer.layout import WorldLayout
from newtonlite.viewer.page.soft import PageSoft
from tests.tolerance import tolerance
from tests.viewer.test_soft import FLEXES, two_worlds


class FakeMesh:
    """A mesh that keeps what it was made of."""

    def __init__(self, name, vertices, faces, **options):
        self.name, self.vertices, self.faces, self.options, self.there = name, vertices, faces, options, True

    def remove(self):
        self.there = False


def test_meshes_have_the_worlds_that_are_shown_and_follow_their_bodies():
    look, made = appearance(two_worlds(FLEXES)), []
    add = lambda *args, **options: made.append(FakeMesh(*args, **options)) or made[-1]
    soft = PageSoft(
        SimpleNamespace(scene=SimpleNamespace(add_mesh_simple=add)), look.soft, layout := WorldLayout(2, 3.0)
    )
    soft.build(look.body_q, 1.0)
    for handle, mesh in zip(made, look.soft, strict=True):
        one = mesh.points(look.body_q, 1)
        assert len(handle.vertices) == 2 * len(one.vertices) and len(handle.faces) == 2 * len(one.faces)
        np.testing.assert_allclose(
            handle.vertices[len(one.vertices) :], one.vertices + layout.offsets[1], atol=tolerance("ray")
        )
    assert made[0].options["color"] == (255, 0, 0) and not made[0].options["flat_shading"]

    # a frame later
    before, moved = made[0].vertices.copy(), look.body_q.copy()
    moved[:, 2] += 0.25
    soft.move(moved)
    np.testing.assert_allclose(made[0].vertices - before, [[0.0, 0.0, 0.25]] * len(before), atol=tolerance("ray"))
    layout.is_shown[0] = False
    soft.build(moved, 0.5)
    assert not made[0].there and len(made[3].vertices) == len(before) // 2 and made[3].options["opacity"] == 0.5
