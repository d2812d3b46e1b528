"""The builder's doors to the importers, which are loaded when a door is opened."""

from typing import Any

from newtonlite.core.errors import ModelError


class ImportMethods:
    """Adding what a file describes."""

    def add_mjcf(self, source: str, **options: Any) -> Any:
        """Add an MJCF file, or MJCF text; options as for ``newtonlite.importers.mjcf.parse_mjcf``."""
        from newtonlite.importers.mjcf import parse_mjcf

        return parse_mjcf(self, source, **options)

    def add_urdf(self, source: str, **options: Any) -> Any:
        """Add a URDF file, or URDF text; options as for ``newtonlite.importers.urdf.parse_urdf``."""
        from newtonlite.importers.urdf import parse_urdf

        return parse_urdf(self, source, **options)

    def add_usd(self, source: Any, **options: Any) -> Any:
        """Refused: there is no USD reader yet."""
        raise ModelError("add_usd: USD cannot be read; convert the scene to MJCF and use add_mjcf")
