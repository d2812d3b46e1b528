"""tendon: fixed and spatial."""

from newtonlite.core.table import COMPILED, METADATA, Attr, Element, name, real, reference, without
from newtonlite.schema.groups import CLASS, group, limited, look, polynomial, solimp, solref, user

ATTRS = (
    Attr("name", name("tendon"), binds="mujoco:tendon_label", doc="Name.", classed=False),
    CLASS,
    limited(
        "limited",
        "range",
        binds="mujoco:tendon_limited",
        field="tendon_limited",
        usd="mjc:limited",
        doc="Whether its length is limited",
    ),
    Attr(
        "range",
        real[2],
        (0.0, 0.0),
        binds="mujoco:tendon_range",
        field="tendon_range",
        usd="mjc:range:min",
        unit="m or rad",
        doc="Limits of the length.",
    ),
    Attr(
        "margin",
        real,
        0.0,
        binds="mujoco:tendon_margin",
        field="tendon_margin",
        usd="mjc:margin",
        doc="Distance at which limits begin to act.",
    ),
    *(
        polynomial(
            n, f"mujoco:tendon_{n} mujoco:tendon_{n}poly", f"tendon_{n} tendon_{n}poly", doc + ", and its higher terms."
        )
        for n, doc in {"stiffness": "Spring", "damping": "Damper"}.items()
    ),
    Attr(
        "springlength",
        real[1:2],
        (-1.0, -1.0),
        binds="mujoco:tendon_springlength",
        field="tendon_lengthspring",
        usd="mjc:springlength",
        doc="Length, or dead band, where the spring is at rest; -1: that of the file's pose.",
    ),
    Attr(
        "springyield",
        real,
        0.0,
        binds="mujoco:tendon_springyield",
        field="tendon_springyield",
        usd="mjc:springyield",
        doc="Force at which the spring yields.",
    ),
    Attr(
        "frictionloss",
        real,
        0.0,
        binds="mujoco:tendon_frictionloss",
        field="tendon_frictionloss",
        usd="mjc:frictionloss",
        doc="Dry friction.",
    ),
    Attr(
        "armature",
        real,
        0.0,
        binds="mujoco:tendon_armature",
        field="tendon_armature",
        usd="mjc:armature",
        doc="Inertia that moves with its length.",
    ),
    solref(
        "solreflimit", "mujoco:tendon_solref_limit", "Constraint reference of the limits.", field="tendon_solref_lim"
    ),
    solimp(
        "solimplimit", "mujoco:tendon_solimp_limit", "Constraint impedance of the limits.", field="tendon_solimp_lim"
    ),
    solref(
        "solreffriction",
        "mujoco:tendon_solref_friction",
        "Constraint reference of the dry friction.",
        field="tendon_solref_fri",
    ),
    solimp(
        "solimpfriction",
        "mujoco:tendon_solimp_friction",
        "Constraint impedance of the dry friction.",
        field="tendon_solimp_fri",
    ),
    Attr(
        "actuatorfrcrange",
        real[2],
        (0.0, 0.0),
        binds="mujoco:tendon_actuator_force_range",
        field="tendon_actfrcrange",
        usd="mjc:actuatorfrcrange:min",
        doc="Clamp of the total actuator force.",
    ),
    limited(
        "actuatorfrclimited",
        "actuatorfrcrange",
        binds="mujoco:tendon_actuator_force_limited",
        field="tendon_actfrclimited",
        usd="mjc:actuatorfrclimited",
        doc="Whether that force is clamped",
    ),
    group("mujoco:tendon_group", field="tendon_group"),
    *look("tendon", "tendon", usd="mjc:rgba"),
    Attr(
        "width",
        real,
        0.003,
        unit="m",
        binds="mujoco:tendon_width",
        field="tendon_width",
        usd="mjc:width",
        doc="Drawn width.",
        status=METADATA,
    ),
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
