"""Sensor tables: stage of each sensor, intermediate results it needs, and its history buffer."""

import numpy as np

from newtonlite.core.mujoco import MjtDataType, MjtObj, MjtSensor, MjtStage
from newtonlite.solvers.mujoco.derive.enclosed import enclosing
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts

APART = {
    MjtSensor.TOUCH,
    MjtSensor.RANGEFINDER,
    MjtSensor.CONTACT,
    MjtSensor.GEOMDIST,
    MjtSensor.GEOMNORMAL,
    MjtSensor.GEOMFROMTO,
    MjtSensor.USER,
    MjtSensor.TACTILE,
    MjtSensor.PLUGIN,
}
DISTANCE = {MjtSensor.GEOMDIST, MjtSensor.GEOMNORMAL, MjtSensor.GEOMFROMTO}
RNE = {MjtSensor.ACCELEROMETER, MjtSensor.FORCE, MjtSensor.TORQUE, MjtSensor.FRAMELINACC, MjtSensor.FRAMEANGACC}
SUBTREE = {MjtSensor.SUBTREELINVEL, MjtSensor.SUBTREEANGMOM}
ACTUATOR = {MjtSensor.ACTUATORPOS, MjtSensor.ACTUATORVEL, MjtSensor.ACTUATORFRC}
UNCLAMPED = {MjtSensor.CONTACT, MjtSensor.GEOMFROMTO}


def derive(mj) -> dict:
    """Lists of sensors by what they measure, and the sizes that say what else has to be computed."""
    n = int(getattr(mj, "nsensor", 0))
    kind = np.asarray(mj.sensor_type, int) if n else np.zeros(0, int)
    stage = np.asarray(mj.sensor_needstage, int) if n else kind
    plain = ~np.isin(kind, list(APART))
    plain[enclosing(mj)] = False
    contact = kind == MjtSensor.CONTACT
    force = np.isin(kind, list(RNE)).any()
    lists = {
        "pos": plain & (stage == MjtStage.POS),
        "vel": plain & (stage == MjtStage.VEL),
        "acc": plain & (stage == MjtStage.ACC),
        "contact": contact & (stage < MjtStage.ACC),
        "contactforce": contact & (stage == MjtStage.ACC),
        "distance": np.isin(kind, list(DISTANCE)),
    }
    out = {f"sense_{name}": np.flatnonzero(mask) for name, mask in lists.items()}
    out |= {f"nsense{name}": np.sum(mask) for name, mask in lists.items()}
    touch = kind == MjtSensor.TOUCH
    kept = np.flatnonzero(np.asarray(mj.sensor_history)[:, 0]) if n else np.zeros(0, int)
    pairs = [sensor_pairs(mj, s) for s in np.flatnonzero(lists["distance"])]
    rays = sensor_rays(mj)
    force = force or bool(getattr(mj, "watch_bodies", False))
    noisy = _noisy(kind, stage) if getattr(mj, "adds_noise", False) else []
    return out | {
        "sense_noise": np.array(noisy, int).reshape(-1, 2),
        "nsensenoise": len(noisy),
        "nseed": int(len(noisy) > 0),
        "nsensor": n,
        "nsensordata": int(getattr(mj, "nsensordata", 0)),
        "distance_adr": starts(pairs),
        "distance_pair": flattened(pairs).reshape(-1, 3),
        "nsensedistance1": len(pairs) + 1,
        "ndistancepair": sum(map(len, pairs)),
        "sense_touch": np.flatnonzero(touch),
        "ntouch": touch.sum(),
        "sense_ray": np.array(rays, int).reshape(-1, 2),
        "nsenseray": len(rays),
        "nsensecamera": _cameras(mj, n),
        "nsubtreevel": int(np.isin(kind, list(SUBTREE)).any()),
        "nrne": int(force),
        "ncontactforce": int(force or touch.any() or lists["contactforce"].any() or (kind == MjtSensor.PLUGIN).any()),
        "sense_history": kept,
        "nsensehistory": len(kept),
        "ncam": int(getattr(mj, "ncam", 0)),
        "nlight": int(getattr(mj, "nlight", 0)),
        **_per_sensor(mj, kind),
        "geom_seen": seen_by_rays(mj),
        "geom_fixed": _fixed(mj),
    }


def sensor_pairs(mj, s: int) -> list:
    """Geom pairs whose distance sensor ``s`` measures: (lower type, higher type, -1 where that turns them round)."""
    ends = [
        _geoms(mj, int(t), int(i))
        for t, i in ((mj.sensor_objtype[s], mj.sensor_objid[s]), (mj.sensor_reftype[s], mj.sensor_refid[s]))
    ]
    key = lambda g: (int(mj.geom_type[g]), g)
    return [(a, b, 1) if key(a) <= key(b) else (b, a, -1) for a in ends[0] for b in ends[1]]


def sensor_geom_pairs(mj) -> np.ndarray:
    """All geom pairs that some sensor measures the distance of, [n, 2], lower type first."""
    kind = np.asarray(getattr(mj, "sensor_type", ()), int)
    pairs = [pair for s in np.flatnonzero(np.isin(kind, list(DISTANCE))) for pair in sensor_pairs(mj, s)]
    return np.array(pairs, int).reshape(-1, 3)[:, :2]


def _geoms(mj, kind: int, id: int) -> list:
    """A geom, or the geoms of a body."""
    if kind == MjtObj.GEOM:
        return [id]
    first = int(mj.body_geomadr[id])
    return list(range(first, first + int(mj.body_geomnum[id])))


def _noisy(kind, stage) -> list:
    """(sensor, stage by whose end it has measured) of all that the engine measures."""
    late = {MjtSensor.CONTACT, MjtSensor.TACTILE}
    return [
        (s, max(int(t), MjtStage.VEL) if k in late else int(t))
        for s, (k, t) in enumerate(zip(kind, stage))
        if k != MjtSensor.USER
    ]


def sensor_rays(mj) -> list[tuple[int, int]]:
    """Every ray of the rangefinders: the sensor and its number there."""
    kind = np.asarray(getattr(mj, "sensor_type", ()), int)
    return [(int(s), i) for s in np.flatnonzero(kind == MjtSensor.RANGEFINDER) for i in range(_rays(mj, s))]


def _rays(mj, s: int) -> int:
    """Rays of a rangefinder."""
    if mj.sensor_objtype[s] == MjtObj.SITE:
        return 1
    return int(np.prod(mj.cam_resolution[mj.sensor_objid[s]]))


def _cameras(mj, n: int) -> int:
    """All cameras where a sensor needs the frame of one, else 0."""
    used = n and MjtObj.CAMERA in (
        *np.asarray(mj.sensor_objtype),
        *np.asarray(mj.sensor_reftype)[np.asarray(mj.sensor_refid) >= 0],
    )
    return int(mj.ncam) if used else 0


def _per_sensor(mj, kind) -> dict:
    """Objects whose bounds are measured, and the first output of the actuators that are watched."""
    if not len(kind):
        return {}
    clamp = {MjtDataType.REAL: 1, MjtDataType.POSITIVE: 2}
    clamps = [0 if k in UNCLAMPED else clamp.get(int(t), 0) for k, t in zip(kind, mj.sensor_datatype)]
    outadr = np.asarray(getattr(mj, "actuator_outadr", np.arange(mj.nactuator)))
    out = [outadr[id] if k in ACTUATOR else 0 for k, id in zip(kind, mj.sensor_objid)]
    return {"sensor_clamp": clamps, "sense_out": out}


def seen_by_rays(mj) -> np.ndarray:
    """Mask [ngeom] of the geoms that rays hit: those that are not transparent, by their material where they have one."""
    n = int(mj.ngeom)
    alpha = np.asarray(mj.geom_rgba)[:, 3] if n and hasattr(mj, "geom_rgba") else np.ones(n)
    material = np.asarray(mj.geom_matid, int) if n and hasattr(mj, "geom_matid") else np.full(n, -1)
    if (material >= 0).any():
        alpha = np.where(material >= 0, np.asarray(mj.mat_rgba)[np.maximum(material, 0), 3], alpha)
    return alpha != 0


def _fixed(mj) -> np.ndarray:
    """Mask of the geoms that never move."""
    return np.asarray(mj.body_weldid)[np.asarray(mj.geom_bodyid, int)] == 0 if mj.ngeom else np.zeros(0)
