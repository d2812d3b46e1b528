"""Moving pictures: as many frames as were drawn, in the size they were drawn in."""

import contextlib
from types import SimpleNamespace

import imageio.v3 as iio
import numpy as np
import pytest

from newtonlite.viewer.batches import appearance
from newtonlite.viewer.page.movie import encoded, movie
from tests.viewer.recording.test_recording import recorded

pytest.importorskip("imageio_ffmpeg", reason="no imageio-ffmpeg: pip install 'newtonlite[viewer]'")


class Drawer:
    """In place of a page and its browser: keeps the poses and draws a brightness for each."""

    def __init__(self, look):
        self.look, self.body_q, self.model = look, look.body_q, True
        self.api = SimpleNamespace(atomic=contextlib.nullcontext)
        self.scene, self.poses = SimpleNamespace(move=lambda poses: self.poses.append(poses.copy())), []

    def get_render(self, height, width, transport_format, timeout):
        """A picture as bright as there are poses."""
        return np.full((height, width, 3), 40 * len(self.poses), np.uint8)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")  # of imageio
@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_movie_has_the_frames_of_the_last_seconds(suffix):
    recording, _, one = recorded("box_stack", 2, 40, keep=[1], fps=1e6)
    drawer = Drawer(appearance(one.model))
    fps = 1.0 / (5 * one.timestep)
    data = movie(drawer, drawer, recording, seconds=20.5 * one.timestep, fps=fps, size=(64, 48), suffix=suffix)
    frames = iio.imread(data, extension=suffix, index=None if suffix == ".gif" else ...)
    assert frames.shape == (len(drawer.poses), 48, 64, 3)
    assert len(drawer.poses) in (4, 5)
    brightness = frames.astype(float).mean(axis=(1, 2, 3))
    assert (np.diff(brightness) > 20).all()
    bodies = len(one.model.body_label) // 2
    assert np.array_equal(drawer.poses[-1][bodies:], recording.body_q[35])
    assert np.array_equal(drawer.poses[-1][:bodies], drawer.look.body_q[:bodies])


def test_another_format_is_refused():
    with pytest.raises(ValueError, match="webm"):
        encoded([np.zeros((2, 2, 3), np.uint8)], 10.0, ".webm")
