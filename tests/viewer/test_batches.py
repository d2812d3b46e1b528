"""Batches: every visible shape is in one, bodies that look alike share one."""

import numpy as np
import pytest

from newtonlite import ModelBuilder
from newtonlite.core.enums import GeoType
from newtonlite.viewer.batches import appearance, shown_by_default
from tests.harness.viewer_scenes import EVERYTHING, model
from tests.tolerance import tolerance


def test_worlds_share_their_meshes():
    one, many = appearance(model("humanoid", 1)), appearance(model("humanoid", 5))
    assert len(one.batches) == len(many.batches)
    assert all(len(b.bodies) == 5 * len(a.bodies) for a, b in zip(one.batches, many.batches, strict=True))
    assert all(np.array_equal(np.bincount(b.worlds), np.full(5, len(b.worlds) // 5)) for b in many.batches)


def test_a_batch_has_the_volume_of_its_shapes():
    made = model("humanoid", 2)
    kind, scale = made.shape_type.numpy(), made.shape_scale.numpy()
    for batch in appearance(made).batches:
        if batch.layer.site:
            continue
        wanted = 0.0
        for row in batch.shapes:
            a, b, c = scale[row]
            wanted += {
                GeoType.SPHERE: 4 / 3 * np.pi * a**3,
                GeoType.CAPSULE: np.pi * a * a * (2 * b + 4 / 3 * a),
                GeoType.BOX: 8 * a * b * c,
            }[kind[row]]
        assert batch.surface.volume == pytest.approx(wanted, rel=tolerance("drawn_volume")), batch.name


def test_every_shape_is_drawn_once_in_its_colour():
    made = model(EVERYTHING, 3)
    look = appearance(made)
    drawn = [row for batch in look.batches for row in batch.shapes]
    visible = [
        row for row in np.flatnonzero(made.shape_world.numpy() == 0) if made.shape_type.numpy()[row] != GeoType.PLANE
    ]
    assert sorted(drawn) == sorted(visible)
    for batch in look.batches:
        assert np.allclose(batch.colors[0], made.shape_color.numpy()[batch.shapes[0]])
    assert len(look.grounds) == 1
    assert look.grounds[0].height == 0.0


def test_equal_bodies_of_a_world_share_a_mesh_and_keep_their_colours():
    builder = ModelBuilder()
    for k in range(4):
        body = builder.add_body(xform=(float(k), 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), label=f"box_{k}")
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, color=(0.1 * k, 0.5, 0.5))
    look = appearance(builder.finalize(device="cpu"))
    assert len(look.batches) == 1
    assert look.batches[0].bodies.tolist() == [0, 1, 2, 3]
    assert np.allclose(look.batches[0].colors[:, 0], [0.0, 0.1, 0.2, 0.3])


def test_sites_and_collision_groups_are_hidden_at_first():
    look = appearance(model(EVERYTHING, 1))
    assert {batch.layer.site for batch in look.batches} == {False, True}
    for batch in look.batches:
        assert shown_by_default(batch.layer) is not batch.layer.site
    assert not shown_by_default(look.batches[0].layer._replace(group=3))


def test_a_texture_goes_with_its_mesh():
    from newtonlite import Mesh

    picture = np.zeros((4, 4, 3), np.uint8)
    corners, uvs = (
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
        np.array([[0, 0], [1, 0], [0, 1], [1, 1.0]]),
    )
    builder = ModelBuilder()
    body = builder.add_body()
    builder.add_shape_mesh(body, mesh=Mesh(corners, [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], uvs=uvs, texture=picture))
    builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    look = appearance(builder.finalize(device="cpu"))
    textured, plain = sorted(look.batches, key=lambda batch: batch.texture is None)
    assert np.array_equal(textured.texture, picture)
    assert np.allclose(textured.surface.uvs, uvs)
    assert plain.texture is None
    assert plain.surface.uvs is None
