"""equality: constraints that hold at all times."""

from newtonlite.core.table import COMPILED, Attr, Element, boolean, integer, name, real, reference
from newtonlite.schema.deformable import refused
from newtonlite.schema.groups import CLASS, solimp, solref

EQ = "mujoco:equality_constraint_"


def tie(name: str, kind, default, doc: str, **more) -> Attr:
    """A row of one kind of constraint."""
    return Attr(name, kind, default, binds=EQ + name, doc=doc, classed=False, **more)


def end(name: str, of: str, doc: str, **more) -> Attr:
    """The row of one of the two things that are tied."""
    return tie(name, reference(of), None, doc, handled="equality_ends", **more)


COMMON = (
    Attr(
        "name", name("equality"), binds=EQ + "label " + EQ + "name", doc="Name.", classed=False, handled="equality_row"
    ),
    CLASS,
    Attr("active", boolean, True, binds=EQ + "enabled", field="eq_active0", doc="Whether it holds from the start."),
    solref("solref", "mujoco:eq_solref", "the constraint", field="eq_solref"),
    solimp("solimp", "mujoco:eq_solimp", "the constraint", field="eq_solimp"),
)
POLYCOEF = tie("polycoef", real[1:5], (0.0, 1.0, 0.0, 0.0, 0.0), "Polynomial in the second's deviation.")
BODIES = (
    end("body1", "body", "First body."),
    end("body2", "body", "Second body; default: the world."),
    end("site1", "site", "Site of the first body, with site2 in place of bodies and anchor."),
    end("site2", "site", "Site of the second body."),
)


def constraint(name: str, attrs: tuple[Attr, ...], doc: str) -> Element:
    """One kind of equality constraint."""
    return Element(name, (*COMMON, *attrs), family="equality", frequency="mujoco:equality_constraint", doc=doc)


EQUALITY = Element(
    "equality",
    children=(
        constraint(
            "connect",
            (*BODIES, tie("anchor", real[3], None, "Common point, in the first body.", unit="m", handled="placed_tie")),
            "A common point.",
        ),
        constraint(
            "weld",
            (
                *BODIES,
                tie(
                    "anchor",
                    real[3],
                    (0.0, 0.0, 0.0),
                    "Point of the second body where forces act.",
                    unit="m",
                    handled="placed_tie",
                ),
                tie(
                    "relpose",
                    real[7],
                    (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
                    "Pose of the second in the first; quaternion 0: as in the file.",
                    handled="placed_tie",
                ),
                tie(
                    "torquescale", real, 1.0, "Weight of rotation against translation.", usd="mjc:torqueScale", unit="m"
                ),
            ),
            "No relative motion.",
        ),
        constraint(
            "joint",
            (
                end("joint1", "joint", "Joint that follows.", required=True),
                end("joint2", "joint", "Joint that is followed; default: none."),
                POLYCOEF,
            ),
            "One joint follows another.",
        ),
        constraint(
            "tendon",
            (
                end("tendon1", "tendon", "Tendon that follows.", required=True),
                end("tendon2", "tendon", "Tendon that is followed; default: none."),
                POLYCOEF,
            ),
            "One tendon follows another.",
        ),
        constraint(
            "flex", (end("flex", "flex", "Soft body.", required=True),), "Edges of a soft body keep their lengths."
        ),
        constraint(
            "flexstrain",
            (
                end("flex", "flex", "Soft body with cells.", required=True),
                tie("cell", integer[3], (-1, -1, -1), "Cell, by its place along each axis; of shells the face alone."),
            ),
            "A cell of a soft body keeps its shape.",
        ),
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
