"""Pictures of a simulation without a display: a small ray caster in Warp, on the CPU or a GPU."""

from .camera import Camera
from .png import write_png
from .render import render
from .scene import Stage

__all__ = ["Camera", "Stage", "render", "write_png"]
