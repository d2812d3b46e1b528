"""Enumerations under MuJoCo Warp's names: MuJoCo's, and those of MuJoCo Warp alone."""

from enum import IntEnum, IntFlag

from newtonlite.core.mujoco import (
    MjtBias,
    MjtConDataField,
    MjtCone,
    MjtCtrlChart,
    MjtCtrlInput,
    MjtDisableBit,
    MjtDyn,
    MjtEnableBit,
    MjtGain,
    MjtGeom,
    MjtIntegrator,
    MjtJoint,
    MjtObj,
    MjtRayDataField,
    MjtSolver,
    MjtState,
    MjtTrn,
)

JointType = MjtJoint
GeomType = MjtGeom
ObjType = MjtObj
TrnType = MjtTrn
DynType = MjtDyn
GainType = MjtGain
BiasType = MjtBias
CtrlChart = MjtCtrlChart
CtrlInput = MjtCtrlInput
ConDataField = MjtConDataField
RayDataField = MjtRayDataField
ConeType = MjtCone
SolverType = MjtSolver
IntegratorType = MjtIntegrator
DisableBit = MjtDisableBit
EnableBit = MjtEnableBit
State = MjtState

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
ContactType = IntFlag("ContactType", {"CONSTRAINT": 1, "SENSOR": 2, "PASSIVE": 4})
CollisionType = IntEnum("CollisionType", {"PRIMITIVE": 0, "CONVEX": 1, "SDF": 2})
DeterminismType = IntFlag("DeterminismType", {"NONE": 0, "CONTACTS": 1, "CONSTRAINT": 2, "ATOMICS": 4, "ALL": 7})
SetConstGroup = IntFlag("SetConstGroup", {"NONE": 0, "FIXED": 1, "KIN0": 2, "INERT0": 4, "ALL": 7})
