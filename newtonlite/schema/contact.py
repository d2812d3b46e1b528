"""contact: pairs of geoms that always may touch, pairs of bodies that never do."""

from newtonlite.core.table import COMPILED, Attr, Element, integer, name, real, reference
from newtonlite.schema.groups import CLASS, solimp, solref

PAIR = Element(
    "pair",
    (
        Attr("name", name("pair"), binds="mujoco:pair_label", doc="Name.", classed=False),
        CLASS,
        Attr(
            "geom1",
            reference("geom"),
            binds="mujoco:pair_geom1",
            field="pair_geom1",
            doc="First geom.",
            required=True,
            classed=False,
            handled="pair_row",
        ),
        Attr(
            "geom2",
            reference("geom"),
            binds="mujoco:pair_geom2",
            field="pair_geom2",
            doc="Second geom.",
            required=True,
            classed=False,
            handled="pair_row",
        ),
        Attr(
            "condim",
            integer,
            3,
            binds="mujoco:pair_condim",
            field="pair_dim",
            usd="mjc:condim",
            doc="Dimension: 1, 3, 4 or 6.",
        ),
        Attr(
            "friction",
            real[1:5],
            (1.0, 1.0, 0.005, 0.0001, 0.0001),
            binds="mujoco:pair_friction",
            field="pair_friction",
            usd="mjc:friction",
            doc="Friction per direction.",
        ),
        solref("solref", "mujoco:pair_solref", "Constraint reference.", field="pair_solref"),
        solref(
            "solreffriction",
            "mujoco:pair_solreffriction",
            "Constraint reference of friction; 0 0: that of solref.",
            (0.0, 0.0),
            field="pair_solreffriction",
        ),
        solimp("solimp", "mujoco:pair_solimp", "Constraint impedance.", field="pair_solimp"),
        Attr(
            "margin",
            real,
            0.0,
            binds="mujoco:pair_margin",
            field="pair_margin",
            usd="mjc:margin",
            unit="m",
            doc="Distance at which it begins to act.",
        ),
        Attr(
            "gap",
            real,
            0.0,
            binds="mujoco:pair_gap",
            field="pair_gap",
            usd="mjc:gap",
            unit="m",
            doc="Distance beyond the margin at which it is noticed.",
        ),
        Attr(
            "adhesion",
            real,
            0.0,
            binds="mujoco:pair_adhesion",
            field="pair_adhesion",
            usd="mjc:adhesion",
            doc="Force that keeps it closed.",
        ),
    ),
    family="pair",
    frequency="mujoco:pair",
    doc="Two geoms that may touch, with parameters of their own; masks and exclusions do not count.",
)

EXCLUDE = Element(
    "exclude",
    (
        Attr("name", name("exclude"), binds="mujoco:exclude_label", doc="Name."),
        Attr(
            "body1",
            reference("body"),
            binds="mujoco:exclude_body1",
            doc="First body.",
            required=True,
            handled="exclude_row",
        ),
        Attr(
            "body2",
            reference("body"),
            binds="mujoco:exclude_body2",
            doc="Second body.",
            required=True,
            handled="exclude_row",
        ),
    ),
    frequency="mujoco:exclude",
    doc="Two bodies whose geoms do not touch.",
)

CONTACT = Element("contact", children=(PAIR, EXCLUDE), doc="Contact pairs and exclusions.", status=COMPILED)
