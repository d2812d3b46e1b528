"""Building a scene: ``ModelBuilder``, in families of methods."""

from newtonlite.sim.builder.builder import ModelBuilder

__all__ = ["ModelBuilder"]
