"""A program written for Newton's viewers runs with each of ours."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.sim.contacts import Contacts
from tests.harness.viewer_scenes import session

FRAMES = 12


def viewers(tmp_path):
    """Name and maker of each viewer."""
    made = {
        "null": lambda: newton.viewer.ViewerNull(num_frames=FRAMES),
        "file": lambda: newton.viewer.ViewerFile(str(tmp_path / "run.bin")),
    }
    return made | {
        "viser": lambda: newton.viewer.ViewerViser(port=0, verbose=False, record_to_viser=str(tmp_path / "run.viser"))
    }


def program(viewer, frames: int = FRAMES):
    """What a script of Newton's examples does."""
    one = session("box_stack", 4)
    model, state = one.model, one.state
    contacts = Contacts(one.solver.get_max_contact_count(), requested_attributes={"force"}, device="cpu")
    viewer.set_model(model)
    viewer.set_world_offsets((2.0, 2.0, 0.0))
    viewer.set_camera(wp.vec3(4.0, -4.0, 2.0), -20.0, 135.0)
    viewer.set_visible_worlds([0, 2])
    viewer.show_contacts = True
    points = wp.array(np.eye(3), dtype=wp.vec3, device="cpu")
    count = 0
    while viewer.is_running() and count < frames:
        if viewer.should_step():
            state.clear_forces()
            viewer.apply_forces(state)
            one.step()
        viewer.begin_frame(one.time)
        viewer.log_state(state)
        one.solver.update_contacts(contacts)
        viewer.log_contacts(contacts, state)
        viewer.log_points("/points", points, 0.05, (1.0, 0.0, 0.0))
        viewer.log_lines(
            "/lines", points, points, wp.array(np.eye(3), dtype=wp.vec3, device="cpu"), hidden=count % 2 == 0
        )
        viewer.log_arrows("/arrows", np.zeros((3, 3)), points, None)
        viewer.log_mesh("/triangle", points, wp.array([0, 1, 2], dtype=wp.int32, device="cpu"), hidden=True)
        viewer.log_instances(
            "/copies",
            "/triangle",
            wp.array([[0, 0, 1, 0, 0, 0, 1]], dtype=wp.transform, device="cpu"),
            None,
            None,
            None,
        )
        viewer.log_shapes("/boxes", newton.GeoType.BOX, (0.1, 0.2, 0.3), np.array([[0, 0, 2, 0, 0, 0, 1.0]]))
        viewer.log_scalar("height", float(state.body_q.numpy()[0, 2]), smoothing=3)
        viewer.log_array("numbers", np.arange(3.0))
        viewer.log_image("picture", np.zeros((8, 8, 3), np.float32))
        viewer.log_gizmo("gizmo", wp.transform_identity())
        viewer.end_frame()
        count += 1
    viewer.close()
    return one, count


@pytest.mark.parametrize("name", ["null", "file", "viser"])
def test_a_program_runs_with_each_viewer(name, tmp_path):
    if name == "viser":
        pytest.importorskip("viser", reason="needs the extra viewer")
    viewer = viewers(tmp_path)[name]()
    assert isinstance(viewer, newton.viewer.ViewerBase)
    one, count = program(viewer)
    assert count == FRAMES
    assert one.steps == FRAMES
    assert not viewer.is_running()


def test_viewers_do_not_touch_the_simulation(tmp_path):
    ends = []
    for name in ("null", "file"):
        one, _ = program(viewers(tmp_path)[name]())
        ends.append(one.state.body_q.numpy().tobytes())
    assert ends[0] == ends[1]


def test_a_file_gives_states_back_bit_by_bit(tmp_path):
    one, _ = program(newton.viewer.ViewerFile(str(tmp_path / "run.bin")))
    back = newton.viewer.ViewerFile(str(tmp_path / "run.bin"))
    back.load_recording()
    assert back.get_frame_count() == FRAMES
    state = one.model.state()
    back.load_state(state, FRAMES - 1)
    for name in ("body_q", "body_qd", "joint_q", "joint_qd"):
        assert np.array_equal(getattr(state, name).numpy(), getattr(one.state, name).numpy())
    with pytest.raises(ValueError, match="count from 0"):
        back.load_state(state, FRAMES)
    other = session("humanoid", 1).model.state()
    with pytest.raises(newton.StateError, match="body_q"):
        back.load_state(other, 0)


def test_a_file_keeps_the_last_frames(tmp_path):
    viewer = newton.viewer.ViewerFile(str(tmp_path / "run.bin"), max_history_size=5)
    program(viewer)
    assert viewer.get_frame_count() == 5


def test_null_measures_frames():
    viewer = newton.viewer.ViewerNull(num_frames=6, benchmark=True, benchmark_start_frame=2)
    while viewer.is_running():
        viewer.begin_frame(0.0)
        viewer.end_frame()
    result = viewer.benchmark_result()
    assert result["frames"] == 4
    assert result["fps"] > 0
    assert newton.viewer.ViewerNull().benchmark_result() is None


def test_a_model_is_needed_for_worlds():
    with pytest.raises(RuntimeError, match="set_model"):
        newton.viewer.ViewerNull().set_visible_worlds([0])


def test_sharing_through_others_is_refused():
    pytest.importorskip("viser", reason="needs the extra viewer")
    with pytest.raises(ValueError, match="outside server"):
        newton.viewer.ViewerViser(share=True)


@pytest.mark.parametrize("name", ["ViewerGL", "ViewerRTX", "ViewerRerun"])
def test_windows_can_be_asked_about_but_not_opened(name):
    window = getattr(newton.viewer, name)
    assert not isinstance(newton.viewer.ViewerNull(), window)
    with pytest.raises(ModelError, match=f"{name}: newtonlite opens no window; use ViewerViser"):
        window(width=10)
