"""Viewers: a page in the browser, recordings, and pictures without a display by a small ray caster.

The page needs the extra ``viewer``; its names are loaded when they are first used.
"""

from importlib import import_module

from newtonlite.viewer.camera import Camera
from newtonlite.viewer.png import write_png
from newtonlite.viewer.render import render
from newtonlite.viewer.scene import Stage
from newtonlite.viewer.still import still

_HOME = {
    "Playback": "newtonlite.viewer.recording.playback",
    "Recorder": "newtonlite.viewer.recording.recorder",
    "Recording": "newtonlite.viewer.recording.recording",
    "load_recording": "newtonlite.viewer.recording.file:load",
    "recording_page": "newtonlite.viewer.page.html:page",
    "save_recording": "newtonlite.viewer.recording.file:save",
    "Viewer": "newtonlite.viewer.page.viewer",
    "Session": "newtonlite.viewer.session",
    "ViewerBase": "newtonlite.viewer.newton.base",
    "ViewerFile": "newtonlite.viewer.newton.file",
    "ViewerGL": "newtonlite.viewer.newton.windows",
    "ViewerNull": "newtonlite.viewer.newton.null",
    "ViewerRTX": "newtonlite.viewer.newton.windows",
    "ViewerRerun": "newtonlite.viewer.newton.windows",
    "ViewerUSD": "newtonlite.viewer.newton.usd",
    "ViewerViser": "newtonlite.viewer.newton.viser",
}

__all__ = ["Camera", "Stage", "render", "still", "write_png", *_HOME]


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'newtonlite.viewer' has no attribute {name!r}")
    module, _, inside = _HOME[name].partition(":")
    value = getattr(import_module(module), inside or name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
