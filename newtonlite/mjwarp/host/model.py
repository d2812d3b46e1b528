"""``MjModel``: a compiled model as plain NumPy, read from MJCF as MuJoCo's Python module reads it."""

from pathlib import Path

from newtonlite.mjwarp.model import load
from newtonlite.solvers.mujoco.compile import CompiledModel


class MjModel(CompiledModel):
    """MuJoCo's fields as NumPy arrays, ``m.body("torso")`` and its like; made by ``from_xml_string`` or
    ``from_xml_path``.
    """

    @classmethod
    def from_xml_string(cls, xml: str, assets: dict[str, bytes] | None = None) -> "MjModel":
        """The model that MJCF text describes; ``assets`` are files in memory. Raises ParseError or ModelError with the
        place.
        """
        return cls._of(load(xml.lstrip(), assets))

    @classmethod
    def from_xml_path(cls, filename: str | Path, assets: dict[str, bytes] | None = None) -> "MjModel":
        """The model of an MJCF or URDF file. Raises ParseError or ModelError with the place in the file."""
        return cls._of(load(Path(filename), assets))

    @classmethod
    def _of(cls, compiled: CompiledModel) -> "MjModel":
        made = object.__new__(cls)
        made.__dict__ = compiled.__dict__
        return made
