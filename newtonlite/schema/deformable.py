"""Deformable things: soft bodies (``flex``, and ``flexcomp`` which makes one with its bodies), and skins."""

from dataclasses import replace
from functools import partial

from newtonlite.core.table import (
    COMPILED,
    METADATA,
    REFUSED,
    Attr,
    Element,
    boolean,
    integer,
    keyword,
    name,
    real,
    reference,
    text,
)
from newtonlite.schema import groups
from newtonlite.schema.groups import ORIENTATION, POS, SOLIMP, group, solimp, solref
from newtonlite.schema.skin import SKIN

FLEX_ROW = "mujoco:flex"
EDGE_EQUALITY = keyword("false", "true", "strain")
FLEX_TYPES = keyword("grid", "box", "cylinder", "ellipsoid", "square", "disc", "circle", "mesh", "gmsh", "direct")
FLEX_DOFS = keyword("full", "radial", "2d", "trilinear", "quadratic")
SELF_COLLISION = keyword("none", "narrow", "bvh", "sap", "auto")
ELASTIC2D = keyword("none", "bend", "stretch", "both")
SECTIONS = keyword("circle", "box")


def refused(name: str, attrs: str = "", children: tuple[Element, ...] = (), doc: str = "") -> Element:
    """An element that is an error where it stands."""
    return Element(name, tuple(Attr(a, text, status=REFUSED) for a in attrs.split()), children, status=REFUSED, doc=doc)


row = partial(groups.row, "flex")


def made(name: str, kind, default, doc: str, **more) -> Attr:
    """A row of what a flexcomp is made by; nothing is left of it but the flex and its bodies."""
    return Attr(name, kind, default, doc=doc, status=COMPILED, handled="expand", **more)


def listed(name: str, kind, doc: str, **more) -> Attr:
    """A row of a list that belongs to the points, nodes or elements of a flex."""
    return Attr(name, kind, doc=doc, **{"handled": "resolve_flexes"} | more)


def spring(name: str, doc: str, unit: str) -> Attr:
    """A row of the springs along edges."""
    columns = {"binds": f"mujoco:flex_edge{name}", "field": f"flex_edge{name}", "usd": f"mjc:edge{name.title()}"}
    return Attr(name, real, 0.0, unit=unit, doc=doc, **columns)


CONTACT = Element(
    "contact",
    (
        row("contype", integer, 1, "Bits of what it is."),
        row("conaffinity", integer, 1, "Bits of what it collides with."),
        row("condim", integer, 3, "Dimension of its contacts: 1, 3, 4 or 6."),
        row("priority", integer, 0, "The higher one sets the contact's parameters alone."),
        row("friction", real[1:3], (1.0, 0.005, 0.0001), "Sliding, torsional, rolling friction.", unit="1, m, m"),
        row("solmix", real, 1.0, "Weight in averaging contact parameters."),
        solref("solref", "mujoco:flex_solref", "its contacts", field="flex_solref"),
        solimp("solimp", "mujoco:flex_solimp", "its contacts", field="flex_solimp"),
        row("margin", real, 0.0, "Distance at which its contacts begin to act.", unit="m"),
        row("gap", real, 0.0, "Distance beyond the margin at which contacts are noticed.", unit="m"),
        row("selfcollide", SELF_COLLISION, 4, "How pairs of its own elements are found; auto: sap, in 3D bvh."),
        row("activelayers", integer, 1, "Layers of tetrahedra, from the outside, that collide."),
        row("passive", boolean, False, "Whether contacts are forces instead of constraints."),
    ),
    frequency=FLEX_ROW,
    many=False,
    doc="How its elements touch.",
)
EDGE = Element(
    "edge",
    (
        spring("stiffness", "Stiffness of the edges of a line.", "N/m"),
        spring("damping", "Damping of the edges.", "N s/m"),
    ),
    frequency=FLEX_ROW,
    many=False,
    doc="Springs along its edges.",
)
ELASTICITY = Element(
    "elasticity",
    (
        row("young", real, 0.0, "Young's modulus; 0: none.", unit="Pa"),
        row("poisson", real, 0.0, "Poisson's ratio, from 0 to below 0.5."),
        row("shear", real, 0.0, "Shear modulus of rods; 0: by young and poisson.", unit="Pa"),
        row("damping", real, 0.0, "Rayleigh's damping, in proportion to the stiffness.", unit="s"),
        row("thickness", real, -1.0, "Thickness of shells.", unit="m"),
        row("elastic2d", ELASTIC2D, 0, "What of shells is elastic."),
        row("section", SECTIONS, 0, "Cross-section of rods."),
        row("sectionsize", real[2], (0.0, 0.0), "Half-sizes of a box section.", unit="m"),
        Attr(
            "yield",
            real[1:2],
            (0.0, -1.0),
            "mujoco:flex_yield",
            "mjc:yield",
            doc="Strains of stretching and bending at which it yields; one stands for both where both can; 0: never.",
            field="flex_yield",
        ),
    ),
    frequency=FLEX_ROW,
    many=False,
    doc="Continuum elasticity.",
)
LOOK = (
    Attr("name", name("flex"), binds="mujoco:flex_label mujoco:flex_name", doc="Name.", handled="flex_row"),
    row("dim", integer, 2, "Dimension of its elements: 1 lines, 2 triangles, 3 tetrahedra."),
    row("radius", real, 0.005, "Radius of its elements.", unit="m"),
    group("mujoco:flex_group", field="flex_group"),
    Attr("material", text, doc="Material of the surface, or of each element.", status=METADATA, handled="flex_row"),
    row("rgba", real[4], (0.5, 0.5, 0.5, 1.0), "Colour and opacity; wins over the material's.", status=METADATA),
    row("flatskin", boolean, False, "Whether it is drawn with flat faces.", status=METADATA),
)
CELLS = Attr("cellcount", integer[3], (1, 1, 1), doc="Cells of interpolation along each axis.", handled="flex_row")

FLEX = Element(
    "flex",
    (
        *LOOK,
        CELLS,
        Attr(
            "dof",
            keyword(trilinear=1, quadratic=2),
            binds="mujoco:flex_interp",
            doc="Order of interpolation between nodes; default: none, each point moves with a body.",
        ),
        listed("body", text, "Bodies of its points, one for each or one for all.", required=False),
        listed("vertex", real[0:None], "Places of the points in their bodies; default: their origins.", unit="m"),
        listed("element", integer[0:None], "Points of each element.", required=True),
        listed("texcoord", real[0:None], "Texture coordinates.", status=METADATA),
        listed("elemtexcoord", integer[0:None], "Texture coordinates of each element, by number.", status=METADATA),
        listed("node", text, "Bodies of the nodes of interpolation."),
        listed("nodecoord", real[0:None], "Places of the nodes in their bodies; default: their origins.", unit="m"),
    ),
    (CONTACT, EDGE, ELASTICITY),
    frequency=FLEX_ROW,
    doc="A soft body over bodies that are there.",
    handled="resolve_flexes",
)
PIN = Element(
    "pin",
    (
        made("id", integer[0:None], (), "Numbers of points, or of nodes of interpolation."),
        made("range", integer[0:None], (), "First and last number of ranges."),
        made("grid", integer[0:None], (), "Places on the grid."),
        made("gridrange", integer[0:None], (), "Least and largest place of ranges on the grid."),
    ),
    status=COMPILED,
    doc="Points that stay on the parent body.",
)
FLEXCOMP = Element(
    "flexcomp",
    (
        *(replace(attr, required=attr.name == "name") for attr in LOOK),
        replace(CELLS, status=COMPILED, handled="expand"),
        made("type", FLEX_TYPES, 0, "Where points and elements come from."),
        made("dof", FLEX_DOFS, 0, "How the points move."),
        made("count", integer[1:3], (10, 10, 10), "Points along each axis."),
        made("spacing", real[1:3], (0.02, 0.02, 0.02), "Distance of points along each axis.", unit="m"),
        made("point", real[0:None], None, "Points of type direct.", unit="m"),
        made("element", integer[0:None], None, "Elements of type direct."),
        made("texcoord", real[0:None], None, "Texture coordinates of the points."),
        made("mass", real, 1.0, "Mass of all points.", unit="kg"),
        made("inertiabox", real, 0.005, "Side of the box that gives each body its inertia.", unit="m"),
        made("scale", real[3], (1.0, 1.0, 1.0), "Scale of points that are given or read."),
        made("file", text, None, "File of a surface, or a Gmsh file."),
        made("mesh", reference("mesh"), None, "Mesh asset, in place of a file."),
        made("rigid", boolean, False, "Whether all points stay on the parent body."),
        made("origin", real[3], None, "Point that makes tetrahedra of the triangles of a surface.", unit="m"),
        replace(POS, status=COMPILED, handled="expand"),
        *(replace(attr, status=COMPILED, handled="expand") for attr in ORIENTATION),
    ),
    (
        Element(
            "edge",
            (
                *EDGE.attrs,
                made("equality", EDGE_EQUALITY, 0, "Constraint of its edges, or of the strain of its cells."),
                made("solref", real[1:2], groups.SOLREF, "Constraint reference of that constraint."),
                made("solimp", real[1:5], SOLIMP, "Constraint impedance of that constraint."),
            ),
            frequency=FLEX_ROW,
            many=False,
            doc="Springs and constraints of its edges.",
        ),
        ELASTICITY,
        CONTACT,
        PIN,
        refused("plugin", "instance plugin", (refused("config", "key value"),)),
    ),
    frequency=FLEX_ROW,
    doc="A soft body, with the bodies and joints of its points.",
    handled="expand",
)

DEFORMABLE = Element("deformable", (), (FLEX, SKIN), doc="Soft bodies, and skins.")
