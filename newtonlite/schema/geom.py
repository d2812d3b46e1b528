"""geom and site: shapes of bodies."""

from functools import partial

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
from newtonlite.schema import groups
from newtonlite.schema.extension import PLUGIN
from newtonlite.schema.groups import CLASS, ORIENTATION, POS, group, look, solimp, solref, user

SHAPES = keyword_of(MjtGeom, "plane hfield sphere capsule ellipsoid cylinder box mesh sdf")

row = partial(groups.row, "geom")

ATTRS = (
    Attr("name", name("geom"), binds="mujoco:shape_name", doc="Name.", classed=False),
    CLASS,
    row("type", SHAPES, 2, "Shape.", binds="", usd="", handled="geom_shape"),
    row(
        "size",
        real[1:3],
        (0.0, 0.0, 0.0),
        "Half-sizes, as many as the shape has.",
        binds="",
        field="",
        usd="",
        unit="m",
        handled="used_size",
    ),
    Attr(
        "fromto",
        real[6],
        unit="m",
        doc="Two ends, in place of pos, orientation and half-length.",
        status=COMPILED,
        handled="from_ends",
    ),
    POS,
    *ORIENTATION,
    row("contype", integer, 1, "Bits of what it is.", binds="mujoco:contype"),
    row("conaffinity", integer, 1, "Bits of what it collides with.", binds="mujoco:conaffinity"),
    row("condim", integer, 3, "Dimension of its contacts: 1, 3, 4 or 6.", binds="mujoco:condim"),
    row("priority", integer, 0, "The higher one sets the contact's parameters alone."),
    row(
        "friction",
        real[1:3],
        (1.0, 0.005, 0.0001),
        "Sliding, torsional, rolling friction.",
        binds="shape_material_mu shape_material_mu_torsional shape_material_mu_rolling",
        convert="each",
        usd="",
        unit="1, m, m",
    ),
    row("solmix", real, 1.0, "Weight in averaging contact parameters."),
    solref(
        "solref",
        "shape_material_ke shape_material_kd mujoco:solref",
        "its contacts",
        field="geom_solref",
        handled="contact_reference",
    ),
    solimp("solimp", "mujoco:geom_solimp", "its contacts", field="geom_solimp"),
    row("margin", real, 0.0, "Distance at which its contacts begin to act.", binds="shape_margin", unit="m"),
    row(
        "gap",
        real,
        0.0,
        "Distance beyond the margin at which contacts are noticed.",
        binds="shape_gap mujoco:geom_gap",
        convert="both",
        unit="m",
    ),
    Attr("mass", real, unit="kg", doc="Mass, in place of density.", handled="resolve_masses"),
    Attr(
        "density", real, 1000.0, unit="kg/m^3", doc="Density of the volume (or of the shell).", handled="resolve_masses"
    ),
    Attr(
        "shellinertia",
        boolean,
        False,
        usd="mjc:shellinertia",
        doc="Mass is on the surface.",
        status=COMPILED,
        handled="resolve_masses",
    ),
    group("mujoco:geom_group", field="geom_group"),
    *look("shape", "geom"),
    Attr("mesh", reference("mesh"), doc="Mesh of the geom; a primitive type is fitted to it.", handled="mesh"),
    Attr("fitscale", real, 1.0, doc="Scale of a primitive that is fitted to a mesh.", status=COMPILED, handled="fit"),
    Attr("hfield", reference("hfield"), doc="Height field of the geom.", handled="hfield"),
    row("fluidshape", keyword("none", "ellipsoid"), 0, "Model of fluid forces.", field=""),
    row("fluidcoef", real[1:5], (0.5, 0.25, 1.5, 1.0, 1.0), "Coefficients of the fluid model.", field=""),
    row("surfacevel", real[1:6], (0.0,) * 6, "Velocity of the surface, as of a conveyor."),
    row("adhesion", real, 0.0, "Force that keeps contacts closed."),
    row("castshadow", boolean, True, "Whether it casts shadows.", status=METADATA),
    user("mujoco:shape_user", "geom_user"),
)

GEOM = Element("geom", ATTRS, (PLUGIN,), family="geom", frequency="shape", doc="A shape with mass that collides.")

SITE = Element(
    "site",
    (
        Attr("name", name("site"), binds="mujoco:shape_name", doc="Name.", classed=False),
        CLASS,
        Attr(
            "type",
            keyword_of(MjtGeom, "sphere capsule ellipsoid cylinder box mesh"),
            MjtGeom.SPHERE,
            field="site_type",
            doc="Shape.",
            handled="site_shape",
        ),
        Attr("size", real[1:3], (0.005, 0.005, 0.005), unit="m", doc="Half-sizes.", handled="site_shape"),
        Attr(
            "fromto",
            real[6],
            unit="m",
            doc="Two ends, in place of pos and orientation.",
            status=COMPILED,
            handled="from_ends",
        ),
        POS,
        *ORIENTATION,
        group("mujoco:geom_group", field="site_group"),
        *look("shape", "site"),
        Attr("mesh", reference("mesh"), doc="Mesh of the site.", status=REFUSED),
        user("mujoco:shape_user", "site_user"),
    ),
    family="site",
    frequency="shape",
    doc="A frame on a body, for sensors and tendons.",
)
