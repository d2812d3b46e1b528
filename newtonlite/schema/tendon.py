"""tendon: fixed and spatial."""

from functools import partial

from newtonlite.core.table import COMPILED, METADATA, Attr, Element, name, real, reference, without
from newtonlite.schema import groups
from newtonlite.schema.groups import CLASS, group, limited, look, solimp, solref, user

row, polynomial = partial(groups.row, "tendon"), partial(groups.polynomial, "tendon")

ATTRS = (
    Attr("name", name("tendon"), binds="mujoco:tendon_label", doc="Name.", classed=False),
    CLASS,
    limited(
        "limited",
        "range",
        "Whether its length is limited",
        binds="mujoco:tendon_limited",
        field="tendon_limited",
        usd="mjc:limited",
    ),
    row("range", real[2], (0.0, 0.0), "Limits of the length.", usd="mjc:range:min", unit="m or rad"),
    row("margin", real, 0.0, "Distance at which limits begin to act."),
    polynomial("stiffness", "Spring"),
    polynomial("damping", "Damper"),
    row(
        "springlength",
        real[1:2],
        (-1.0, -1.0),
        "Length, or dead band, where the spring is at rest; -1: that of the file's pose.",
        field="tendon_lengthspring",
    ),
    row("springyield", real, 0.0, "Force at which the spring yields."),
    row("frictionloss", real, 0.0, "Dry friction."),
    row("armature", real, 0.0, "Inertia that moves with its length."),
    solref("solreflimit", "mujoco:tendon_solref_limit", "the limits", field="tendon_solref_lim"),
    solimp("solimplimit", "mujoco:tendon_solimp_limit", "the limits", field="tendon_solimp_lim"),
    solref("solreffriction", "mujoco:tendon_solref_friction", "the dry friction", field="tendon_solref_fri"),
    solimp("solimpfriction", "mujoco:tendon_solimp_friction", "the dry friction", field="tendon_solimp_fri"),
    row(
        "actuatorfrcrange",
        real[2],
        (0.0, 0.0),
        "Clamp of the total actuator force.",
        binds="mujoco:tendon_actuator_force_range",
        field="tendon_actfrcrange",
        usd="mjc:actuatorfrcrange:min",
    ),
    limited(
        "actuatorfrclimited",
        "actuatorfrcrange",
        "Whether that force is clamped",
        binds="mujoco:tendon_actuator_force_limited",
        field="tendon_actfrclimited",
        usd="mjc:actuatorfrclimited",
    ),
    group("mujoco:tendon_group", field="tendon_group"),
    *look("tendon", "tendon", usd="mjc:rgba"),
    row("width", real, 0.003, "Drawn width.", unit="m", status=METADATA),
    user("mujoco:tendon_user", "tendon_user"),
)

FIXED = Element(
    "fixed",
    without(ATTRS, "material", "rgba", "width"),
    (
        Element(
            "joint",
            (
                Attr(
                    "joint",
                    reference("joint"),
                    binds="mujoco:tendon_joint mujoco:tendon_joint_dof",
                    required=True,
                    doc="Hinge or slide.",
                    handled="wrap_row",
                ),
                Attr(
                    "coef",
                    real,
                    binds="mujoco:tendon_coef",
                    required=True,
                    doc="Weight of its coordinate.",
                    handled="wrap_row",
                ),
            ),
            frequency="mujoco:tendon_joint",
        ),
    ),
    family="tendon",
    frequency="mujoco:tendon",
    doc="A weighted sum of joint coordinates.",
)

SPATIAL = Element(
    "spatial",
    ATTRS,
    (
        Element(
            "site",
            (
                Attr(
                    "site",
                    reference("site"),
                    binds="mujoco:tendon_wrap_shape",
                    required=True,
                    doc="Via point.",
                    handled="wrap_row",
                ),
            ),
        ),
        Element(
            "geom",
            (
                Attr(
                    "geom",
                    reference("geom"),
                    binds="mujoco:tendon_wrap_shape",
                    doc="Sphere or cylinder to wrap around.",
                    handled="wrap_row",
                ),
                Attr(
                    "sidesite",
                    reference("site"),
                    binds="mujoco:tendon_wrap_sidesite",
                    doc="Site on the side it keeps to.",
                    handled="wrap_row",
                ),
            ),
        ),
        Element(
            "pulley",
            (
                Attr(
                    "divisor",
                    real,
                    binds="mujoco:tendon_wrap_prm",
                    required=True,
                    doc="Divides the branch that follows.",
                    handled="wrap_row",
                ),
            ),
        ),
    ),
    family="tendon",
    frequency="mujoco:tendon",
    doc="The shortest path through sites and around geoms.",
)

TENDON = Element("tendon", children=(FIXED, SPATIAL), doc="Tendons.", status=COMPILED)
