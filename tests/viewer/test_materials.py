"""Pictures of materials: the right pixel at the right place, as MuJoCo puts them."""

import numpy as np
import pytest

from newtonlite import Mesh, ModelBuilder
from newtonlite.viewer import write_png
from newtonlite.viewer.batches import appearance
from tests.harness.viewer_scenes import model
from tests.tolerance import tolerance

SIDES = {
    "right": ((1, 0, 0), (255, 0, 0)),
    "left": ((-1, 0, 0), (0, 255, 0)),
    "up": ((0, 1, 0), (0, 0, 255)),
    "down": ((0, -1, 0), (255, 255, 0)),
    "front": ((0, 0, 1), (255, 0, 255)),
    "back": ((0, 0, -1), (0, 255, 255)),
}
"""Side of a cube: the direction in which MuJoCo puts it, and a colour."""


def scene(tmp_path, texture: str, material: str, geom: str) -> str:
    """A file with a textured geom on a free body."""
    path = tmp_path / "scene.xml"
    path.write_text(f"""<mujoco><asset><texture name="t" {texture}/><material name="m" texture="t" {material}/></asset>
      <worldbody><body><freejoint/><geom {geom} material="m"/></body></worldbody></mujoco>""")
    return str(path)


def batch_of(path: str):
    (batch,) = appearance(model(path, 2)).batches
    return batch


def pixels_at(batch, faces) -> np.ndarray:
    """[n, 3] the pixels in the middle of triangles."""
    uv = batch.surface.uvs[batch.surface.faces[faces]].mean(axis=1) % 1.0
    height, width = batch.texture.shape[:2]
    return batch.texture[((1.0 - uv[:, 1]) * height).astype(int) % height, (uv[:, 0] * width).astype(int) % width]


@pytest.mark.parametrize(
    "geom", ['type="box" size=".1 .2 .3"', 'type="sphere" size=".2"', 'type="capsule" size=".1 .3"']
)
def test_sides_of_a_cube_are_where_mujoco_puts_them(tmp_path, geom):
    for side, (_, color) in SIDES.items():
        write_png(tmp_path / f"{side}.png", np.broadcast_to(np.uint8(color), (4, 4, 3)))
    batch = batch_of(scene(tmp_path, 'type="cube" ' + " ".join(f'file{s}="{s}.png"' for s in SIDES), "", geom))
    middles = batch.surface.vertices[batch.surface.faces].mean(axis=1)
    scaled = middles / np.abs(batch.surface.vertices).max(axis=0)
    clear = np.flatnonzero(np.sort(np.abs(scaled), axis=1)[:, 2] > 1.2 * np.sort(np.abs(scaled), axis=1)[:, 1])
    ways, colors = (np.array([row[k] for row in SIDES.values()]) for k in (0, 1))
    assert len(set((scaled[clear] @ ways.T).argmax(axis=1))) == 6
    assert np.array_equal(pixels_at(batch, clear), colors[(scaled[clear] @ ways.T).argmax(axis=1)])


def test_a_flat_picture_is_upright_and_repeated(tmp_path):
    picture = np.zeros((8, 8, 3), np.uint8)
    picture[:4, :4] = 255  # above, left
    write_png(tmp_path / "t.png", picture)
    batch = batch_of(scene(tmp_path, 'type="2d" file="t.png"', 'texrepeat="2 1"', 'type="box" size=".4 .1 .1"'))
    corners = batch.surface.vertices[batch.surface.faces]
    top = (corners[..., 2] > 0.099).all(axis=1)
    uv = batch.surface.uvs[batch.surface.faces][top].reshape(-1, 2)
    place = corners[top].reshape(-1, 3)
    assert np.allclose(uv[:, 1], 0.5 + 5.0 * place[:, 1], atol=tolerance("drawn_corner"))
    assert np.allclose(np.ptp(uv[:, 0]), 2.0, atol=tolerance("drawn_corner"))
    assert np.array_equal(batch.texture, picture)


@pytest.mark.parametrize(
    ("material", "geom", "color"),
    [
        ("", "", (1, 1, 1)),
        ('rgba=".2 .4 .6 1"', "", (0.2, 0.4, 0.6)),
        ('rgba=".2 .4 .6 1"', 'rgba=".9 .1 .1 1"', (0.9, 0.1, 0.1)),
    ],
    ids=["none", "material", "geom"],
)
def test_a_picture_is_multiplied_by_the_colour(tmp_path, material, geom, color):
    texture = 'type="2d" builtin="checker" width="8" height="8"'
    batch = batch_of(scene(tmp_path, texture, material, f'type="box" size=".1 .1 .1" {geom}'))
    assert np.allclose(batch.colors, [color, color], atol=tolerance("drawn_corner"))


def test_splitting_keeps_shape_and_smoothness(tmp_path):
    texture = 'type="cube" builtin="flat" width="8" mark="edge"'
    ball = batch_of(scene(tmp_path, texture, "", 'type="sphere" size=".2"')).surface
    assert ball.volume == pytest.approx(4 / 3 * np.pi * 0.2**3, rel=tolerance("drawn_volume"))
    outward = ball.vertices / np.linalg.norm(ball.vertices, axis=1, keepdims=True)
    assert (np.einsum("ij,ij->i", ball.normals, outward) > 0.99).all()


def test_a_picture_that_is_gone_is_named(tmp_path):
    mesh = Mesh.create_box(0.1, 0.1, 0.1, duplicate_vertices=False, compute_inertia=False)
    mesh.uvs, mesh.texture = np.zeros((len(mesh.vertices), 2), np.float32), str(tmp_path / "gone.png")
    builder = ModelBuilder()
    builder.add_shape_mesh(builder.add_body(), mesh=mesh)
    with pytest.warns(UserWarning, match="gone.png"):
        look = appearance(builder.finalize(device="cpu"))
    assert look.batches[0].texture is None
