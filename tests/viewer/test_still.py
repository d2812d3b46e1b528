"""A still picture without a browser: meshes and primitives, where bodies are, in their colours."""

import numpy as np

from newtonlite import Mesh, ModelBuilder
from newtonlite.viewer import Camera, Recorder, still
from newtonlite.viewer.batches import appearance

AHEAD = Camera(position=(0.0, -3.0, 1.0), target=(0.0, 0.0, 1.0), fov=40.0)
SIZE = {"width": 60, "height": 60, "side": 1}


def scene():
    """A red mesh, and a green box to its right."""
    builder = ModelBuilder()
    cube = Mesh.create_box(0.15, duplicate_vertices=False)
    for x, color, add in (
        (-0.5, (1.0, 0.0, 0.0), lambda body, **more: builder.add_shape_mesh(body, mesh=cube, **more)),
        (0.5, (0.0, 0.8, 0.0), lambda body, **more: builder.add_shape_box(body, hx=0.15, hy=0.15, hz=0.15, **more)),
    ):
        body = builder.add_body(xform=(x, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
        add(body, color=color)
    builder.add_ground_plane()
    return builder.finalize(device="cpu")


def columns(image: np.ndarray, channel: int) -> np.ndarray:
    """Columns with pixels of one colour."""
    others = image[..., [k for k in range(3) if k != channel]].max(axis=2)
    return np.flatnonzero((image[..., channel].astype(int) > others.astype(int) + 60).any(axis=0))


def test_meshes_and_primitives_are_where_their_bodies_are():
    model = scene()
    image = still(model, camera=AHEAD, **SIZE)
    red, green = columns(image, 0), columns(image, 1)
    assert red.max() < 30 < green.min()
    # half a box of 0.3 m at 0.5 m from the middle, 2.85 m away, of 60 pixels that are 2 tan 20 degrees wide
    pixel = 2 * np.tan(np.radians(20.0)) * 2.85 / 60
    assert abs(len(red) - 0.3 / pixel) <= 2
    assert abs(red.mean() - (29.5 - 0.5 / pixel)) <= 1.5
    moved = model.body_q.numpy()
    moved[:, 0] *= -1
    image = still(model, moved, camera=AHEAD, **SIZE)
    assert columns(image, 1).max() < 30 < columns(image, 0).min()


def test_a_recording_has_the_same_picture_as_its_model():
    model = scene()
    recorder = Recorder(appearance(model))
    recorder.keep(model.state(), 0.0)
    assert np.array_equal(still(recorder.recording().look, **SIZE), still(model, **SIZE))
