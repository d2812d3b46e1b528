"""geom and site: shapes of bodies."""

from newtonlite.core.mujoco import MjtGeom
from newtonlite.core.table import (
    COMPILED,
    METADATA,
    REFUSED,
    Attr,
    Element,
    boolean,
    integer,
    keyword,
    keyword_of,
    name,
    real,
    reference,
)
from newtonlite.schema.groups import CLASS, LOOK, ORIENTATION, POS, group, solimp, solref, user

SHAPES = keyword_of(MjtGeom, "plane hfield sphere capsule ellipsoid cylinder box mesh sdf")

ATTRS = (
    Attr("name", name("geom"), doc="Name.", classed=False),
    CLASS,
    Attr("type", SHAPES, 2, doc="Shape."),
    Attr("size", real[1:3], (0.0, 0.0, 0.0), unit="m", doc="Half-sizes, as many as the shape has."),
    Attr("fromto", real[6], unit="m", doc="Two ends, in place of pos, orientation and half-length.", status=COMPILED),
    POS,
    *ORIENTATION,
    Attr("contype", integer, 1, binds="mujoco:contype", usd="mjc:contype", doc="Bits of what it is."),
    Attr(
        "conaffinity",
        integer,
        1,
        binds="mujoco:conaffinity",
        usd="mjc:conaffinity",
        doc="Bits of what it collides with.",
    ),
    Attr("condim", integer, 3, binds="mujoco:condim", usd="mjc:condim", doc="Dimension of its contacts: 1, 3, 4 or 6."),
    Attr(
        "priority",
        integer,
        0,
        binds="mujoco:geom_priority",
        usd="mjc:priority",
        doc="The higher one sets the contact's parameters alone.",
    ),
    Attr("friction", real[1:3], (1.0, 0.005, 0.0001), unit="1, m, m", doc="Sliding, torsional, rolling friction."),
    Attr(
        "solmix", real, 1.0, binds="mujoco:geom_solmix", usd="mjc:solmix", doc="Weight in averaging contact parameters."
    ),
    solref("solref", "mujoco:solref", "Constraint reference of its contacts."),
    solimp("solimp", "mujoco:geom_solimp", "Constraint impedance of its contacts."),
    Attr("margin", real, 0.0, usd="mjc:margin", unit="m", doc="Distance at which its contacts begin to act."),
    Attr(
        "gap",
        real,
        0.0,
        binds="mujoco:geom_gap",
        usd="mjc:gap",
        unit="m",
        doc="Distance beyond the margin at which contacts are noticed.",
    ),
    Attr("mass", real, unit="kg", doc="Mass, in place of density."),
    Attr("density", real, 1000.0, unit="kg/m^3", doc="Density of the volume (or of the shell)."),
    Attr("shellinertia", boolean, False, usd="mjc:shellinertia", doc="Mass is on the surface.", status=COMPILED),
    group("mujoco:geom_group"),
    *LOOK,
    Attr("mesh", reference("mesh"), doc="Mesh of the geom; a primitive type is fitted to it."),
    Attr("fitscale", real, 1.0, doc="Scale of a primitive that is fitted to a mesh.", status=COMPILED),
    Attr("hfield", reference("hfield"), doc="Height field of the geom."),
    Attr(
        "fluidshape",
        keyword("none", "ellipsoid"),
        0,
        binds="mujoco:geom_fluidshape",
        usd="mjc:fluidshape",
        doc="Model of fluid forces.",
    ),
    Attr(
        "fluidcoef",
        real[1:5],
        (0.5, 0.25, 1.5, 1.0, 1.0),
        binds="mujoco:geom_fluidcoef",
        usd="mjc:fluidcoef",
        doc="Coefficients of the fluid model.",
    ),
    Attr(
        "surfacevel",
        real[1:6],
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        binds="mujoco:geom_surfacevel",
        usd="mjc:surfacevel",
        doc="Velocity of the surface, as of a conveyor.",
    ),
    Attr(
        "adhesion", real, 0.0, binds="mujoco:geom_adhesion", usd="mjc:adhesion", doc="Force that keeps contacts closed."
    ),
    Attr(
        "castshadow",
        boolean,
        True,
        binds="mujoco:geom_castshadow",
        usd="mjc:castshadow",
        doc="Whether it casts shadows.",
        status=METADATA,
    ),
    user("mujoco:shape_user"),
)

PLUGIN = Element(
    "plugin",
    (Attr("plugin", reference("plugin"), status=REFUSED), Attr("instance", reference("plugin"), status=REFUSED)),
    (
        Element(
            "config",
            (Attr("key", name("config"), status=REFUSED), Attr("value", name("config"), status=REFUSED)),
            status=REFUSED,
        ),
    ),
    status=REFUSED,
    doc="An extension of MuJoCo in machine code.",
)

GEOM = Element(
    "geom", ATTRS, (PLUGIN,), family="geom", frequency="shape", doc="A shape with mass that collides.", handled="geom"
)

SITE = Element(
    "site",
    (
        Attr("name", name("site"), doc="Name.", classed=False),
        CLASS,
        Attr("type", keyword_of(MjtGeom, "sphere capsule ellipsoid cylinder box mesh"), MjtGeom.SPHERE, doc="Shape."),
        Attr("size", real[1:3], (0.005, 0.005, 0.005), unit="m", doc="Half-sizes."),
        Attr("fromto", real[6], unit="m", doc="Two ends, in place of pos and orientation.", status=COMPILED),
        POS,
        *ORIENTATION,
        group("mujoco:geom_group"),
        *LOOK,
        Attr("mesh", reference("mesh"), doc="Mesh of the site.", status=REFUSED),
        user("mujoco:shape_user"),
    ),
    family="site",
    frequency="shape",
    doc="A frame on a body, for sensors and tendons.",
    handled="site",
)
