"""The ``mujoco`` namespace beyond MJCF: custom attributes that no single attribute of a file gives.

They say how rows refer to each other, which numbers were authored, and what Newton's joints cannot say.  The others
come from the rows of the schema itself (``Attr.binds``).  A name that is in both is registered as it stands here.
"""

from newtonlite.schema.custom import Custom
from newtonlite.schema.flex_columns import FLEX, FLEX_COLUMNS, FLEXN, FLEXV

DOF, JOINT, SHAPE, BODY, ONCE, WORLD = "joint_dof", "joint", "shape", "body", "once", "world"
EQ, PAIR, ACT, TEN, TENJ, TENW = (
    f"mujoco:{n}" for n in ("equality_constraint", "pair", "actuator", "tendon", "tendon_joint", "tendon_wrap")
)
CAM, LIGHT, KEY, EXCLUDE, REC, SENSE = (
    f"mujoco:{n}" for n in ("camera", "light", "key", "exclude", "record", "sensor")
)

FREQUENCIES: dict[str, dict[str, str]] = {
    EQ: {"label_attribute": "mujoco:equality_constraint_label"},
    PAIR: {},
    ACT: {"articulation_owner_attribute": "mujoco:actuator_articulation", "label_attribute": "mujoco:actuator_label"},
    TEN: {"articulation_owner_attribute": "mujoco:tendon_articulation", "label_attribute": "mujoco:tendon_label"},
    TENJ: {"articulation_owner_attribute": "mujoco:tendon_joint_articulation"},
    TENW: {"articulation_owner_attribute": "mujoco:tendon_wrap_articulation"},
    CAM: {"label_attribute": "mujoco:camera_label"},
    LIGHT: {"label_attribute": "mujoco:light_label"},
    KEY: {"label_attribute": "mujoco:key_label"},
    EXCLUDE: {"label_attribute": "mujoco:exclude_label"},
    REC: {},
    SENSE: {"label_attribute": "mujoco:sensor_label"},
    FLEX: {"label_attribute": "mujoco:flex_label"},
    FLEXV: {},
    FLEXN: {},
}
"""Kinds of rows that the namespace adds; the first six are Newton's."""

PER_WORLD = (
    "timestep impratio tolerance ls_tolerance ccd_tolerance sleep_tolerance density viscosity wind magnetic".split()
)
"""Options that have a value per world; the others have one for all."""


UNSET_MASK = -(2**63)
NAN2, NAN3, NAN4 = ((float("nan"),) * n for n in (2, 3, 4))
MINUS_INF2 = (float("-inf"),) * 2

COLUMNS = (
    # joints
    Custom("dof_pos", DOF, "vec3", NAN3, doc="Anchor of this dof's MuJoCo joint in the body frame; NaN: joint_X_c's."),
    Custom("dof_order", DOF, "int", -1, doc="Place of this dof's joint on its body; -1: slides, then hinges."),
    Custom("dof_passive_stiffness", DOF, "float", 0.0, doc="Deprecated name of joint_stiffness.", usd="mjc:stiffness"),
    Custom(
        "dof_springref",
        DOF,
        "float",
        0.0,
        doc="Deprecated; joint_rest_q is the same, less dof_ref.",
        usd="mjc:springref",
    ),
    Custom(
        "solreflimit",
        DOF,
        "vec2",
        (0.0, 0.0),
        doc="Authored solreflimit, where solreflimit_mode is 1.",
        mjcf="solreflimit",
        usd="mjc:solreflimit",
    ),
    Custom(
        "solreflimit_mode",
        DOF,
        "int",
        0,
        doc="Limits follow 0: joint_limit_ke/kd as forces, 1: solreflimit, 2: MuJoCo's default until ke/kd are changed.",
    ),
    Custom(
        "solreflimit_gain_baseline",
        DOF,
        "vec2",
        MINUS_INF2,
        doc="joint_limit_ke/kd at import; tells whether they were changed.",
    ),
    Custom("jnt_range", DOF, "vec2", NAN2, doc="Authored range of a joint without limits."),
    # bodies
    Custom(
        "body_mocap",
        BODY,
        "int",
        -1,
        doc="1: mocap body, 0: not, -1: where a fixed joint ties it to the world, as Newton has it.",
    ),
    Custom(
        "body_iquat",
        BODY,
        "vec4",
        (0.0, 0.0, 0.0, 0.0),
        doc="Orientation (w, x, y, z) of the axes of body_inertia, where they are its principal axes; 0: any.",
    ),
    Custom("body_link", BODY, "int", 0, doc="1: a massless body between joints of one MuJoCo body."),
    Custom("body_unnamed", BODY, "bool", False, doc="The file gives it no name; its label was made up."),
    # shapes
    Custom(
        "shape_rgba", SHAPE, "vec4", NAN4, doc="Colour and opacity as authored; NaN: shape_color and shape_opacity."
    ),
    Custom(
        "authored_size",
        SHAPE,
        "vec3",
        NAN3,
        doc="Size of a file of what does not use it all: planes, for pictures, and cylinders of three numbers.",
    ),
    Custom("shape_unnamed", SHAPE, "bool", False, doc="The file gives it no name; its label was made up."),
    Custom("joint_unnamed", JOINT, "bool", False, doc="The file gives it no name; its label was made up."),
    Custom(
        "contype",
        SHAPE,
        "int64",
        UNSET_MASK,
        mjcf="contype",
        usd="mjc:contype",
        doc="contype; the default says: no file spoke.",
    ),
    Custom(
        "conaffinity",
        SHAPE,
        "int64",
        UNSET_MASK,
        mjcf="conaffinity",
        usd="mjc:conaffinity",
        doc="conaffinity; the default says: no file spoke.",
    ),
    Custom(
        "collision_mask_domain",
        SHAPE,
        "int64",
        -1,
        refers="mask domain",
        doc="Masks of one number come from one file and are compared with each other.",
    ),
    Custom(
        "solref",
        SHAPE,
        "vec2",
        (0.0, 0.0),
        mjcf="solref",
        usd="mjc:solref",
        doc="Authored solref, where solref_mode is 1.",
    ),
    Custom(
        "solref_mode",
        SHAPE,
        "int",
        2,
        doc="Contacts follow 0: shape_material_ke/kd as forces, 1: solref, 2: ke/kd as MuJoCo's default.",
    ),
    Custom("shape_field", SHAPE, "bool", False, doc="Collides by a distance field: MuJoCo's type sdf."),
    Custom("shape_plugin", SHAPE, "str", doc="Plugin of that field, instance and attributes as JSON; empty: none."),
    Custom("site_size_is_display", SHAPE, "bool", False, doc="The size of a site is only for drawing."),
    Custom("hfield_base", SHAPE, "float", -1.0, doc="Depth of the box below a height field; -1: as compiled."),
    # equality constraints
    Custom(f"{EQ[7:]}_type", EQ, doc="0 connect, 1 weld, 2 joint, 3 tendon, 4 flex, 6 flexstrain."),
    Custom(f"{EQ[7:]}_body1", EQ, default=-1, refers="body", doc="First body; -1: the world."),
    Custom(f"{EQ[7:]}_body2", EQ, default=-1, refers="body", doc="Second body; -1: the world."),
    Custom(f"{EQ[7:]}_site1", EQ, default=-1, refers="shape", doc="First site, in place of bodies and anchor."),
    Custom(f"{EQ[7:]}_site2", EQ, default=-1, refers="shape", doc="Second site."),
    Custom(f"{EQ[7:]}_anchor", EQ, "vec3", (0.0, 0.0, 0.0), doc="connect: in body1; weld: in body2."),
    Custom(f"{EQ[7:]}_torquescale", EQ, "float", 0.0, doc="Weight of rotation in a weld."),
    Custom(
        f"{EQ[7:]}_relpose",
        EQ,
        "transform",
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        doc="Pose of body2 in body1 (xyzw); quaternion 0: that of the file's pose.",
    ),
    Custom(f"{EQ[7:]}_joint1", EQ, default=-1, refers="joint", doc="Joint that follows."),
    Custom(f"{EQ[7:]}_joint2", EQ, default=-1, refers="joint", doc="Joint that is followed; -1: none."),
    Custom(f"{EQ[7:]}_joint1_dof", EQ, default=-1, refers="joint_dof", doc="Its dof."),
    Custom(f"{EQ[7:]}_joint2_dof", EQ, default=-1, refers="joint_dof", doc="Its dof."),
    Custom(f"{EQ[7:]}_tendon1", EQ, default=-1, refers=TEN, doc="Tendon that follows."),
    Custom(f"{EQ[7:]}_tendon2", EQ, default=-1, refers=TEN, doc="Tendon that is followed; -1: none."),
    Custom(f"{EQ[7:]}_flex", EQ, default=-1, refers=FLEX, doc="Soft body whose edges or cell are constrained."),
    Custom(
        f"{EQ[7:]}_polycoef",
        EQ,
        "vec5",
        (0.0, 0.0, 0.0, 0.0, 0.0),
        doc="Polynomial of the follower in the other's deviation.",
    ),
    Custom(f"{EQ[7:]}_world", EQ, default=0, refers="world", doc="World."),
    Custom(
        f"{EQ[7:]}_objtype",
        EQ,
        default=-1,
        doc="MuJoCo's number of the kind of the two objects (1 body, 6 site, 3 joint, 18 tendon, 9 flex).",
    ),
    Custom(f"{EQ[7:]}_target_kind", EQ, default=0, doc="Kind of what a conversion made of it."),
    Custom(f"{EQ[7:]}_target", EQ, default=-1, doc="Index of what a conversion made of it."),
    # contact pairs and exclusions
    Custom("pair_world", PAIR, default=0, refers="world", doc="World."),
    Custom("pair_geom1", PAIR, default=-1, refers="shape", mjcf="geom1", doc="First shape."),
    Custom("pair_geom2", PAIR, default=-1, refers="shape", mjcf="geom2", doc="Second shape."),
    Custom(
        "pair_solreffriction",
        PAIR,
        "vec2",
        (0.02, 1.0),
        mjcf="solreffriction",
        doc="Constraint reference of friction, always filled in.",
    ),
    Custom("exclude_world", EXCLUDE, default=0, refers="world", doc="World."),
    Custom(
        "exclude_body1",
        EXCLUDE,
        default=-1,
        refers="body",
        doc="First body; -1: the world. Their shapes are filter pairs as well.",
    ),
    Custom("exclude_body2", EXCLUDE, default=-1, refers="body", doc="Second body."),
    # actuators
    Custom("actuator_world", ACT, default=-1, refers="world", doc="World."),
    Custom(
        "actuator_trntype",
        ACT,
        default=0,
        mjcf="trntype",
        doc="Target: 0 joint, 1 joint in parent, 2 tendon, 3 site, 4 body, 5 slider-crank.",
    ),
    Custom(
        "actuator_trnid",
        ACT,
        "vec2i",
        (-1, -1),
        doc="Index of the target: dof, tendon row, site's shape, body.",
        refers="actuator target",
    ),
    Custom("actuator_plugin", ACT, "str", doc="Its plugin, instance and attributes as JSON; empty: none."),
    Custom("actuator_target_label", ACT, "str", doc="Name of the target."),
    Custom("actuator_articulation", ACT, default=-1, refers="articulation", doc="Articulation of the target."),
    Custom("actuator_has_ctrlrange", ACT, default=0, mjcf="ctrlrange", doc="Whether a range was given."),
    Custom("actuator_has_forcerange", ACT, default=0, mjcf="forcerange", doc="Whether a range was given."),
    Custom("actuator_has_actrange", ACT, default=0, mjcf="actrange", doc="Whether a range was given."),
    Custom("actuator_ctrlspec", ACT, default=0, usd="mjc:ctrlSpec", doc="What the control means."),
    Custom("actuator_refsite", ACT, default=-1, refers="shape", doc="Site it pushes against; -1: none."),
    Custom(
        "actuator_slidersite", ACT, default=-1, refers="shape", doc="Site of the slider of a slider-crank; -1: none."
    ),
    Custom("ctrl", ACT, "float", 0.0, doc="Control of each actuator.", assignment="control"),
    Custom(
        "ctrl_more",
        ACT,
        "vec3",
        (0.0, 0.0, 0.0),
        doc="Second to fourth control of actuators with several, in the order of their signature.",
        assignment="control",
    ),
    Custom("ctrl_source", ACT, default=1, doc="Where the control comes from: 0 joint_target_q/qd, 1 mujoco.ctrl."),
    Custom("ctrl_type", ACT, default=2, doc="What the actuator is: 0 position, 1 velocity, 2 general, 3 dcmotor."),
    # tendons
    Custom("tendon_world", TEN, default=0, refers="world", doc="World."),
    Custom("tendon_type", TEN, default=0, doc="0 fixed, 1 spatial."),
    Custom("tendon_articulation", TEN, default=-1, refers="articulation", doc="Articulation it belongs to."),
    Custom(
        "tendon_limit_ke",
        TEN,
        "float",
        0.0,
        doc="Stiffness of the limits as a force, where tendon_solref_limit_mode is 0.",
    ),
    Custom(
        "tendon_limit_kd",
        TEN,
        "float",
        0.0,
        doc="Damping of the limits as a force, where tendon_solref_limit_mode is 0.",
    ),
    Custom(
        "tendon_solref_limit_mode", TEN, default=1, doc="Limits follow 0: tendon_limit_ke/kd, 1: tendon_solref_limit."
    ),
    Custom("tendon_joint_adr", TEN, default=0, refers=TENJ, doc="First row of the tendon's joints."),
    Custom("tendon_joint_num", TEN, default=0, doc="Number of its joints."),
    Custom("tendon_wrap_adr", TEN, default=0, refers=TENW, doc="First row of the tendon's path."),
    Custom("tendon_wrap_num", TEN, default=0, doc="Number of its path's rows."),
    Custom("tendon_joint", TENJ, default=-1, refers="joint", doc="Joint."),
    Custom(
        "tendon_joint_dof",
        TENJ,
        default=-1,
        refers="joint_dof",
        doc="Its dof, which says which of several on one body; -1: the joint's first.",
    ),
    Custom("tendon_joint_articulation", TENJ, default=-1, refers="articulation", doc="Articulation it belongs to."),
    Custom("tendon_wrap_type", TENW, default=0, doc="0 site, 1 geom, 2 pulley."),
    Custom("tendon_wrap_shape", TENW, default=-1, refers="shape", doc="Site or geom."),
    Custom(
        "tendon_wrap_sidesite", TENW, default=-1, refers="shape", doc="Site on the side the path keeps to; -1: none."
    ),
    Custom("tendon_wrap_prm", TENW, "float", 0.0, doc="Divisor of a pulley."),
    Custom("tendon_wrap_articulation", TENW, default=-1, refers="articulation", doc="Articulation it belongs to."),
    *FLEX_COLUMNS,
    # options
    Custom(
        "integrator",
        ONCE,
        default=3,
        mjcf="integrator",
        usd="mjc:option:integrator",
        doc="Newton's default is implicitfast; files that say nothing mean Euler, and say so.",
    ),
    Custom(
        "flag_multiccd",
        ONCE,
        "bool",
        False,
        mjcf="multiccd",
        usd="mjc:flag:multiccd",
        doc="Newton's default; files that say nothing mean enabled, and say so.",
    ),
    *(
        Custom(
            f"stat_{n}",
            ONCE,
            "vec3" if n == "center" else "float",
            NAN3 if n == "center" else float("nan"),
            doc="Authored statistic; NaN: computed.",
        )
        for n in ("meaninertia", "meanmass", "meansize", "extent", "center")
    ),
    # what is kept beside the physics: materials, textures, numeric, text, tuple, visual
    Custom("record_kind", REC, "str", doc="What it is: material, texture, numeric, text, tuple, visual or size."),
    Custom("record_label", REC, "str", doc="Name."),
    Custom("record_values", REC, "str", doc="Its attributes as JSON, from the first '{'."),
    Custom("record_world", REC, default=0, refers="world", doc="World."),
    # cameras, lights, keyframes
    Custom("camera_world", CAM, default=0, refers="world", doc="World."),
    Custom("camera_body", CAM, default=-1, refers="body", doc="Body it is on; -1: the world."),
    Custom("camera_target", CAM, default=-2, refers="body", doc="Body it looks at; -1: the world, -2: none."),
    Custom("camera_pos", CAM, "vec3", (0.0, 0.0, 0.0), doc="Position in its body."),
    Custom("camera_quat", CAM, "vec4", (1.0, 0.0, 0.0, 0.0), doc="Orientation (w, x, y, z) in its body."),
    Custom("light_world", LIGHT, default=0, refers="world", doc="World."),
    Custom("light_body", LIGHT, default=-1, refers="body", doc="Body it is on; -1: the world."),
    Custom("light_target", LIGHT, default=-2, refers="body", doc="Body it shines at; -1: the world, -2: none."),
    Custom(
        "camera_intrinsic",
        CAM,
        "vec4",
        (0.01, 0.01, 0.0, 0.0),
        doc="Focal lengths and principal point [m], where it has a sensorsize.",
    ),
    # sensors
    Custom("sensor_plugin", SENSE, "str", doc="Its plugin, instance and attributes as JSON; empty: none."),
    Custom("sensor_world", SENSE, default=0, refers="world", doc="World."),
    Custom("sensor_type", SENSE, doc="Place of its element in newtonlite.schema.sensor.TYPES, as in mjtSensor."),
    Custom(
        "sensor_objid",
        SENSE,
        default=-2,
        refers="sensor object",
        doc="The object: body, dof of a joint, shape, camera, tendon or actuator row; -1: the world, -2: none.",
    ),
    Custom("sensor_refid", SENSE, default=-2, refers="sensor reference", doc="The other object or frame."),
    Custom(
        "sensor_fields",
        SENSE,
        default=0,
        doc="Bits of what a rangefinder or contact sensor reports, in the order of its data; insidesite: 1 enclosed.",
    ),
    Custom("key_world", KEY, default=0, refers="world", doc="World."),
    Custom(
        "key_dof",
        KEY,
        default=-1,
        refers="joint_dof",
        doc="First dof that its coordinates and velocities are of; -1: the world's first.",
    ),
    Custom(
        "key_body", KEY, default=-1, refers="body", doc="First body that its mocap poses are of; -1: the world's first."
    ),
    Custom(
        "key_actuator",
        KEY,
        default=-1,
        refers=ACT,
        doc="First actuator that its controls and activations are of; -1: the world's first.",
    ),
    Custom(
        "key_tendon", KEY, default=-1, refers=TEN, doc="First tendon that its dead bands are of; -1: the world's first."
    ),
    Custom(
        "key_xform",
        KEY,
        "transform",
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        doc="Where the world is placed that its poses and velocities of floating and mocap bodies are in.",
    ),
)
