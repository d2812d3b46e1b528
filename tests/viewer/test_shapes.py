"""The shapes of a model stand where its bodies are."""

import numpy as np
import warp as wp

from newtonlite import GeoType, ModelBuilder
from newtonlite.viewer.shapes import ShapeCache, floor, join_shapes
from tests.tolerance import assert_close

TURN = wp.quat(0.0, 0.0, float(np.sqrt(0.5)), float(np.sqrt(0.5)))  # a quarter about z


def model(worlds=2):
    """Worlds with a floor, a red box on a moving body with a sphere aside, and a grey post that is fixed."""
    robot = ModelBuilder()
    robot.add_ground_plane()
    body = robot.add_body(xform=wp.transform((1.0, 0.0, 0.5), TURN))
    robot.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3, color=(1.0, 0.1, 0.0))
    robot.add_shape_sphere(
        body, xform=wp.transform((0.5, 0.0, 0.0), wp.quat_identity()), radius=0.1, color=(0.5, 0.5, 0.5)
    )
    robot.add_shape_capsule(
        -1, xform=wp.transform((0.0, 2.0, 0.0), wp.quat_identity()), radius=0.1, half_height=1.0, color=(0.2, 0.2, 0.2)
    )
    scene = ModelBuilder()
    scene.replicate(robot, worlds)
    return scene.finalize(device="cpu")


def test_shapes_stand_where_bodies_are():
    scene = model()
    moved = scene.state().body_q.numpy().copy()
    moved[1, :3] += (0.0, 0.0, 5.0)
    shapes = ShapeCache(scene, 1).at(moved)
    assert list(shapes.type) == [GeoType.BOX, GeoType.SPHERE, GeoType.CAPSULE]
    assert_close(shapes.transform[:, :3], [[1, 0, 5.5], [1, 0.5, 5.5], [0, 2, 0]], "kinematics")
    assert_close(ShapeCache(scene, 0).at(moved).transform[0, :3], [1, 0, 0.5], "kinematics")


def test_paint_takes_on_vivid_colours_alone():
    scene = model()
    before = ShapeCache(scene).at(scene.state().body_q.numpy())
    after = before.painted((0.0, 0.0, 1.0))
    assert (after.color[0] == (0, 0, 1)).all()
    assert (after.color[1:] == before.color[1:]).all()


def test_groups_join_and_move():
    scene = model()
    shapes = ShapeCache(scene).at(scene.state().body_q.numpy())
    both = join_shapes([floor(-1.0), shapes, shapes.moved((10, 0, 0))])
    assert len(both.type) == len(both.transform) == 7
    assert_close(both.transform[4:, 0] - both.transform[1:4, 0], np.full(3, 10.0), "kinematics")
