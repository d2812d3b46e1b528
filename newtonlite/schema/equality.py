"""equality: constraints that hold at all times."""

from newtonlite.core.table import COMPILED, Attr, Element, boolean, name, real, reference
from newtonlite.schema.deformable import refused
from newtonlite.schema.groups import CLASS, solimp, solref

EQ = "mujoco:equality_constraint_"

COMMON = (
    Attr(
        "name", name("equality"), binds=EQ + "label " + EQ + "name", doc="Name.", classed=False, handled="equality_row"
    ),
    CLASS,
    Attr("active", boolean, True, binds=EQ + "enabled", field="eq_active0", doc="Whether it holds from the start."),
    solref("solref", "mujoco:eq_solref", "the constraint", field="eq_solref"),
    solimp("solimp", "mujoco:eq_solimp", "the constraint", field="eq_solimp"),
)
POLYCOEF = Attr(
    "polycoef",
    real[1:5],
    (0.0, 1.0, 0.0, 0.0, 0.0),
    binds=EQ + "polycoef",
    doc="Polynomial in the second's deviation.",
    classed=False,
)
BODIES = (
    Attr("body1", reference("body"), binds=EQ + "body1", doc="First body.", classed=False, handled="equality_ends"),
    Attr(
        "body2",
        reference("body"),
        binds=EQ + "body2",
        doc="Second body; default: the world.",
        classed=False,
        handled="equality_ends",
    ),
    Attr(
        "site1",
        reference("site"),
        binds=EQ + "site1",
        doc="Site of the first body, with site2 in place of bodies and anchor.",
        classed=False,
        handled="equality_ends",
    ),
    Attr(
        "site2",
        reference("site"),
        binds=EQ + "site2",
        doc="Site of the second body.",
        classed=False,
        handled="equality_ends",
    ),
)


def constraint(name: str, attrs: tuple[Attr, ...], doc: str) -> Element:
    """One kind of equality constraint."""
    return Element(name, (*COMMON, *attrs), family="equality", frequency="mujoco:equality_constraint", doc=doc)


EQUALITY = Element(
    "equality",
    children=(
        constraint(
            "connect",
            (
                *BODIES,
                Attr(
                    "anchor",
                    real[3],
                    binds=EQ + "anchor",
                    unit="m",
                    doc="Common point, in the first body.",
                    classed=False,
                    handled="placed_tie",
                ),
            ),
            "A common point.",
        ),
        constraint(
            "weld",
            (
                *BODIES,
                Attr(
                    "anchor",
                    real[3],
                    (0.0, 0.0, 0.0),
                    binds=EQ + "anchor",
                    unit="m",
                    doc="Point of the second body where forces act.",
                    classed=False,
                    handled="placed_tie",
                ),
                Attr(
                    "relpose",
                    real[7],
                    (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
                    binds=EQ + "relpose",
                    doc="Pose of the second in the first; quaternion 0: as in the file.",
                    classed=False,
                    handled="placed_tie",
                ),
                Attr(
                    "torquescale",
                    real,
                    1.0,
                    binds=EQ + "torquescale",
                    usd="mjc:torqueScale",
                    unit="m",
                    doc="Weight of rotation against translation.",
                    classed=False,
                ),
            ),
            "No relative motion.",
        ),
        constraint(
            "joint",
            (
                Attr(
                    "joint1",
                    reference("joint"),
                    binds=EQ + "joint1",
                    required=True,
                    doc="Joint that follows.",
                    classed=False,
                    handled="equality_ends",
                ),
                Attr(
                    "joint2",
                    reference("joint"),
                    binds=EQ + "joint2",
                    doc="Joint that is followed; default: none.",
                    classed=False,
                    handled="equality_ends",
                ),
                POLYCOEF,
            ),
            "One joint follows another.",
        ),
        constraint(
            "tendon",
            (
                Attr(
                    "tendon1",
                    reference("tendon"),
                    binds=EQ + "tendon1",
                    required=True,
                    doc="Tendon that follows.",
                    classed=False,
                    handled="equality_ends",
                ),
                Attr(
                    "tendon2",
                    reference("tendon"),
                    binds=EQ + "tendon2",
                    doc="Tendon that is followed; default: none.",
                    classed=False,
                    handled="equality_ends",
                ),
                POLYCOEF,
            ),
            "One tendon follows another.",
        ),
        refused("flex", "active class flex name solimp solref", doc="Edges of a flex."),
        refused("flexvert", "active class flex name solimp solref", doc="Vertices of a flex."),
        refused("flexstrain", "active cell class flex name solimp solref", doc="Strain of a flex."),
        refused(
            "distance",
            "active class name solimp solref geom1 geom2 distance",
            doc="Distance of two geoms (from old files).",
        ),
    ),
    doc="Equality constraints.",
    status=COMPILED,
)

EQUALITY_CLASS = Element("equality", tuple(a for a in COMMON if a.classed), family="equality", status=COMPILED)
