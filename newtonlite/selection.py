"""Views of chosen articulations, under Newton's name."""

from newtonlite.sim.selection import ArticulationView

__all__ = ["ArticulationView"]
