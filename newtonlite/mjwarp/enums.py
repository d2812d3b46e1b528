"""MuJoCo's enumerations under MuJoCo Warp's names."""

from enum import IntEnum, IntFlag

JointType = IntEnum("JointType", {"FREE": 0, "BALL": 1, "SLIDE": 2, "HINGE": 3})
GeomType = IntEnum(
    "GeomType",
    {"PLANE": 0, "HFIELD": 1, "SPHERE": 2, "CAPSULE": 3, "ELLIPSOID": 4, "CYLINDER": 5, "BOX": 6, "MESH": 7, "SDF": 8},
)
ObjType = IntEnum(
    "ObjType", {"UNKNOWN": 0, "BODY": 1, "XBODY": 2, "JOINT": 3, "GEOM": 5, "SITE": 6, "CAMERA": 7, "TENDON": 18}
)
TrnType = IntEnum(
    "TrnType", {"JOINT": 0, "JOINTINPARENT": 1, "SLIDERCRANK": 2, "TENDON": 3, "SITE": 4, "BODY": 5, "SO3": 6}
)
DynType = IntEnum("DynType", "NONE INTEGRATOR FILTER FILTEREXACT MUSCLE DCMOTOR PID USER", start=0)
GainType = IntEnum("GainType", "FIXED AFFINE MUSCLE DCMOTOR SO3 PID USER", start=0)
BiasType = IntEnum("BiasType", "NONE AFFINE MUSCLE DCMOTOR SO3 USER", start=0)
CtrlChart = IntEnum("CtrlChart", {"EXPMAP": 1, "QUAT": 2})
CtrlInput = IntFlag("CtrlInput", {"POS": 1, "VEL": 2, "FF": 4, "VOLTAGE": 8, "NONE": 16, "PRESSURE": 32})
ConDataField = IntEnum("ConDataField", "FOUND FORCE TORQUE DIST POS NORMAL TANGENT LINVEL ANGVEL", start=0)
RayDataField = IntEnum("RayDataField", "DIST DIR ORIGIN POINT NORMAL DEPTH", start=0)
ConeType = IntEnum("ConeType", {"PYRAMIDAL": 0, "ELLIPTIC": 1})
SolverType = IntEnum("SolverType", {"PGS": 0, "CG": 1, "NEWTON": 2})
IntegratorType = IntEnum("IntegratorType", {"EULER": 0, "RK4": 1, "IMPLICIT": 2, "IMPLICITFAST": 3, "DISCRETE": 4})

DisableBit = IntFlag(
    "DisableBit",
    {
        name: 1 << bit
        for bit, name in enumerate(
            (
                "CONSTRAINT",
                "EQUALITY",
                "FRICTIONLOSS",
                "LIMIT",
                "CONTACT",
                "SPRING",
                "DAMPER",
                "GRAVITY",
                "CLAMPCTRL",
                "WARMSTART",
                "FILTERPARENT",
                "ACTUATION",
                "REFSAFE",
                "SENSOR",
                "MIDPHASE",
                "EULERDAMP",
                "AUTORESET",
                "NATIVECCD",
                "ISLAND",
                "MULTICCD",
            )
        )
    },
)
BroadphaseType = IntEnum("BroadphaseType", {"NXN": 0, "SAP_TILE": 1, "SAP_SEGMENTED": 2})
BroadphaseFilter = IntFlag("BroadphaseFilter", {"PLANE": 1, "SPHERE": 2, "AABB": 4, "OBB": 8})
OverflowType = IntFlag(
    "OverflowType",
    {
        "NONE": 0,
        **{
            name: 1 << bit
            for bit, name in enumerate(
                (
                    "NEFC",
                    "NJMAX_NNZ",
                    "BROADPHASE",
                    "NARROWPHASE",
                    "CCD",
                    "HFIELD",
                    "CONTACT_MATCH",
                    "NVMAX",
                    "EPA_HORIZON",
                    "ITERATIONS",
                    "LS_ITERATIONS",
                    "TACTILE",
                )
            )
        },
        "ALL": (1 << 12) - 1,
    },
)
DeterminismType = IntFlag("DeterminismType", {"NONE": 0, "CONTACTS": 1, "CONSTRAINT": 2, "ATOMICS": 4, "ALL": 7})
SetConstGroup = IntFlag("SetConstGroup", {"NONE": 0, "FIXED": 1, "KIN0": 2, "INERT0": 4, "ALL": 7})
EnableBit = IntFlag(
    "EnableBit",
    {
        "OVERRIDE": 1,
        "ENERGY": 2,
        "FWDINV": 4,
        "INVDISCRETE": 8,
        "SLEEP": 16,
        "DIAGEXACT": 32,
        "IPC": 64,
        "SPECULATIVE": 128,
    },
)


class State(IntFlag):
    """Parts of a state, as bits (``mjtState``)."""

    TIME = 1
    QPOS = 2
    QVEL = 4
    ACT = 8
    HISTORY = 16
    WARMSTART = 32
    CTRL = 64
    QFRC_APPLIED = 128
    XFRC_APPLIED = 256
    EQ_ACTIVE = 512
    MOCAP_POS = 1024
    MOCAP_QUAT = 2048
    USERDATA = 4096
    PLUGIN = 8192
    PLASTIC = 16384
    PHYSICS = QPOS | QVEL | ACT | HISTORY | PLASTIC
    FULLPHYSICS = PHYSICS | TIME | PLUGIN
    USER = CTRL | QFRC_APPLIED | XFRC_APPLIED | EQ_ACTIVE | MOCAP_POS | MOCAP_QUAT | USERDATA
    INTEGRATION = FULLPHYSICS | USER | WARMSTART
