"""joint, freejoint."""

from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.table import COMPILED, Attr, Element, boolean, keyword_of, name, real, tristate
from newtonlite.schema.groups import CLASS, group, solimp, solref, user

ATTRS = (
    Attr("name", name("joint"), binds="mujoco:joint_dof_label", doc="Name.", classed=False),
    CLASS,
    Attr("type", keyword_of(MjtJoint), MjtJoint.HINGE, doc="What motion the joint allows."),
    Attr("pos", real[3], (0.0, 0.0, 0.0), binds="mujoco:dof_pos", unit="m", doc="Anchor in the body frame."),
    Attr("axis", real[3], (0.0, 0.0, 1.0), doc="Axis in the body frame; normalized."),
    Attr("range", real[2], (0.0, 0.0), unit="m or angle", doc="Limits, reference included."),
    Attr("limited", tristate, 2, doc="Whether there are limits; auto: where there is a range."),
    Attr(
        "ref",
        real,
        0.0,
        binds="mujoco:dof_ref",
        usd="mjc:ref",
        unit="m or angle",
        doc="Coordinate of the pose of the file.",
    ),
    Attr("springref", real, 0.0, usd="mjc:springref", unit="m or angle", doc="Coordinate where the spring is at rest."),
    Attr(
        "stiffness",
        real[1:3],
        (0.0, 0.0, 0.0),
        binds="mujoco:jnt_stiffnesspoly",
        usd="mjc:stiffness",
        unit="N/m or N m/rad",
        doc="Spring, and its higher terms.",
    ),
    Attr(
        "damping",
        real[1:3],
        (0.0, 0.0, 0.0),
        binds="mujoco:dof_dampingpoly",
        usd="mjc:damping",
        unit="N s/m or N m s/rad",
        doc="Damper, and its higher terms.",
    ),
    Attr(
        "springdamper",
        real[2],
        (0.0, 0.0),
        binds="mujoco:jnt_springdamper",
        usd="mjc:springdamper",
        unit="s, 1",
        doc="(timeconst, dampratio) in place of stiffness and damping.",
    ),
    Attr(
        "springyield",
        real,
        0.0,
        binds="mujoco:jnt_springyield",
        usd="mjc:springyield",
        doc="Force at which the spring yields.",
    ),
    Attr("armature", real, 0.0, usd="mjc:armature", unit="kg or kg m^2", doc="Rotor inertia, on the diagonal of M."),
    Attr("frictionloss", real, 0.0, usd="mjc:frictionloss", unit="N or N m", doc="Dry friction."),
    Attr(
        "margin",
        real,
        0.0,
        binds="mujoco:limit_margin",
        usd="mjc:margin",
        unit="m or rad",
        doc="Distance at which limits begin to act.",
    ),
    solref("solreflimit", "mujoco:solreflimit", "Constraint reference of the limits."),
    solimp("solimplimit", "mujoco:solimplimit", "Constraint impedance of the limits."),
    solref("solreffriction", "mujoco:solreffriction", "Constraint reference of the dry friction."),
    solimp("solimpfriction", "mujoco:solimpfriction", "Constraint impedance of the dry friction."),
    Attr(
        "actuatorfrcrange",
        real[2],
        (0.0, 0.0),
        binds="mujoco:jnt_actfrcrange",
        usd="mjc:actuatorfrcrange:min",
        unit="N or N m",
        doc="Clamp of the total actuator force.",
    ),
    Attr(
        "actuatorfrclimited",
        tristate,
        2,
        usd="mjc:actuatorfrclimited",
        doc="Whether that force is clamped; auto: where there is a range.",
    ),
    Attr(
        "actuatorgravcomp",
        boolean,
        False,
        binds="mujoco:jnt_actgravcomp",
        usd="mjc:actuatorgravcomp",
        doc="Gravity compensation counts as actuator force.",
    ),
    group("mujoco:jnt_group"),
    user("mujoco:joint_user"),
)

JOINT = Element(
    "joint",
    ATTRS,
    family="joint",
    frequency="joint_dof",
    doc="A degree of freedom between a body and its parent.",
    handled="joint",
)

FREEJOINT = Element(
    "freejoint",
    (
        Attr("name", name("joint"), doc="Name."),
        group("mujoco:jnt_group"),
        Attr("align", tristate, 2, doc="Align the body frame with its inertia.", status=COMPILED),
    ),
    frequency="joint_dof",
    doc="Lets a body float. Defaults of joints do not apply.",
    handled="freejoint",
)
