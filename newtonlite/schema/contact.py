"""contact: pairs of geoms that always may touch, pairs of bodies that never do."""

from functools import partial

from newtonlite.core.table import COMPILED, Attr, Element, integer, name, real, reference
from newtonlite.schema import groups
from newtonlite.schema.groups import CLASS, solimp, solref

row = partial(groups.row, "pair")


def geom(name: str, doc: str) -> Attr:
    """The row of one of the two geoms."""
    return row(name, reference("geom"), None, doc, usd="", required=True, classed=False, handled="pair_row")


PAIR = Element(
    "pair",
    (
        Attr("name", name("pair"), binds="mujoco:pair_label", doc="Name.", classed=False),
        CLASS,
        geom("geom1", "First geom."),
        geom("geom2", "Second geom."),
        row("condim", integer, 3, "Dimension: 1, 3, 4 or 6.", field="pair_dim"),
        row("friction", real[1:5], (1.0, 1.0, 0.005, 0.0001, 0.0001), "Friction per direction."),
        solref("solref", "mujoco:pair_solref", "the contact", field="pair_solref"),
        solref(
            "solreffriction",
            "mujoco:pair_solreffriction",
            "friction; 0 0: that of solref",
            (0.0, 0.0),
            field="pair_solreffriction",
        ),
        solimp("solimp", "mujoco:pair_solimp", "the contact", field="pair_solimp"),
        row("margin", real, 0.0, "Distance at which it begins to act.", unit="m"),
        row("gap", real, 0.0, "Distance beyond the margin at which it is noticed.", unit="m"),
        row("adhesion", real, 0.0, "Force that keeps it closed."),
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
