"""Recordings: every bit comes back, damaged files are refused, worlds can be chosen."""

import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newtonlite.viewer.batches import appearance
from newtonlite.viewer.recording.file import is_recording, load, save
from newtonlite.viewer.recording.pack import packed, unpacked
from newtonlite.viewer.recording.playback import Playback
from newtonlite.viewer.recording.recorder import Recorder
from tests.harness.viewer_scenes import EVERYTHING, session


def recorded(file, worlds, steps, keep=None, **options):
    """A recording of a simulation, and the simulation."""
    one = session(file, worlds)
    recorder = Recorder(appearance(one.model), keep, **options)
    poses = []
    for _ in range(steps):
        one.step()
        if recorder.keep(one.state, one.time):
            poses.append(one.state.body_q.numpy().copy())
    return recorder.recording(), np.array(poses), one


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A short recording of everything, and its file."""
    recording, poses, _ = recorded(EVERYTHING, 3, 30, keep=[0, 2], fps=200.0)
    return recording, poses, save(recording, tmp_path_factory.mktemp("few") / "few")


def test_what_is_kept_is_what_was_there(few):
    recording, poses, _ = few
    bodies = len(poses[0]) // 3
    assert np.array_equal(recording.body_q, np.concatenate([poses[:, :bodies], poses[:, 2 * bodies :]], axis=1))
    assert recording.worlds.tolist() == [0, 2]
    assert recording.look.world_count == 2


def test_reading_gives_back_every_bit(few):
    recording, _, path = few
    assert path.name == "few.npz"
    assert is_recording(path)
    back = load(path)
    assert back.body_q.tobytes() == recording.body_q.tobytes()
    assert back.times.tobytes() == recording.times.tobytes()
    assert back.look.body_label == recording.look.body_label
    assert [ground.height for ground in back.look.grounds] == [ground.height for ground in recording.look.grounds]
    for a, b in zip(back.look.batches, recording.look.batches, strict=True):
        assert (a.name, a.layer) == (b.name, b.layer)
        for one, other in (
            (a.surface.vertices, b.surface.vertices),
            (a.bodies, b.bodies),
            (a.worlds, b.worlds),
            (a.colors, b.colors),
        ):
            assert np.array_equal(one, other)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_packing_is_lossless_for_any_floats(frames, bodies, seed):
    values = np.random.default_rng(seed).integers(0, 2**32, (frames, bodies, 7), dtype=np.uint32).view(np.float32)
    assert unpacked(packed(values), values.shape).tobytes() == values.tobytes()


def test_a_damaged_file_is_refused_by_name_or_read(few, tmp_path):
    good, rng, path = few[2].read_bytes(), np.random.default_rng(0), tmp_path / "damaged.npz"
    for _ in range(150):
        data = bytearray(good[: rng.integers(len(good))] if rng.random() < 0.2 else good)
        for place in rng.integers(0, max(len(data), 1), 3 if data else 0):
            data[place] = rng.integers(256)
        path.write_bytes(data)
        try:
            load(path)
        except ValueError as problem:
            assert "damaged.npz" in str(problem)


def test_a_file_whose_header_breaks_off_is_refused(tmp_path):
    """NumPy's reader raises errors of Python's tokenizer for it."""
    path, text = tmp_path / "torn.npz", b"{'descr': '<i8', 'shape': '''(3,"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text)
    with pytest.raises(ValueError, match="torn.npz"):
        load(path)


@pytest.mark.parametrize("data", [b"", b"PK", b"not a recording", b"\x93NUMPY"])
def test_other_files_are_refused(tmp_path, data):
    path = tmp_path / "other.npz"
    path.write_bytes(data)
    assert not is_recording(path)
    with pytest.raises(ValueError, match="other.npz"):
        load(path)


def test_an_array_file_of_others_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", header=np.zeros(3, np.uint8))
    with pytest.raises(ValueError, match="is not a recording"):
        load(tmp_path / "a.npz")


def test_only_the_last_seconds_are_kept():
    recording, _, one = recorded("box_stack", 1, 100, seconds=0.1, fps=1e6)
    assert recording.times[-1] == one.time
    assert recording.times[-1] - recording.times[0] <= 0.1 + 1e-9
    assert len(recording.times) >= 2


def test_frames_are_as_far_apart_as_asked():
    recording, *_ = recorded("box_stack", 1, 60, fps=1 / (4 * 0.005))
    assert np.diff(recording.times).min() >= 0.99 * 4 * 0.005


def test_a_reset_begins_a_new_recording():
    one = session("box_stack", 1)
    recorder = Recorder(appearance(one.model), fps=1e6)
    for _ in range(5):
        one.step()
        recorder.keep(one.state, one.time)
    one.reset()
    one.step()
    recorder.keep(one.state, one.time)
    assert len(recorder) == 1


def test_playback_goes_through_all_frames(few):
    playback = Playback(few[0], loops=False)
    seen = [playback.state.body_q.numpy()]
    for _ in range(len(few[0].times) - 1):
        playback.step()
        seen.append(playback.state.body_q.numpy())
    assert np.array_equal(np.array(seen), few[0].body_q)
    playback.step()
    assert playback.clock.paused


def test_frames_of_16_humanoids_are_small(tmp_path):
    one, frames = session("humanoid", 16), 25
    one.control.mujoco.ctrl.fill_(0.3)
    recorder = Recorder(appearance(one.model), seconds=1e9, fps=50.0)
    while len(recorder) < frames:
        one.step()
        recorder.keep(one.state, one.time)
    meshes = 200_000
    assert save(recorder.recording(), tmp_path / "r").stat().st_size <= meshes + 5e6 * frames / 1000
