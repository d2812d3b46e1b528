"""Import methods of the builder; importers are loaded when called."""

from typing import Any

from newtonlite.core.doors import open_door
from newtonlite.core.garbage import collection_held


class ImportMethods:
    """Adding what a file describes."""

    def add_mjcf(self, source: str, **options: Any) -> Any:
        """Add an MJCF file, or MJCF text; options as for ``newtonlite.importers.mjcf.parse_mjcf``."""
        with collection_held():
            return open_door("parse_mjcf")(self, source, **options)

    def add_urdf(self, source: str, **options: Any) -> Any:
        """Add a URDF file, or URDF text; options as for ``newtonlite.importers.urdf.parse_urdf``."""
        with collection_held():
            return open_door("parse_urdf")(self, source, **options)

    def add_usd(self, source: Any, **options: Any) -> dict[str, Any]:
        """Add a USD stage: a path, text, or a ``Usd.Stage``; options as for ``newtonlite.importers.usd.parse_usd``."""
        with collection_held():
            return open_door("parse_usd")(self, source, **options)
