"""Newton's viewers that need a display or a program of their own: classes to ask about, which cannot be made."""

from typing import Any

from newtonlite.core.errors import ModelError
from newtonlite.viewer.newton.base import ViewerBase


class _Window(ViewerBase):
    """A viewer that newtonlite does not have; ``isinstance`` works, making one raises ModelError."""

    def __new__(cls, *args: Any, **options: Any):
        raise ModelError(
            f"{cls.__name__}: newtonlite opens no window; use ViewerViser (a page in the browser), ViewerFile or "
            "ViewerNull"
        )


class ViewerGL(_Window):
    """Newton's OpenGL window; not here."""


class ViewerRTX(_Window):
    """Newton's ray-traced window; not here."""


class ViewerRerun(_Window):
    """Newton's link to Rerun; not here."""
