"""Small robots as text, and what a builder makes of them."""

from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder
from tests.oracle import MODELS

INERTIAL = '<inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1.2" iyz="0" izz="1.4"/></inertial>'
BOX = "<geometry><box size='0.2 0.4 0.6'/></geometry>"
FILES = sorted((MODELS / "urdf").glob("*.urdf"))


def robot(*parts: str) -> str:
    """A robot of some parts."""
    return f'<robot name="r">{"".join(parts)}</robot>'


def link(name: str, inside: str = INERTIAL) -> str:
    """A link."""
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    """A joint."""
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def pair(kind: str, inside: str = "") -> str:
    """Two links, and a joint ``j`` between them."""
    return robot(link("a"), link("b"), joint("j", kind, "a", "b", inside))


def built(text: str, **options) -> tuple[ModelBuilder, Report]:
    """A builder with one robot, and the report of its import."""
    builder, report = ModelBuilder(), Report()
    builder.add_urdf(str(text), report=report, **options)
    return builder, report
