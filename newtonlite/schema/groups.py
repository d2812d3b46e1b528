"""Groups of rows that several elements share."""

from dataclasses import replace

from newtonlite.core.table import COMPILED, METADATA, Attr, integer, real, reference, text, tristate

SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
REST = "mjc:"
INTERPOLATIONS = ("zoh", "linear", "cubic")
"""Interpolation between two samples of a delay buffer, by its number."""

CLASS = Attr(
    "class",
    reference("default"),
    doc="Default class, in place of the nearest childclass.",
    status=COMPILED,
    classed=False,
    handled="overlay",
)
USER = Attr("user", real[0:None], doc="Numbers of the user's own.", status=METADATA)
POS = Attr("pos", real[3], (0.0, 0.0, 0.0), unit="m", doc="Position in the parent's frame.", handled="pose")

ORIENTATION = (
    Attr("quat", real[4], (1.0, 0.0, 0.0, 0.0), doc="Orientation (w, x, y, z); normalized.", handled="orientation"),
    Attr(
        "axisangle",
        real[4],
        unit="angle",
        doc="Orientation: axis (x, y, z) and angle.",
        status=COMPILED,
        handled="orientation",
    ),
    Attr(
        "euler",
        real[3],
        unit="angle",
        doc="Orientation: three turns in the order of compiler eulerseq.",
        status=COMPILED,
        handled="orientation",
    ),
    Attr(
        "xyaxes",
        real[6],
        doc="Orientation: x axis, and y axis made orthogonal to it.",
        status=COMPILED,
        handled="orientation",
    ),
    Attr(
        "zaxis",
        real[3],
        doc="Orientation: the shortest turn that brings z onto this axis.",
        status=COMPILED,
        handled="orientation",
    ),
)
"""At most one of them may be given; see ``orientation`` in the importer's irregular.py."""


def look(kind: str, field: str, **more) -> tuple[Attr, Attr]:
    """The rows of a material, and of a colour of its own; ``kind`` begins the names of custom attributes, ``field`` those
    of arrays.
    """
    material = Attr(
        "material",
        reference("material"),
        binds=f"mujoco:{kind}_material",
        field=f"{field}_matid",
        doc="Material of the surface.",
        status=METADATA,
    )
    rgba = Attr(
        "rgba",
        real[4],
        (0.5, 0.5, 0.5, 1.0),
        binds=f"mujoco:{kind}_rgba",
        field=f"{field}_rgba",
        doc="Colour and opacity; wins over the material's.",
        status=METADATA,
        **more,
    )
    return material, rgba


def row(start: str, name: str, kind, default, doc: str, **more) -> Attr:
    """A row whose columns are named after it, ``mujoco:geom_solmix``, ``geom_solmix`` and ``mjc:solmix``, where others are
    not given; '' is none.
    """
    columns = {"binds": f"mujoco:{start}_{name}", "field": f"{start}_{name}", "usd": REST + name}
    return Attr(name, kind, default, doc=doc, **columns | more)


def user(binds: str, field: str = "") -> Attr:
    """The ``user`` row of an element whose numbers are kept."""
    return replace(USER, binds=binds, field=field, convert="numbers")


def group(binds: str = "", **more) -> Attr:
    """The ``group`` row: a number for switching parts of the picture."""
    doc = "Group for visualization and for selecting."
    return row("", "group", integer, 0, doc, binds=binds, status=METADATA, **{"field": ""} | more)


def solref(name: str, binds: str, doc: str, default=SOLREF, **more) -> Attr:
    """A row of (timeconst [s], dampratio), or of -(stiffness, damping)."""
    return Attr(name, real[1:2], default, binds=binds, usd=REST + name, doc=f"Constraint reference of {doc}.", **more)


def solimp(name: str, binds: str, doc: str, **more) -> Attr:
    """A row of (dmin, dmax, width, midpoint, power)."""
    return Attr(name, real[1:5], SOLIMP, binds=binds, usd=REST + name, doc=f"Constraint impedance of {doc}.", **more)


def polynomial(start: str, name: str, doc: str, **more) -> Attr:
    """A row of a coefficient and its higher terms."""
    columns = {
        column: f"{first}_{name} {first}_{name}poly"
        for column, first in (("binds", f"mujoco:{start}"), ("field", start))
    }
    columns |= {"usd": f"{REST}{name} {REST}{name}Poly", "convert": "polynomial"}
    return Attr(name, real[1:3], (0.0, 0.0, 0.0), doc=f"{doc}, and its higher terms.", **columns | more)


def limited(name: str, decides: str, doc: str, **more) -> Attr:
    """A row that says whether a range counts; auto: where there is one."""
    return Attr(name, tristate, 2, doc=f"{doc}; auto: where there is a range.", decides=decides, **more)


def content_type() -> Attr:
    """The ``content_type`` row of files."""
    return Attr(
        "content_type",
        text,
        doc="Media type of the file, where its name does not tell.",
        status=COMPILED,
        classed=False,
        handled="open",
    )
