"""Enumerations of MuJoCo 4.0, under the names of its headers: ``mjGEOM_BOX`` of ``mjtGeom`` is ``MjtGeom.BOX``.

The one place for these numbers.  Kernels and host code, readers and writers of files, and the names of MuJoCo's Python
module and of MuJoCo Warp all take them from here.  Newton numbers some of these kinds differently
(``newtonlite.core.enums``).
"""

from enum import IntEnum, IntFlag

from newtonlite.core.enum_members import bind_members

MjtJoint = IntEnum("MjtJoint", "FREE BALL SLIDE HINGE", start=0)
"""Joints."""


class MjtGeom(IntEnum):
    """Shapes of geoms and sites; from ARROW on, what only pictures and messages have."""

    PLANE = 0
    HFIELD = 1
    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7
    SDF = 8
    ARROW = 100
    ARROW1 = 101
    ARROW2 = 102
    LINE = 103
    LINEBOX = 104
    FLEX = 105
    SKIN = 106
    LABEL = 107
    TRIANGLE = 108
    NONE = 1001


class MjtObj(IntEnum):
    """Kinds of objects; XBODY is a body's frame where BODY is the frame of its inertia."""

    UNKNOWN = 0
    BODY = 1
    XBODY = 2
    JOINT = 3
    DOF = 4
    GEOM = 5
    SITE = 6
    CAMERA = 7
    LIGHT = 8
    FLEX = 9
    MESH = 10
    SKIN = 11
    HFIELD = 12
    TEXTURE = 13
    MATERIAL = 14
    PAIR = 15
    EXCLUDE = 16
    EQUALITY = 17
    TENDON = 18
    ACTUATOR = 19
    SENSOR = 20
    NUMERIC = 21
    TEXT = 22
    TUPLE = 23
    KEY = 24
    PLUGIN = 25
    FRAME = 100
    DEFAULT = 101
    MODEL = 102


MjtCamLight = IntEnum("MjtCamLight", "FIXED TRACK TRACKCOM TARGETBODY TARGETBODYCOM", start=0)
"""Tracking modes of cameras and lights."""
MjtProjection = IntEnum("MjtProjection", "PERSPECTIVE ORTHOGRAPHIC", start=0)
"""Projections of cameras."""
MjtLightType = IntEnum("MjtLightType", "SPOT DIRECTIONAL POINT IMAGE", start=0)
"""Lights."""
MjtTexture = IntEnum("MjtTexture", "2D CUBE SKYBOX", start=0)
"""Textures."""
MjtTextureRole = IntEnum(
    "MjtTextureRole", "USER RGB OCCLUSION ROUGHNESS METALLIC NORMAL OPACITY EMISSIVE RGBA ORM", start=0
)
"""Layers of a material."""
MjtColorSpace = IntEnum("MjtColorSpace", "AUTO LINEAR SRGB", start=0)
"""Colour spaces of textures."""
MjtBuiltin = IntEnum("MjtBuiltin", "NONE GRADIENT CHECKER FLAT", start=0)
"""Procedural textures."""
MjtMark = IntEnum("MjtMark", "NONE EDGE CROSS RANDOM", start=0)
"""Marks on procedural textures."""
MjtLimited = IntEnum("MjtLimited", "FALSE TRUE AUTO", start=0)
"""Whether a range is a limit; AUTO: where there is a range."""
MjtAlignFree = IntEnum("MjtAlignFree", "FALSE TRUE AUTO", start=0)
"""Whether the frame of a free body is moved to its centre of mass."""
MjtInertiaFromGeom = IntEnum("MjtInertiaFromGeom", "FALSE TRUE AUTO", start=0)
"""Whether masses come from geoms; AUTO: where there is no inertial."""
MjtMeshInertia = IntEnum("MjtMeshInertia", "CONVEX EXACT LEGACY SHELL", start=0)
"""Meaning of a mesh's triangles for its mass."""


class MjtTrn(IntEnum):
    """Transmissions of actuators."""

    JOINT = 0
    JOINTINPARENT = 1
    SLIDERCRANK = 2
    TENDON = 3
    SITE = 4
    BODY = 5
    SO3 = 6
    UNDEFINED = 1000


MjtDyn = IntEnum("MjtDyn", "NONE INTEGRATOR FILTER FILTEREXACT MUSCLE DCMOTOR PID USER", start=0)
"""Activation dynamics of actuators."""
MjtGain = IntEnum("MjtGain", "FIXED AFFINE MUSCLE DCMOTOR SO3 PID USER", start=0)
"""Gains of actuators."""
MjtBias = IntEnum("MjtBias", "NONE AFFINE MUSCLE DCMOTOR SO3 USER", start=0)
"""Biases of actuators."""
MjtCtrlInput = IntFlag("MjtCtrlInput", {"POS": 1, "VEL": 2, "FF": 4, "VOLTAGE": 8, "NONE": 16, "PRESSURE": 32})
"""Meanings of the controls of an actuator."""
MjtCtrlChart = IntEnum("MjtCtrlChart", {"EXPMAP": 1, "QUAT": 2})
"""Charts of the controls of an orientation servo."""
MjtTendon = IntEnum("MjtTendon", "FIXED SPATIAL", start=0)
"""Tendons."""
MjtWrap = IntEnum("MjtWrap", "NONE JOINT PULLEY SITE SPHERE CYLINDER", start=0)
"""Elements of a tendon's path."""
MjtEq = IntEnum("MjtEq", "CONNECT WELD JOINT TENDON FLEX FLEXVERT FLEXSTRAIN DISTANCE", start=0)
"""Equality constraints."""
MjtSensor = IntEnum(
    "MjtSensor",
    "TOUCH ACCELEROMETER VELOCIMETER GYRO FORCE TORQUE MAGNETOMETER RANGEFINDER CAMPROJECTION JOINTPOS JOINTVEL "
    "TENDONPOS TENDONVEL ACTUATORPOS ACTUATORVEL ACTUATORFRC JOINTACTFRC TENDONACTFRC BALLQUAT BALLANGVEL "
    "JOINTLIMITPOS JOINTLIMITVEL JOINTLIMITFRC TENDONLIMITPOS TENDONLIMITVEL TENDONLIMITFRC FRAMEPOS FRAMEQUAT "
    "FRAMEXAXIS FRAMEYAXIS FRAMEZAXIS FRAMELINVEL FRAMEANGVEL FRAMELINACC FRAMEANGACC SUBTREECOM SUBTREELINVEL "
    "SUBTREEANGMOM INSIDESITE GEOMDIST GEOMNORMAL GEOMFROMTO CONTACT E_POTENTIAL E_KINETIC CLOCK TACTILE PLUGIN USER",
    start=0,
)
"""Sensors."""
MjtStage = IntEnum("MjtStage", "NONE POS VEL ACC", start=0)
"""Stages of a step after which a sensor has its value."""
MjtDataType = IntEnum("MjtDataType", "REAL POSITIVE AXIS QUATERNION", start=0)
"""Types of a sensor's values."""
MjtConDataField = IntEnum("MjtConDataField", "FOUND FORCE TORQUE DIST POS NORMAL TANGENT LINVEL ANGVEL", start=0)
"""Fields of a contact sensor."""
MjtRayDataField = IntEnum("MjtRayDataField", "DIST DIR ORIGIN POINT NORMAL DEPTH", start=0)
"""Fields of a rangefinder."""
ContactReduce = IntEnum("ContactReduce", "NONE MINDIST MAXFORCE NETFORCE", start=0)
"""Contacts that a contact sensor reports, in MuJoCo's numbering, which has no name."""
MjtConstraint = IntEnum(
    "MjtConstraint",
    "EQUALITY FRICTION_DOF FRICTION_TENDON LIMIT_JOINT LIMIT_TENDON CONTACT_FRICTIONLESS CONTACT_PYRAMIDAL CONTACT_ELLIPTIC",
    start=0,
)
"""Rows of constraints."""
MjtConstraintState = IntEnum("MjtConstraintState", "SATISFIED QUADRATIC LINEARNEG LINEARPOS CONE", start=0)
"""States of a row."""
MjtCone = IntEnum("MjtCone", "PYRAMIDAL ELLIPTIC", start=0)
"""Friction cones."""
MjtJacobian = IntEnum("MjtJacobian", "DENSE SPARSE AUTO", start=0)
"""Storage of constraint Jacobians."""
MjtSolver = IntEnum("MjtSolver", "PGS CG NEWTON", start=0)
"""Solvers of constraints."""
MjtIntegrator = IntEnum("MjtIntegrator", "EULER RK4 IMPLICIT IMPLICITFAST DISCRETE", start=0)
"""Integrators."""
MjtSameFrame = IntEnum("MjtSameFrame", "NONE BODY INERTIA BODYROT INERTIAROT", start=0)
"""Coincidences of an element's frame with its body's."""
MjtSleepPolicy = IntEnum("MjtSleepPolicy", "AUTO AUTO_NEVER AUTO_ALLOWED NEVER ALLOWED INIT", start=0)
"""Whether a tree may sleep."""
MjtSleepState = IntEnum("MjtSleepState", {"STATIC": -1, "ASLEEP": 0, "AWAKE": 1})
"""Whether a body sleeps."""
MjtLRMode = IntEnum("MjtLRMode", "NONE MUSCLE MUSCLEUSER ALL", start=0)
"""Actuators whose length ranges are computed."""
MjtConflict = IntEnum("MjtConflict", "WARNING MERGE ERROR", start=0)
"""Rules for options that two attached models set differently."""


class MjtDisableBit(IntFlag):
    """Parts of a step that are left out."""

    CONSTRAINT = 1 << 0
    EQUALITY = 1 << 1
    FRICTIONLOSS = 1 << 2
    LIMIT = 1 << 3
    CONTACT = 1 << 4
    SPRING = 1 << 5
    DAMPER = 1 << 6
    GRAVITY = 1 << 7
    CLAMPCTRL = 1 << 8
    WARMSTART = 1 << 9
    FILTERPARENT = 1 << 10
    ACTUATION = 1 << 11
    REFSAFE = 1 << 12
    SENSOR = 1 << 13
    MIDPHASE = 1 << 14
    EULERDAMP = 1 << 15
    AUTORESET = 1 << 16
    NATIVECCD = 1 << 17
    ISLAND = 1 << 18
    MULTICCD = 1 << 19


class MjtEnableBit(IntFlag):
    """Parts of a step that are done on request."""

    OVERRIDE = 1 << 0
    ENERGY = 1 << 1
    FWDINV = 1 << 2
    INVDISCRETE = 1 << 3
    SLEEP = 1 << 4
    DIAGEXACT = 1 << 5
    IPC = 1 << 6
    SPECULATIVE = 1 << 7


class MjtState(IntFlag):
    """Parts of a state."""

    TIME = 1 << 0
    QPOS = 1 << 1
    QVEL = 1 << 2
    ACT = 1 << 3
    HISTORY = 1 << 4
    WARMSTART = 1 << 5
    CTRL = 1 << 6
    QFRC_APPLIED = 1 << 7
    XFRC_APPLIED = 1 << 8
    EQ_ACTIVE = 1 << 9
    MOCAP_POS = 1 << 10
    MOCAP_QUAT = 1 << 11
    USERDATA = 1 << 12
    PLUGIN = 1 << 13
    PLASTIC = 1 << 14
    PHYSICS = QPOS | QVEL | ACT | HISTORY | PLASTIC
    FULLPHYSICS = PHYSICS | TIME | PLUGIN
    USER = CTRL | QFRC_APPLIED | XFRC_APPLIED | EQ_ACTIVE | MOCAP_POS | MOCAP_QUAT | USERDATA
    INTEGRATION = FULLPHYSICS | USER | WARMSTART


OBJECT_ELEMENTS = {
    kind: "body" if kind is MjtObj.XBODY else kind.name.lower()
    for kind in MjtObj
    if kind not in (MjtObj.UNKNOWN, MjtObj.DOF, MjtObj.FRAME, MjtObj.DEFAULT, MjtObj.MODEL)
}
"""MJCF element of the kinds of objects that have names."""
PREFIXES = {
    MjtJoint: "mjJNT_",
    MjtGeom: "mjGEOM_",
    MjtObj: "mjOBJ_",
    MjtCamLight: "mjCAMLIGHT_",
    MjtProjection: "mjPROJ_",
    MjtLightType: "mjLIGHT_",
    MjtTexture: "mjTEXTURE_",
    MjtTextureRole: "mjTEXROLE_",
    MjtColorSpace: "mjCOLORSPACE_",
    MjtBuiltin: "mjBUILTIN_",
    MjtMark: "mjMARK_",
    MjtLimited: "mjLIMITED_",
    MjtAlignFree: "mjALIGNFREE_",
    MjtInertiaFromGeom: "mjINERTIAFROMGEOM_",
    MjtMeshInertia: "mjMESH_INERTIA_",
    MjtTrn: "mjTRN_",
    MjtDyn: "mjDYN_",
    MjtGain: "mjGAIN_",
    MjtBias: "mjBIAS_",
    MjtCtrlInput: "mjINPUT_",
    MjtCtrlChart: "mjCHART_",
    MjtTendon: "mjTENDON_",
    MjtWrap: "mjWRAP_",
    MjtEq: "mjEQ_",
    MjtSensor: "mjSENS_",
    MjtStage: "mjSTAGE_",
    MjtDataType: "mjDATATYPE_",
    MjtConDataField: "mjCONDATA_",
    MjtRayDataField: "mjRAYDATA_",
    MjtConstraint: "mjCNSTR_",
    MjtConstraintState: "mjCNSTRSTATE_",
    MjtCone: "mjCONE_",
    MjtJacobian: "mjJAC_",
    MjtSolver: "mjSOL_",
    MjtIntegrator: "mjINT_",
    MjtSameFrame: "mjSAMEFRAME_",
    MjtSleepPolicy: "mjSLEEP_",
    MjtSleepState: "mjS_",
    MjtLRMode: "mjLRMODE_",
    MjtConflict: "mjCONFLICT_",
    MjtDisableBit: "mjDSBL_",
    MjtEnableBit: "mjENBL_",
    MjtState: "mjSTATE_",
}
"""MuJoCo's prefix of the members of each enumeration."""

bind_members(globals())
