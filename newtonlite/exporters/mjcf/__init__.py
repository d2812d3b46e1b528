"""Writing MJCF from a compiled model: ``write_mjcf`` as text, ``save_mjcf`` into a file."""

from newtonlite.exporters.mjcf.write import save_mjcf, write_mjcf

__all__ = ["save_mjcf", "write_mjcf"]
