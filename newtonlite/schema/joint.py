"""joint, freejoint."""

from functools import partial

from newtonlite.core.mujoco import MjtJoint
from newtonlite.core.table import COMPILED, Attr, Element, boolean, keyword_of, name, real, tristate
from newtonlite.schema import groups
from newtonlite.schema.groups import CLASS, group, limited, solimp, solref, user

row, polynomial = partial(groups.row, "jnt"), partial(groups.polynomial, "jnt")

ATTRS = (
    Attr("name", name("joint"), binds="mujoco:joint_dof_label", doc="Name.", classed=False),
    CLASS,
    row(
        "type",
        keyword_of(MjtJoint),
        MjtJoint.HINGE,
        "What motion the joint allows.",
        binds="",
        usd="",
        handled="joint_parts",
    ),
    row(
        "pos",
        real[3],
        (0.0, 0.0, 0.0),
        "Anchor in the body frame.",
        binds="mujoco:dof_pos",
        usd="",
        unit="m",
        handled="joint_anchor",
    ),
    row(
        "axis",
        real[3],
        (0.0, 0.0, 1.0),
        "Axis in the body frame; normalized.",
        binds="joint_axis",
        usd="",
        handled="joint_axis",
    ),
    row(
        "range",
        real[2],
        (0.0, 0.0),
        "Limits, reference included.",
        binds="joint_limit_lower joint_limit_upper",
        usd="",
        unit="m or angle",
        handled="joint_limits",
    ),
    limited("limited", "range", "Whether there are limits", field="jnt_limited", handled="joint_limits"),
    row(
        "ref",
        real,
        0.0,
        "Coordinate of the pose of the file.",
        binds="mujoco:dof_ref",
        field="",
        unit="m or angle",
        handled="joint_reference",
    ),
    row(
        "springref",
        real,
        0.0,
        "Coordinate where the spring is at rest.",
        binds="joint_rest_q",
        field="",
        unit="m or angle",
        handled="joint_reference",
    ),
    polynomial("stiffness", "Spring", binds="joint_stiffness mujoco:jnt_stiffnesspoly", unit="N/m or N m/rad"),
    polynomial(
        "damping",
        "Damper",
        binds="joint_damping mujoco:dof_dampingpoly",
        field="dof_damping dof_dampingpoly",
        unit="N s/m or N m s/rad",
    ),
    row(
        "springdamper",
        real[2],
        (0.0, 0.0),
        "(timeconst, dampratio) in place of stiffness and damping.",
        field="",
        unit="s, 1",
    ),
    row("springyield", real, 0.0, "Force at which the spring yields."),
    row(
        "armature",
        real,
        0.0,
        "Rotor inertia, on the diagonal of M.",
        binds="joint_armature",
        field="dof_armature",
        unit="kg or kg m^2",
    ),
    row("frictionloss", real, 0.0, "Dry friction.", binds="joint_friction", field="dof_frictionloss", unit="N or N m"),
    row("margin", real, 0.0, "Distance at which limits begin to act.", binds="mujoco:limit_margin", unit="m or rad"),
    solref("solreflimit", "mujoco:solreflimit", "the limits", field="jnt_solref", handled="limit_reference"),
    solimp("solimplimit", "mujoco:solimplimit", "the limits", field="jnt_solimp"),
    solref("solreffriction", "mujoco:solreffriction", "the dry friction", field="dof_solref"),
    solimp("solimpfriction", "mujoco:solimpfriction", "the dry friction", field="dof_solimp"),
    row(
        "actuatorfrcrange",
        real[2],
        (0.0, 0.0),
        "Clamp of the total actuator force.",
        binds="joint_effort_limit mujoco:jnt_actfrcrange",
        field="jnt_actfrcrange",
        usd="mjc:actuatorfrcrange:min",
        unit="N or N m",
        handled="effort_limit",
    ),
    limited(
        "actuatorfrclimited",
        "actuatorfrcrange",
        "Whether that force is clamped",
        field="jnt_actfrclimited",
        usd="mjc:actuatorfrclimited",
        handled="effort_limit",
    ),
    row(
        "actuatorgravcomp",
        boolean,
        False,
        "Gravity compensation counts as actuator force.",
        binds="mujoco:jnt_actgravcomp",
        field="jnt_actgravcomp",
    ),
    group("mujoco:jnt_group", field="jnt_group"),
    user("mujoco:joint_user", "jnt_user"),
)

JOINT = Element(
    "joint", ATTRS, family="joint", frequency="joint_dof", doc="A degree of freedom between a body and its parent."
)

FREEJOINT = Element(
    "freejoint",
    (
        Attr("name", name("joint"), binds="mujoco:joint_dof_label", doc="Name."),
        group("mujoco:jnt_group"),
        Attr("align", tristate, 2, doc="Align the body frame with its inertia.", status=COMPILED, handled="align_free"),
    ),
    frequency="joint_dof",
    doc="Lets a body float. Defaults of joints do not apply.",
)
