"""Questions to single prims, with Newton's names: attributes, schemas, transforms, meshes, scenes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.types import Axis
from newtonlite.importers.usd.applied import applied
from newtonlite.importers.usd.frames import pose_and_rest
from newtonlite.importers.usd.resolvers import authored


def get_attribute(prim: Any, name: str, default: Any = None) -> Any:
    """The authored value of an attribute, or ``default``."""
    attr = prim.GetAttribute(name)
    return attr.Get() if attr and attr.HasAuthoredValue() else default


def has_attribute(prim: Any, name: str) -> bool:
    """Whether an attribute is authored."""
    attr = prim.GetAttribute(name)
    return bool(attr and attr.HasAuthoredValue())


def get_attributes_in_namespace(prim: Any, namespace: str) -> dict[str, Any]:
    """All authored attributes of a namespace, by full name."""
    properties = [p for p in prim.GetAuthoredPropertiesInNamespace(namespace) if hasattr(p, "HasAuthoredValue")]
    return {p.GetName(): p.Get() for p in properties if p.HasAuthoredValue()}


def get_float(prim: Any, name: str, default: float | None = None) -> float | None:
    """An authored finite number, or ``default``."""
    value = authored(prim, name)
    return value if value is not None and np.isfinite(value) else default


def get_quat(prim: Any, name: str, default: Any = None) -> Any:
    """An authored quaternion that is not zero, as ``wp.quat`` of length one, or ``default``."""
    value = authored(prim, name)
    if value is None:
        return default
    numbers = np.array([*value.GetImaginary(), value.GetReal()], float)
    length = np.linalg.norm(numbers)
    return wp.quat(*(numbers / length).tolist()) if np.isfinite(length) and length > 0 else default


def get_gprim_axis(prim: Any, name: str = "axis", default: Any = "Z") -> Axis:
    """The axis of a geometric prim."""
    return Axis.from_any(str(get_attribute(prim, name, default)))


def has_applied_api_schema(prim: Any, schema_name: str) -> bool:
    """Whether a schema is applied, registered or not."""
    return schema_name in applied(prim)


def matrix(prim: Any, local: bool, xform_cache: Any = None) -> np.ndarray:
    """The transform [4, 4] of a prim, acting on columns."""
    from pxr import Usd, UsdGeom

    if local:
        form = UsdGeom.Xformable(prim)
        return np.array(form.GetLocalTransformation(Usd.TimeCode.Default())).T if form else np.eye(4)
    return np.array((xform_cache or UsdGeom.XformCache()).GetLocalToWorldTransform(prim)).T


def get_transform(prim: Any, local: bool = True, xform_cache: Any = None) -> wp.transform:
    """Position and rotation of a prim, in its parent or in the world; ModelError for one scaled to nothing."""
    found = pose_and_rest(matrix(prim, local, xform_cache))
    if found is None:
        raise ModelError(f"<{prim.GetPath()}>: is scaled to nothing; give a scale that is not zero")
    return wp.transform(*found[0].tolist())


def get_scale(prim: Any, local: bool = True, xform_cache: Any = None) -> wp.vec3:
    """Scale of a prim along its axes, with the signs of the authored scales."""
    from pxr import UsdGeom

    linear = matrix(prim, local, xform_cache)[:3, :3]
    signs = np.ones(3)
    here = prim
    while here and not here.IsPseudoRoot():
        form = UsdGeom.Xformable(here)
        for op in form.GetOrderedXformOps() if form else ():
            if op.GetOpType() == UsdGeom.XformOp.TypeScale and op.Get() is not None:
                signs *= np.sign(np.where(np.array(op.Get(), float) == 0, 1.0, np.array(op.Get(), float)))
        if local or (form and form.GetResetXformStack()):
            break
        here = here.GetParent()
    return wp.vec3(*(np.linalg.norm(linear, axis=0) * signs).tolist())


def get_physics_scenes(stage: Any, root_path: str = "/", exclude_paths: Sequence[str] | None = None) -> list:
    """The physics scenes of a stage below a path, instances unfolded."""
    from pxr import Usd, UsdPhysics

    root = stage.GetPrimAtPath(root_path)
    outside = [path.rstrip("/") for path in exclude_paths or ()]
    found = []
    for prim in Usd.PrimRange(root, Usd.TraverseInstanceProxies()) if root else ():
        path = str(prim.GetPath())
        if prim.GetTypeName() == "PhysicsScene" and not any(
            path == out or path.startswith(out + "/") for out in outside
        ):
            found.append(UsdPhysics.Scene(prim))
    return found


def type_to_warp(value: Any) -> Any:
    """The Warp type that holds a value of USD."""
    if hasattr(value, "GetImaginary"):
        return wp.quat
    if hasattr(value, "__len__") and not isinstance(value, str) and 2 <= len(value) <= 4:
        return {2: wp.vec2, 3: wp.vec3, 4: wp.vec4}[len(value)]
    if isinstance(value, bool):
        return wp.bool
    return wp.int32 if isinstance(value, int) else str if isinstance(value, str) else wp.float32


def value_to_warp(value: Any, warp_dtype: Any = None) -> Any:
    """A value of USD as a Warp value; quaternions at length one."""
    if hasattr(value, "GetImaginary"):
        return wp.normalize(wp.quat(*(float(x) for x in value.GetImaginary()), float(value.GetReal())))
    if warp_dtype is str or isinstance(value, str):
        return str(value)
    kind = warp_dtype or type_to_warp(value)
    if hasattr(value, "__len__"):
        return kind(*(float(x) if not isinstance(x, bool) else x for x in np.ravel(np.array(value)).tolist()))
    if kind in (wp.bool, bool):
        return bool(value)
    return value if isinstance(value, (int, float)) else kind(value)
