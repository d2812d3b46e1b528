"""Film and pose of a USD camera, for the rays of camera sensors. Needs the extra usd (pxr), and is opened when it is called."""

from importlib import import_module
from typing import Any

import numpy as np

from newtonlite.core.errors import UnsupportedError
from newtonlite.core.types import Axis


def pxr(name: str) -> Any:
    """A module of USD, whose names no type checker knows."""
    return import_module(f"pxr.{name}")


def camera_prim(camera: Any) -> Any:
    """A ``UsdGeom.Camera`` of a prim, or of itself. TypeError for what is none."""
    Usd, UsdGeom = pxr("Usd"), pxr("UsdGeom")
    if isinstance(camera, Usd.Prim) and camera.IsValid():
        camera = UsdGeom.Camera(camera)
    if not isinstance(camera, UsdGeom.Camera) or not camera.GetPrim().IsValid():
        raise TypeError("Expected a UsdGeom.Camera or a Usd.Prim of one")
    if not camera.GetPrim().IsA(UsdGeom.Camera):
        raise TypeError(f"Expected a UsdGeom.Camera prim, got {str(camera.GetPrim().GetPath())!r}")
    return camera


def time_code(time: Any) -> Any:
    """A time of USD; None is the default."""
    Usd = pxr("Usd")
    if time is None:
        return Usd.TimeCode.Default()
    return time if isinstance(time, Usd.TimeCode) else Usd.TimeCode(float(time))


def film_of(camera: Any, time: Any) -> tuple:
    """(focal length, size, offset) of the film. UnsupportedError for projections that are not perspective."""
    camera, at = camera_prim(camera), time_code(time)
    projection = str(camera.GetProjectionAttr().Get(at))
    if projection != "perspective":
        raise UnsupportedError(
            f"USD camera {camera.GetPrim().GetPath()}: projection {projection!r} is not rendered; make it perspective"
        )
    value = lambda attribute: float(attribute.Get(at))
    return (
        value(camera.GetFocalLengthAttr()),
        (value(camera.GetHorizontalApertureAttr()), value(camera.GetVerticalApertureAttr())),
        (value(camera.GetHorizontalApertureOffsetAttr()), value(camera.GetVerticalApertureOffsetAttr())),
    )


def pose_of(camera: Any, time: Any) -> tuple[np.ndarray, np.ndarray, Axis]:
    """Place, rotation matrix and the axis that is up, of the stage's world."""
    UsdGeom = pxr("UsdGeom")
    prim = camera.GetPrim()
    frame = np.array(UsdGeom.XformCache(time_code(time)).GetLocalToWorldTransform(prim), float).T
    turn = frame[:3, :3] / np.linalg.norm(frame[:3, :3], axis=0)
    return frame[:3, 3], turn, Axis.from_any(str(UsdGeom.GetStageUpAxis(prim.GetStage())))
