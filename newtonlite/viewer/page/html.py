"""One-file page of a recording: opens from disk in any browser, nothing else is needed."""

from itertools import pairwise

import numpy as np

from newtonlite.viewer.framing import size_of_world, two_digits
from newtonlite.viewer.layout import WorldLayout
from newtonlite.viewer.page import look
from newtonlite.viewer.page.scene import MOST_TRIANGLES, PageScene
from newtonlite.viewer.page.server import PageServer
from newtonlite.viewer.recording.recording import Recording, frames_at

GRAIN = 2.0**-13  # poses are rounded to this, which makes them short [m, 1]


def page(recording: Recording, fps: float = 25.0) -> str:
    """The recording as HTML that plays by itself, in real time, with at most ``fps`` frames a second. Needs the extra
    ``viewer``.
    """
    shown, chosen = recording.look, frames_at(recording.times, fps)
    middle, radius = size_of_world(shown, shown.body_q)
    layout = WorldLayout(shown.world_count, two_digits(2.0 * radius))
    server = PageServer()
    try:
        scene = PageScene(server.api, shown.batches, layout, MOST_TRIANGLES, shown.soft)
        look.surroundings(server.api, shown.grounds, middle, layout.extent + radius)
        scene.build(rounded(recording.body_q[chosen[0]]))
        look.light(server.api, shadows=not scene.crowded)
        serializer = server.api.get_scene_serializer()
        for before, frame in pairwise(chosen):
            serializer.insert_sleep(float(recording.times[frame] - recording.times[before]))
            scene.move(rounded(recording.body_q[frame]))
        serializer.insert_sleep(1.0 / fps)
        return serializer.as_html()
    finally:
        server.stop()


def rounded(body_q: np.ndarray) -> np.ndarray:
    """Poses with zeros at the end of their digits."""
    return (np.round(body_q / GRAIN) * GRAIN).astype(np.float32)
