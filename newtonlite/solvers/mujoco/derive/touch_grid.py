"""Grids of touch: sensors with MuJoCo's plugin of that name, their shape and field of view."""

import numpy as np

from newtonlite.core.mujoco import MjtSensor
from newtonlite.core.plugins import attributes_of, numbers_of


def derive(mj) -> dict:
    """Lists of the grids: sensor, columns, rows and channels, field of view [rad] with the foveal share, welded body."""
    kind = np.asarray(getattr(mj, "sensor_type", ()), int)
    grids = np.flatnonzero(kind == MjtSensor.PLUGIN)
    weld = np.asarray(mj.body_weldid, int)
    views = [_view(mj, s) for s in grids]
    shapes = [_shape(mj, s) for s in grids]
    return {
        "ngrid": len(grids),
        "sense_grid": grids,
        "grid_shape": np.array(shapes, int).reshape(-1, 3),
        "grid_fov": np.array(views, float).reshape(-1, 3),
        "grid_weldid": [weld[int(mj.site_bodyid[int(mj.sensor_objid[s])])] for s in grids],
    }


def _numbers(mj, s: int, name: str) -> tuple[float, ...]:
    given = attributes_of(mj, int(mj.sensor_plugin[s]))[1]
    return (*numbers_of(given.get(name, "")), 0.0, 0.0)


def _shape(mj, s: int) -> tuple[int, int, int]:
    columns, rows = _numbers(mj, s, "size")[:2]
    return round(columns), round(rows), max(1, round(_numbers(mj, s, "nchannel")[0]))


def _view(mj, s: int) -> tuple[float, float, float]:
    wide, high = _numbers(mj, s, "fov")[:2]
    return np.radians(wide), np.radians(high), _numbers(mj, s, "gamma")[0]
