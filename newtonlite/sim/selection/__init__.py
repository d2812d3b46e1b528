"""Selection of articulations by label, with reading and writing of their rows per world."""

from newtonlite.sim.selection.view import ArticulationView

__all__ = ["ArticulationView"]
