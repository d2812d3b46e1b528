"""Ray casting and camera frames of a solver's worlds, computed when requested."""

import functools
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.derive import ray as derive_ray
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.fields.ray import MODEL as RAY_FIELDS
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.ray.cast import ALL_GROUPS
from newtonlite.solvers.mujoco.model import FIELDS, EngineModel, make_array

GROUPS = 6
MANY = 1000
"""Rays that callers are taken to cast."""
KINDS = (wp.float32, wp.int32, wp.vec3)
"""Types of the numbers of RayHits."""
MOST_KEPT = 8
"""Numbers of rays for which arrays are kept."""
KEPT: WeakKeyDictionary = WeakKeyDictionary()
"""Arrays by schedule and number of rays into which ``ray`` casts, so that its program is prepared once."""


class RayHits(NamedTuple):
    """Hits of rays, one row per world."""

    dist: wp.array
    """Distances in units of the directions ``[nworld, nray]``; -1 where nothing is hit."""
    geomid: wp.array
    """Geoms ``[nworld, nray]``; -1 where nothing is hit."""
    normal: wp.array
    """Outward unit normals there ``[nworld, nray]``, world axes; zero where nothing is hit."""


class CameraFrames(NamedTuple):
    """Frames of cameras and lights, world axes, one row per world."""

    cam_xpos: wp.array
    """``[nworld, ncam]`` [m]."""
    cam_xmat: wp.array
    """``[nworld, ncam]``; cameras look along -z, x is to their right."""
    light_xpos: wp.array
    """``[nworld, nlight]`` [m]."""
    light_xdir: wp.array
    """``[nworld, nlight]``, unit."""


def ray(schedule: Schedule, pnt, vec, geomgroup=None, flg_static: bool = True, bodyexclude=-1) -> RayHits:
    """Hits of the rays ``pnt + t vec``, ``t >= 0``, in each world at its present ``qpos``.

    ``pnt`` and ``vec`` are ``[nworld or 1, nray, 3]`` (arrays, or Warp arrays of vec3); rows for one world serve all.
    ``geomgroup``: six flags, groups of geoms that are hit (None: all).  ``flg_static``: whether geoms that never move
    are hit.  ``bodyexclude``: a body whose geoms are passed, or one for each ray; -1: none.  Surfaces are hit from
    inside too; transparent geoms are passed. Raises StateError for shapes that do not fit, or directions that are zero
    or not finite where they are given as NumPy.
    """
    d = schedule.data
    points, directions = points_of(pnt, d, "pnt"), points_of(vec, d, "vec")
    kept = KEPT.setdefault(schedule, {})
    if (count := points.shape[1]) not in kept:
        if len(kept) >= MOST_KEPT:  # callers with another number of rays each time
            kept.clear()
        with outside_capture(d.device):
            kept[count] = RayHits(*(wp.zeros((d.nworld, count), dtype=kind, device=d.device) for kind in KINDS))
    cast_into(schedule, kept[count], points, directions, geomgroup, flg_static, bodyexclude)
    return RayHits(*map(wp.clone, kept[count]))


def cast_into(
    schedule: Schedule,
    seen: RayHits,
    points: wp.array,
    directions: wp.array,
    geomgroup=None,
    flg_static: bool = True,
    bodyexclude=-1,
) -> None:
    """``ray`` of Warp arrays into those of ``seen``: nothing is made again where the arrays are those of an earlier call."""
    m, d = schedule.model, schedule.data
    prepare(m)
    points, directions = points_of(points, d, "pnt"), points_of(directions, d, "vec")
    count = points.shape[1]
    if directions.shape[1] != count:
        raise StateError(f"vec: {directions.shape[1]} directions for {count} points; give one for each")
    for name, array, kind in zip(RayHits._fields, seen, KINDS):
        if array.shape != (d.nworld, count) or array.dtype != kind or array.device != d.device:
            raise StateError(
                f"{name}: expected {kind.__name__}[{d.nworld}, {count}] on {d.device}, got {array.dtype.__name__}{array.shape} on {array.device}"
            )
    inputs = {
        "ray_pnt": points,
        "ray_vec": directions,
        "ray_exclude": excluded(bodyexclude, count, d.device),
        "ray_filter": ray_filter(groups_of(geomgroup), int(flg_static), str(d.device)),
    }
    schedule.add("ray", pipeline.RAY)
    schedule.run("ray", bound={**inputs, "ray_dist": seen.dist, "ray_geomid": seen.geomid, "ray_normal": seen.normal})


def excluded(bodies, count: int, device) -> wp.array:
    """Bodies that rays pass ``[1, count]``: one for all, or one for each."""
    if isinstance(bodies, wp.array) and bodies.shape == (count,) and bodies.is_contiguous and bodies.device == device:
        if bodies.dtype == wp.int32:
            return bodies.reshape((1, count))
    bodies = np.asarray(bodies.numpy() if isinstance(bodies, wp.array) else bodies, np.int32)
    if bodies.shape not in ((), (1,), (count,), (1, count)):
        raise StateError(f"bodyexclude: expected a body or one for each of {count} rays, got shape {bodies.shape}")
    if bodies.size == 1:
        return one_body(int(bodies.reshape(-1)[0]), count, str(device))
    return wp.array(bodies.reshape(1, count), dtype=int, device=device)


@functools.lru_cache(64)
def one_body(body: int, count: int, device: str) -> wp.array:
    """The same body for each ray ``[1, count]``."""
    with outside_capture(wp.get_device(device)):  # what a graph makes is there when it is launched, not before
        return wp.array(np.full((1, count), body, np.int32), dtype=int, device=device)


@functools.lru_cache(64)
def ray_filter(groups: int, static: int, device: str) -> wp.array:
    """Bits of the groups that are met, and whether geoms that never move are, ``[1, 2]``."""
    with outside_capture(wp.get_device(device)):
        return wp.array(np.array([[groups, static]], np.int32), dtype=int, device=device)


def frames(schedule: Schedule) -> CameraFrames:
    """Frames of all cameras and lights at the present ``qpos``."""
    m, d = schedule.model, schedule.data
    new = lambda n, kind: wp.zeros((d.nworld, n), dtype=kind, device=m.device)
    found = CameraFrames(new(m.ncam, wp.vec3), new(m.ncam, wp.mat33), new(m.nlight, wp.vec3), new(m.nlight, wp.vec3))
    schedule.add("camera", pipeline.CAMERA)
    schedule.run("camera", bound=found._asdict())
    return found


def prepare(m: EngineModel) -> None:
    """Give the model the tables for many rays against geoms, where it has none yet."""
    boxed = derive_ray.geom_boxes(MANY, m.ngeom)
    if m.sizes["nraygeom"] == m.ngeom and m.sizes["nraybox"] == boxed["nraybox"]:
        return
    values = derive_ray.tables(m.source, MANY)
    m.sizes.update(
        {name: int(value) for name, value in values.items() if name not in FIELDS or FIELDS[name].role == "size"}
    )
    for field in RAY_FIELDS:
        if field.role != "size":
            m.arrays[field.name] = make_array(field, values.get(field.name), m.sizes, 1, m.device)
    rows = derive_ray.ray_rows(m.source)
    if len(rows) > 1:
        m.set("geom_ray", rows)


def groups_of(geomgroup) -> int:
    """Bits of the groups that are met."""
    if geomgroup is None:
        return ALL_GROUPS
    flags = np.asarray(geomgroup).ravel()
    if len(flags) != GROUPS:
        raise StateError(f"geomgroup: expected {GROUPS} flags, got {len(flags)}")
    return sum(1 << g for g in range(GROUPS) if flags[g])


def points_of(values, d, name: str) -> wp.array:
    """Vectors ``[nworld or 1, nray]`` on the device."""
    if not isinstance(values, wp.array):
        values = np.asarray(values, np.float32)
        if values.ndim != 3 or values.shape[2] != 3 or not np.isfinite(values).all():
            raise StateError(f"{name}: expected finite numbers [nworld or 1, nray, 3], got shape {values.shape}")
        if name == "vec" and not values.any(axis=2).all():
            raise StateError("vec: a direction is zero")
        values = wp.array(np.ascontiguousarray(values), dtype=wp.vec3, device=d.device)
    if values.ndim != 2 or values.dtype != wp.vec3 or values.shape[0] not in (1, d.nworld):
        raise StateError(
            f"{name}: expected vec3 [nworld or 1, nray] for {d.nworld} worlds, got {values.dtype.__name__}{values.shape}"
        )
    return values
