"""MuJoCo's enumerations under the names of its Python module: ``mjtGeom.mjGEOM_BOX``."""

from enum import IntEnum

from newtonlite.mjwarp import enums as short
from newtonlite.solvers.mujoco import enums as numbers

WORDS = {
    "mjtObj": (
        "mjOBJ_",
        "UNKNOWN BODY XBODY JOINT DOF GEOM SITE CAMERA LIGHT FLEX MESH SKIN HFIELD TEXTURE MATERIAL PAIR EXCLUDE EQUALITY TENDON "
        "ACTUATOR SENSOR NUMERIC TEXT TUPLE KEY PLUGIN",
    ),
    "mjtEq": ("mjEQ_", "CONNECT WELD JOINT TENDON FLEX FLEXVERT FLEXSTRAIN DISTANCE"),
    "mjtWrap": ("mjWRAP_", "NONE JOINT PULLEY SITE SPHERE CYLINDER"),
    "mjtJacobian": ("mjJAC_", "DENSE SPARSE AUTO"),
    "mjtConstraint": (
        "mjCNSTR_",
        "EQUALITY FRICTION_DOF FRICTION_TENDON LIMIT_JOINT LIMIT_TENDON CONTACT_FRICTIONLESS CONTACT_PYRAMIDAL CONTACT_ELLIPTIC",
    ),
    "mjtConstraintState": ("mjCNSTRSTATE_", "SATISFIED QUADRATIC LINEARNEG LINEARPOS CONE"),
    "mjtSameFrame": ("mjSAMEFRAME_", "NONE BODY INERTIA BODYROT INERTIAROT"),
    "mjtSleepPolicy": ("mjSLEEP_", "AUTO AUTO_NEVER AUTO_ALLOWED NEVER ALLOWED INIT"),
    "mjtCamLight": ("mjCAMLIGHT_", "FIXED TRACK TRACKCOM TARGETBODY TARGETBODYCOM"),
    "mjtStage": ("mjSTAGE_", "NONE POS VEL ACC"),
    "mjtDataType": ("mjDATATYPE_", "REAL POSITIVE AXIS QUATERNION"),
    "mjtTexture": ("mjTEXTURE_", "2D CUBE SKYBOX"),
}
"""Enumerations that count from 0: prefix and words."""
SAME = {
    "mjtJoint": ("mjJNT_", short.JointType),
    "mjtGeom": ("mjGEOM_", short.GeomType),
    "mjtTrn": ("mjTRN_", short.TrnType),
    "mjtDyn": ("mjDYN_", short.DynType),
    "mjtGain": ("mjGAIN_", short.GainType),
    "mjtBias": ("mjBIAS_", short.BiasType),
    "mjtSolver": ("mjSOL_", short.SolverType),
    "mjtIntegrator": ("mjINT_", short.IntegratorType),
    "mjtCone": ("mjCONE_", short.ConeType),
    "mjtDisableBit": ("mjDSBL_", short.DisableBit),
    "mjtEnableBit": ("mjENBL_", short.EnableBit),
    "mjtState": ("mjSTATE_", short.State),
    "mjtCtrlInput": ("mjINPUT_", short.CtrlInput),
    "mjtCtrlChart": ("mjCHART_", short.CtrlChart),
}
"""Enumerations that MuJoCo Warp has too, under shorter names."""
MORE = {
    "mjtGeom": {"mjGEOM_LINE": 103, "mjGEOM_NONE": 1001},
    "mjtTrn": {"mjTRN_UNDEFINED": 1000},
    "mjtObj": {"mjOBJ_FRAME": 100, "mjOBJ_DEFAULT": 101, "mjOBJ_MODEL": 102},
    "mjtSleepState": {"mjS_STATIC": -1, "mjS_ASLEEP": 0, "mjS_AWAKE": 1},
    "mjtSensor": {f"mj{name}": value for name, value in vars(numbers).items() if name.startswith("SENS_")},
}


def members(name: str) -> dict[str, int]:
    """Names and numbers of an enumeration."""
    found: dict[str, int] = {}
    if name in WORDS:
        prefix, words = WORDS[name]
        found |= {prefix + word: k for k, word in enumerate(words.split())}
    if name in SAME:
        prefix, kind = SAME[name]
        found |= {prefix + word: int(value) for word, value in kind.__members__.items()}
    return found | MORE.get(name, {})


__all__ = sorted({*WORDS, *SAME, *MORE})
globals().update({name: IntEnum(name, members(name), module=__name__) for name in __all__})
