"""One-file page of a recording: opens from disk in any browser, nothing else is needed."""

from itertools import pairwise

import numpy as np

from newtonlite.viewer.recording.recording import Recording

GRAIN = 2.0**-13  # poses are rounded to this, which makes them short [m, 1]


def page(recording: Recording, fps: float = 25.0) -> str:
    """The recording as HTML that plays by itself, in real time, with at most ``fps`` frames a second. Needs the extra
    ``viewer``.
    """
    from newtonlite.viewer.page.viewer import Viewer

    viewer = Viewer(recording.look)
    try:
        chosen = frames_at(recording.times, fps)
        viewer.scene.move(rounded(recording.body_q[chosen[0]]))
        serializer = viewer.api.get_scene_serializer()
        for before, frame in pairwise(chosen):
            serializer.insert_sleep(float(recording.times[frame] - recording.times[before]))
            viewer.scene.move(rounded(recording.body_q[frame]))
        serializer.insert_sleep(1.0 / fps)
        return serializer.as_html()
    finally:
        viewer.close()


def frames_at(times: np.ndarray, fps: float) -> list[int]:
    """Frames that are at least ``1 / fps`` apart."""
    chosen = [0]
    for k, time in enumerate(times):
        if time - times[chosen[-1]] > 0.999 / fps:
            chosen.append(k)
    return chosen


def rounded(body_q: np.ndarray) -> np.ndarray:
    """Poses with zeros at the end of their digits."""
    return (np.round(body_q / GRAIN) * GRAIN).astype(np.float32)
