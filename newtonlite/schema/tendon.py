"""tendon: fixed and spatial."""

from newtonlite.core.table import COMPILED, METADATA, Attr, Element, integer, name, real, reference, tristate, without
from newtonlite.schema.groups import CLASS, look, solimp, solref, user

ATTRS = (
    Attr("name", name("tendon"), binds="mujoco:tendon_label", doc="Name.", classed=False),
    CLASS,
    Attr(
        "limited",
        tristate,
        2,
        binds="mujoco:tendon_limited",
        usd="mjc:limited",
        doc="Whether its length is limited; auto: where there is a range.",
    ),
    Attr(
        "range",
        real[2],
        (0.0, 0.0),
        binds="mujoco:tendon_range",
        usd="mjc:range:min",
        unit="m or rad",
        doc="Limits of the length.",
    ),
    Attr(
        "margin",
        real,
        0.0,
        binds="mujoco:tendon_margin",
        usd="mjc:margin",
        doc="Distance at which limits begin to act.",
    ),
    Attr(
        "stiffness",
        real[1:3],
        (0.0, 0.0, 0.0),
        binds="mujoco:tendon_stiffness mujoco:tendon_stiffnesspoly",
        usd="mjc:stiffness",
        doc="Spring.",
    ),
    Attr(
        "damping",
        real[1:3],
        (0.0, 0.0, 0.0),
        binds="mujoco:tendon_damping mujoco:tendon_dampingpoly",
        usd="mjc:damping",
        doc="Damper.",
    ),
    Attr(
        "springlength",
        real[1:2],
        (-1.0, -1.0),
        binds="mujoco:tendon_springlength",
        usd="mjc:springlength",
        doc="Length, or dead band, where the spring is at rest; -1: that of the file's pose.",
    ),
    Attr(
        "springyield",
        real,
        0.0,
        binds="mujoco:tendon_springyield",
        usd="mjc:springyield",
        doc="Force at which the spring yields.",
    ),
    Attr("frictionloss", real, 0.0, binds="mujoco:tendon_frictionloss", usd="mjc:frictionloss", doc="Dry friction."),
    Attr(
        "armature",
        real,
        0.0,
        binds="mujoco:tendon_armature",
        usd="mjc:armature",
        doc="Inertia that moves with its length.",
    ),
    solref("solreflimit", "mujoco:tendon_solref_limit", "Constraint reference of the limits."),
    solimp("solimplimit", "mujoco:tendon_solimp_limit", "Constraint impedance of the limits."),
    solref("solreffriction", "mujoco:tendon_solref_friction", "Constraint reference of the dry friction."),
    solimp("solimpfriction", "mujoco:tendon_solimp_friction", "Constraint impedance of the dry friction."),
    Attr(
        "actuatorfrcrange",
        real[2],
        (0.0, 0.0),
        binds="mujoco:tendon_actuator_force_range",
        usd="mjc:actuatorfrcrange:min",
        doc="Clamp of the total actuator force.",
    ),
    Attr(
        "actuatorfrclimited",
        tristate,
        2,
        binds="mujoco:tendon_actuator_force_limited",
        usd="mjc:actuatorfrclimited",
        doc="Whether that force is clamped.",
    ),
    Attr("group", integer, 0, binds="mujoco:tendon_group", usd="mjc:group", doc="Group.", status=METADATA),
    *look("tendon", "tendon", usd="mjc:rgba"),
    Attr(
        "width",
        real,
        0.003,
        unit="m",
        binds="mujoco:tendon_width",
        usd="mjc:width",
        doc="Drawn width.",
        status=METADATA,
    ),
    user("mujoco:tendon_user"),
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
                ),
                Attr("coef", real, binds="mujoco:tendon_coef", required=True, doc="Weight of its coordinate."),
            ),
            frequency="mujoco:tendon_joint",
        ),
    ),
    family="tendon",
    frequency="mujoco:tendon",
    doc="A weighted sum of joint coordinates.",
    handled="fixed_tendon",
)

SPATIAL = Element(
    "spatial",
    ATTRS,
    (
        Element(
            "site",
            (Attr("site", reference("site"), binds="mujoco:tendon_wrap_shape", required=True, doc="Via point."),),
        ),
        Element(
            "geom",
            (
                Attr(
                    "geom",
                    reference("geom"),
                    binds="mujoco:tendon_wrap_shape",
                    doc="Sphere or cylinder to wrap around.",
                ),
                Attr(
                    "sidesite",
                    reference("site"),
                    binds="mujoco:tendon_wrap_sidesite",
                    doc="Site on the side it keeps to.",
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
                ),
            ),
        ),
    ),
    family="tendon",
    frequency="mujoco:tendon",
    doc="The shortest path through sites and around geoms.",
    handled="spatial_tendon",
)

TENDON = Element("tendon", children=(FIXED, SPATIAL), doc="Tendons.", status=COMPILED)
