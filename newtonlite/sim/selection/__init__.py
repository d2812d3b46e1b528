"""Choosing parts of a scene by their names, and reading and writing their rows world by world."""

from newtonlite.sim.selection.view import ArticulationView

__all__ = ["ArticulationView"]
