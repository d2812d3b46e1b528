"""ViewerUSD: motion as time samples, sparse, with the shapes in a layer of their own, readable at every flush."""

import numpy as np
import pytest

import newtonlite
from newtonlite.core.errors import ModelError, StateError
from newtonlite.math.transform import quat_to_matrix
from newtonlite.viewer import ViewerUSD
from newtonlite.viewer.newton.usd import ROOT as TOP
from tests.tolerance import assert_close


def model(worlds=1):
    """A box on a slide and a ball on its own, in some worlds, over a plane."""
    one = newtonlite.ModelBuilder()
    box, ball = one.add_link(label="box"), one.add_body(label="ball")
    one.add_articulation([one.add_joint_prismatic(-1, box, axis=(1, 0, 0))])
    one.add_shape_box(box, hx=0.1, hy=0.2, hz=0.3, color=(1, 0, 0))
    one.add_shape_sphere(ball, radius=0.2)
    one.add_shape_mesh(ball, mesh=newtonlite.Mesh.create_box(0.1))
    scene = newtonlite.ModelBuilder()
    scene.replicate(one, worlds)
    scene.add_ground_plane()
    return scene.finalize(device="cpu")


def record(viewer, scene, frames):
    """Record poses [frames, bodies, 7], one a frame."""
    viewer.set_model(scene)
    for k, poses in enumerate(frames):
        state = scene.state()
        state.body_q.assign(np.asarray(poses, np.float32))
        viewer.begin_frame(k / viewer.fps)
        viewer.log_state(state)
        viewer.end_frame()


def random_poses(rng, frames, bodies):
    """Poses with rotations of any sign."""
    poses = rng.normal(size=(frames, bodies, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    return poses


def place_of(prim, frame):
    """Rotation [3, 3] and position of a prim in the stage."""
    from pxr import UsdGeom

    matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(frame))
    return matrix[:3, :3].T, matrix[3, :3]


def test_bodies_are_where_the_states_had_them(tmp_path):
    from pxr import Usd

    scene, poses = model(), random_poses(np.random.default_rng(0), 5, 2)
    viewer = ViewerUSD(tmp_path / "run.usda", fps=50)
    record(viewer, scene, poses)
    viewer.close()
    stage = Usd.Stage.Open(str(tmp_path / "run.usda"))
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()) == (0, 4, 50)
    for body in range(2):
        prim = stage.GetPrimAtPath(f"{TOP}/body_{body}")
        assert prim.GetDisplayName() == scene.body_label[body]
        for frame in range(5):
            turn, place = place_of(prim, frame)
            assert_close(place, poses[frame, body, :3], "authored", floor=1.0)
            assert_close(turn, quat_to_matrix(poses[frame, body, 3:]), "authored", floor=1.0)
        quats = [prim.GetAttribute("xformOp:orient").Get(k) for k in range(5)]
        flat = np.array([[q.GetReal(), *q.GetImaginary()] for q in quats])
        assert ((flat[1:] * flat[:-1]).sum(1) >= 0).all()  # neighbours on one side, so that players may interpolate


def test_worlds_are_instances_in_a_grid(tmp_path):
    from pxr import Usd, UsdGeom

    scene, poses = model(4), random_poses(np.random.default_rng(1), 3, 8)
    viewer = ViewerUSD(tmp_path / "run.usdc", scaling=2.0)
    viewer.set_model(scene)
    viewer.set_world_offsets((3.0, 3.0, 0.0))
    record(viewer, scene, poses)
    viewer.close()
    stage = Usd.Stage.Open(str(tmp_path / "run.usdc"))
    ball = UsdGeom.PointInstancer(stage.GetPrimAtPath(f"{TOP}/body_1"))
    found = ball.ComputeInstanceTransformsAtTime(2, 2)
    assert len(found) == 4
    for world in range(4):
        matrix = np.array(found[world])
        want = 2.0 * (poses[2, 2 * world + 1, :3] + viewer.layout.offsets[world])
        assert_close(matrix[3, :3], want, "authored", floor=1.0)
        assert_close(matrix[:3, :3].T, quat_to_matrix(poses[2, 2 * world + 1, 3:]), "authored", floor=1.0)
    assert len({tuple(o) for o in viewer.layout.offsets[:4]}) == 4
    assert stage.GetPrimAtPath(f"{TOP}/body_1/look/shape_1").GetAttribute("radius").Get() == pytest.approx(0.4)


def test_what_rests_has_no_samples(tmp_path):
    scene = model()
    still = np.tile(random_poses(np.random.default_rng(2), 1, 2), (6, 1, 1))
    still[5, 0, 0] += 1.0  # the box moves at last
    viewer = ViewerUSD(tmp_path / "run.usda")
    record(viewer, scene, still)
    times = viewer.samples.ListTimeSamplesForPath
    assert times(f"{TOP}/body_0.xformOp:translate") == [0, 4, 5]
    assert times(f"{TOP}/body_1.xformOp:translate") == [0]
    viewer.close()


def test_a_killed_run_leaves_what_was_flushed(tmp_path):
    from pxr import Sdf

    scene, poses = model(), random_poses(np.random.default_rng(3), 5, 2)
    viewer = ViewerUSD(tmp_path / "run.usdc", flush_every=2)
    record(viewer, scene, poses)  # never closed
    copy = tmp_path / "copy.usdc"
    copy.write_bytes((tmp_path / "run.usdc").read_bytes())
    layer = Sdf.Layer.FindOrOpen(str(copy))
    assert layer.ListTimeSamplesForPath(f"{TOP}/body_0.xformOp:translate") == [0, 1, 2, 3]
    assert layer.endTimeCode == 3 and list(layer.subLayerPaths) == ["./run_model.usdc"]


@pytest.mark.parametrize("spheres", [True, False])
def test_points_are_recorded_as_balls_or_points(tmp_path, spheres):
    from pxr import Usd

    viewer = ViewerUSD(tmp_path / "run.usda", points_as_spheres=spheres)
    viewer.set_model(model())
    viewer.begin_frame(0.0)
    viewer.log_points("/marks/a", np.eye(3, dtype=np.float32), 0.1)
    viewer.end_frame()
    viewer.close()
    stage = Usd.Stage.Open(str(tmp_path / "run.usda"))
    prim = stage.GetPrimAtPath(f"{TOP}/marks_a")
    assert_close(prim.GetAttribute("positions" if spheres else "points").Get(0), np.eye(3), "authored", floor=1.0)
    sizes = prim.GetAttribute("scales" if spheres else "widths").Get(0)
    assert_close(np.ravel(sizes), np.full(9 if spheres else 3, 0.1 if spheres else 0.2), "authored")


def test_mistakes_are_reported(tmp_path):
    with pytest.raises(ModelError, match=r"ends in '\.mp4'"):
        ViewerUSD(tmp_path / "a.mp4")
    with pytest.raises(ModelError, match="give positive numbers"):
        ViewerUSD(tmp_path / "a.usda", fps=0)
    viewer = ViewerUSD(tmp_path / "a.usda", num_frames=1)
    with pytest.raises(RuntimeError, match="call set_model first"):
        viewer.log_state(None)
    viewer.set_model(model())
    with pytest.raises(StateError, match="8 bodies for a model of 2"):
        viewer.log_state(model(4).state())
    with pytest.raises(ModelError, match="records one model"):
        viewer.set_model(model())
    assert viewer.is_running()
    viewer.end_frame()
    assert not viewer.is_running()
