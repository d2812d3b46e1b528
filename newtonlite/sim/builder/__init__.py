"""ModelBuilder, in families of methods."""

from newtonlite.core.enums import ShapeFlags
from newtonlite.sim.builder.builder import ModelBuilder

__all__ = ["ModelBuilder", "ShapeFlags"]
