"""Writing MJCF from a compiled model: ``write_mjcf`` as text, ``save_mjcf`` into a file."""

from .write import save_mjcf, write_mjcf

__all__ = ["save_mjcf", "write_mjcf"]
