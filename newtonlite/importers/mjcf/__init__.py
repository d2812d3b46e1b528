"""Reading MJCF: ``parse_mjcf`` into a builder, ``load_mjcf`` into plain records."""

from newtonlite.importers.mjcf.load import load_mjcf
from newtonlite.importers.mjcf.parse import parse_mjcf

__all__ = ["load_mjcf", "parse_mjcf"]
