"""Reading URDF: ``parse_urdf`` into a builder, ``load_urdf`` into plain records."""

from newtonlite.importers.urdf.parse import load_urdf, parse_urdf

__all__ = ["load_urdf", "parse_urdf"]
