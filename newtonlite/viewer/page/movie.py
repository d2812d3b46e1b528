"""Moving pictures of a recording, drawn by a browser that shows the viewer's page."""

import io

import numpy as np

from newtonlite.viewer.recording.recording import Recording, frames_at

DRAWING = 30.0  # for the browser to draw a picture [s]


def movie(
    viewer,
    client,
    recording: Recording,
    *,
    seconds: float = 2.0,
    fps: float = 12.5,
    size=(640, 400),
    suffix: str = ".gif",
) -> bytes:
    """The last ``seconds`` as a GIF, or as an MP4 by ``suffix=".mp4"``.

    The worlds of the recording move on the page while their pictures are taken, seen from where ``client`` is.
    """
    chosen = [k for k in frames_at(recording.times, fps) if recording.times[k] > recording.times[-1] - seconds]
    bodies = np.flatnonzero(np.isin(viewer.look.body_world, [*recording.worlds, -1])) if viewer.model else slice(None)
    pictures = []
    for k in chosen:
        poses = viewer.body_q.copy()
        poses[bodies] = recording.body_q[k]
        with viewer.api.atomic():
            viewer.scene.move(poses)
        pictures.append(client.get_render(height=size[1], width=size[0], transport_format="jpeg", timeout=DRAWING))
    return encoded(pictures, fps, suffix)


def encoded(pictures: list[np.ndarray], fps: float, suffix: str) -> bytes:
    """Pictures [height, width, 3] uint8 as a moving one; ValueError for another format than GIF and MP4."""
    import imageio.v3 as iio

    if suffix == ".gif":
        options = {"duration": 1000 / fps, "loop": 0}
    elif suffix == ".mp4":
        options = {"plugin": "FFMPEG", "fps": fps, "codec": "libx264", "quality": 7, "macro_block_size": 2}
    else:
        raise ValueError(f"a movie is .gif or .mp4, not {suffix}")
    data = io.BytesIO()
    iio.imwrite(data, np.stack(pictures)[..., :3], extension=suffix, **options)
    return data.getvalue()
