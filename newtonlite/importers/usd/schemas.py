"""The schemas of Newton, PhysX and MuJoCo as tables: key, attribute, default, and the value in the builder's words."""

import math
from typing import Any

from newtonlite.core.table import Element
from newtonlite.importers.usd.resolvers import PrimType, SchemaAttribute, SchemaResolver, authored
from newtonlite.schema.geom import GEOM
from newtonlite.schema.joint import JOINT

Row = SchemaAttribute
NONE = -math.inf
"""Value that Newton's and PhysX's schemas write for: not said."""
HARD = (1.0e8, 0.0)
"""Stiffness and damping of a limit that is asked to be hard (+inf)."""
AXES = ("angular", "linear", "rotX", "rotY", "rotZ")
LIMITED = ("linear", "angular", "transX", "transY", "transZ", "rotX", "rotY", "rotZ")


def said(value: Any) -> Any:
    """A number; None for minus infinity, which says nothing."""
    return None if value is None or value == NONE else value


def first(*names: str):
    """A getter: the first of several attributes that is authored."""

    def read(prim):
        return next((value for value in (authored(prim, name) for name in names) if value is not None), None)

    return read


def states(prefix: str) -> dict[str, Row]:
    """Initial positions and velocities of a joint's axes."""
    return {
        f"{axis}_{what}": Row(prefix.format(axis=axis) + what, 0.0)
        for axis in AXES
        for what in ("position", "velocity")
    }


class SchemaResolverNewton(SchemaResolver):
    """Newton's own schemas, ``newton:``."""

    name = "newton"
    mapping = {
        PrimType.SCENE: {
            "max_solver_iterations": Row("newton:maxSolverIterations", -1),
            "time_steps_per_second": Row("newton:timeStepsPerSecond", 1000),
            "gravity_enabled": Row("newton:gravityEnabled", True),
        },
        PrimType.JOINT: {
            "armature": Row("newton:armature", 0.0),
            "damping": Row("newton:damping"),
            "friction": Row("newton:friction", 0.0),
            "velocity_limit": Row("newton:velocityLimit", math.inf),
            "limit_ke": Row("newton:limitStiffness", None, said),
            "limit_kd": Row("newton:limitDamping", None, said),
            **states("newton:{axis}:"),
            **{f"limit_{axis}_ke": Row(f"newton:{axis}:limitStiffness") for axis in LIMITED},
            **{f"limit_{axis}_kd": Row(f"newton:{axis}:limitDamping") for axis in LIMITED},
        },
        PrimType.SHAPE: {
            "margin": Row("newton:contactMargin", 0.0),
            "gap": Row("newton:contactGap", None, said),
            "max_hull_vertices": Row("newton:maxHullVertices", -1),
            "ke": Row("newton:contact_ke"),
            "kd": Row("newton:contact_kd"),
            "kf": Row("newton:contact_kf"),
            "ka": Row("newton:contact_ka"),
            "mass_model": Row("newton:massModel", "solid"),
            "shell_thickness": Row("newton:shellThickness", None, said),
            "sdf_max_resolution": Row("newton:sdfMaxResolution"),
            "sdf_target_voxel_size": Row("newton:sdfTargetVoxelSize", None, said),
            "sdf_narrow_band_inner": Row("newton:sdfNarrowBandInner", -0.1),
            "sdf_narrow_band_outer": Row("newton:sdfNarrowBandOuter", 0.1),
            "sdf_texture_format": Row("newton:sdfTextureFormat", "uint16"),
            "sdf_padding": Row("newton:sdfPadding", None, said),
            "hydroelastic_enabled": Row("newton:hydroelasticEnabled", False),
            "kh": Row("newton:hydroelasticStiffness", 1.0e10),
        },
        PrimType.MATERIAL: {
            "mu_torsional": Row("newton:torsionalFriction", 0.005),
            "mu_rolling": Row("newton:rollingFriction", 0.0001),
            "ke": Row("newton:contactStiffness", None, said),
            "kd": Row("newton:contactDamping", None, said),
            "kf": Row("newton:contactFrictionGain", None, said),
            "ka": Row("newton:contactAdhesion", None, said),
        },
        PrimType.ARTICULATION: {"self_collision_enabled": Row("newton:selfCollisionEnabled", True)},
    }


def physx_gap(prim: Any) -> float | None:
    """contactOffset less restOffset, where both are finite."""
    outer, inner = authored(prim, "physxCollision:contactOffset"), authored(prim, "physxCollision:restOffset")
    if outer is None or inner is None or not (math.isfinite(outer) and math.isfinite(inner)):
        return None
    return float(outer) - float(inner)


def physx_limit(what: str) -> Row:
    """Stiffness or damping of a limit, of whichever axis has it."""
    names = tuple(f"physxLimit:{axis}:{what}" for axis in LIMITED)
    return Row(names[0], 0.0, usd_value_getter=first(*names), attribute_names=names)


class SchemaResolverPhysx(SchemaResolver):
    """PhysX's schemas, ``physx*:`` and ``state:``."""

    name = "physx"
    extra_attr_namespaces = [
        "physxScene",
        "physxRigidBody",
        "physxCollision",
        "physxConvexHullCollision",
        "physxConvexDecompositionCollision",
        "physxTriangleMeshCollision",
        "physxTriangleMeshSimplificationCollision",
        "physxSDFMeshCollision",
        "physxMaterial",
        "physxJoint",
        "physxLimit",
        "physxArticulation",
        "state",
        "drive",
    ]
    mapping = {
        PrimType.SCENE: {
            "max_solver_iterations": Row("physxScene:maxVelocityIterationCount", 255),
            "time_steps_per_second": Row("physxScene:timeStepsPerSecond", 60),
            "gravity_enabled": Row("physxRigidBody:disableGravity", False, lambda value: not value),
        },
        PrimType.JOINT: {
            "armature": Row("physxJoint:armature", 0.0),
            "velocity_limit": Row("physxJoint:maxJointVelocity"),
            "limit_ke": physx_limit("stiffness"),
            "limit_kd": physx_limit("damping"),
            **{f"limit_{axis}_ke": Row(f"physxLimit:{axis}:stiffness") for axis in LIMITED},
            **{f"limit_{axis}_kd": Row(f"physxLimit:{axis}:damping") for axis in LIMITED},
            **states("state:{axis}:physics:"),
        },
        PrimType.SHAPE: {
            "margin": Row("physxCollision:restOffset", None, said),
            "gap": Row(
                "physxCollision:contactOffset",
                None,
                usd_value_getter=physx_gap,
                attribute_names=("physxCollision:contactOffset", "physxCollision:restOffset"),
            ),
            "max_hull_vertices": Row(
                "physxConvexHullCollision:hullVertexLimit",
                64,
                usd_value_getter=first(
                    "physxConvexHullCollision:hullVertexLimit", "physxConvexDecompositionCollision:hullVertexLimit"
                ),
                attribute_names=(
                    "physxConvexHullCollision:hullVertexLimit",
                    "physxConvexDecompositionCollision:hullVertexLimit",
                ),
            ),
            "convex_decomposition_max_hulls": Row("physxConvexDecompositionCollision:maxConvexHulls", 32),
        },
        PrimType.MATERIAL: {
            "ke": Row("physxMaterial:compliantContactStiffness"),
            "kd": Row("physxMaterial:compliantContactDamping"),
        },
        PrimType.BODY: {
            "rigid_body_linear_damping": Row("physxRigidBody:linearDamping", 0.0),
            "rigid_body_angular_damping": Row("physxRigidBody:angularDamping", 0.05),
        },
        PrimType.ARTICULATION: {"self_collision_enabled": Row("physxArticulation:enabledSelfCollisions", True)},
    }


def stiffness_of(solref: Any) -> float | None:
    """Contact stiffness of a solref, per unit of mass."""
    return gains_of(solref)[0]


def damping_of(solref: Any) -> float | None:
    """Contact damping of a solref, per unit of mass."""
    return gains_of(solref)[1]


def gains_of(solref: Any) -> tuple[float | None, float | None]:
    """(stiffness, damping) of (timeconst, dampratio), or of minus themselves."""
    if solref is None or len(solref) < 2:
        return None, None
    time, ratio = float(solref[0]), float(solref[1])
    if time < 0 and ratio < 0:
        return -time, -ratio
    square = (time * ratio) ** 2 if time > 0 and ratio > 0 else 0.0  # 0 also where it is too small for a number
    return (1.0 / square, 2.0 / time) if square > 0 else (None, None)


def effort_limit(prim: Any) -> float | None:
    """The larger bound of ``actuatorfrcrange``, where it limits."""
    low, high = (authored(prim, f"mjc:actuatorfrcrange:{end}") or 0.0 for end in ("min", "max"))
    limited = str(authored(prim, "mjc:actuatorfrclimited") or "auto")
    if limited == "false" or (limited == "auto" and not low < high) or low == high == 0.0:
        return None
    return max(abs(low), abs(high))


def ranged(name: str) -> dict[str, Row]:
    """The two bounds of a range of an actuator."""
    return {f"{name}_{end}": Row(f"mjc:{name}:{end}", 0.0) for end in ("min", "max")}


def schema_rows(element: Element, start: str) -> dict[str, Row]:
    """The rows of MJCF's schema whose columns say of which attribute of the builder they are, by its name without
    ``start``.
    """
    found = {}
    for attr in element.attrs:
        if attr.usd and attr.binds.startswith(start) and not attr.handled:
            default = attr.default[0] if isinstance(attr.default, tuple) else attr.default
            found[attr.binds.split()[0].removeprefix(start)] = Row(attr.usd.split()[0], default)
    return found


class SchemaResolverMjc(SchemaResolver):
    """MuJoCo's schemas, ``mjc:``."""

    name = "mjc"
    mapping = {
        PrimType.SCENE: {
            "max_solver_iterations": Row("mjc:option:iterations", 100),
            "time_steps_per_second": Row(
                "mjc:option:timestep", 0.002, lambda step: int(1.0 / step) if step > 0 else None
            ),
            "gravity_enabled": Row("mjc:flag:gravity", True),
        },
        PrimType.JOINT: {
            **schema_rows(JOINT, "joint_"),
            "springref": Row("mjc:springref", 0.0),
            "ref": Row("mjc:ref", 0.0),
            "effort_limit": Row(
                "mjc:actuatorfrcrange:max",
                usd_value_getter=effort_limit,
                attribute_names=("mjc:actuatorfrcrange:min", "mjc:actuatorfrcrange:max", "mjc:actuatorfrclimited"),
            ),
        },
        PrimType.SHAPE: {
            **schema_rows(GEOM, "shape_"),
            "max_hull_vertices": Row("mjc:maxhullvert", -1),
            "ke": Row("mjc:solref", None, stiffness_of),
            "kd": Row("mjc:solref", None, damping_of),
            "mass_model": Row("mjc:shellinertia", None, lambda shell: "shell" if shell else "solid"),
        },
        PrimType.MATERIAL: {
            "mu_torsional": Row("mjc:torsionalfriction", 0.005),
            "mu_rolling": Row("mjc:rollingfriction", 0.0001),
            "ke": Row("mjc:solref", None, stiffness_of),
            "kd": Row("mjc:solref", None, damping_of),
            "priority": Row("mjc:priority", 0),
            "weight": Row("mjc:solmix", 1.0),
        },
        PrimType.ACTUATOR: {
            **ranged("ctrlRange"),
            **ranged("forceRange"),
            **ranged("actRange"),
            **ranged("lengthRange"),
            **{
                name: Row(f"mjc:{name}")
                for name in ("gainPrm", "gainType", "biasPrm", "biasType", "dynPrm", "dynType", "gear")
            },
        },
    }

    def validate_custom_attributes(self, builder: Any) -> None:
        """Raise RuntimeError where the ``mujoco`` attributes are not registered."""
        if not any(key.startswith("mujoco:condim") for key in builder.custom_attributes):
            raise RuntimeError(
                "SchemaResolverMjc: the builder has no mujoco attributes; call SolverMuJoCo.register_custom_attributes(builder) first"
            )


def all_resolvers() -> list[SchemaResolver]:
    """Newton's, then PhysX's, then MuJoCo's."""
    return [SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()]
