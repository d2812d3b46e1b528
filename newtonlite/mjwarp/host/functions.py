"""Functions of MuJoCo's Python module, over one world of the engine: ``mj_step(m, d)``, ``mj_name2id(m,
mjtObj.mjOBJ_BODY, "torso")``.
"""

import numpy as np
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import OBJECT_ELEMENTS, MjtObj
from newtonlite.mjwarp import jacobian, motion, stages, support, tangent
from newtonlite.mjwarp.data import reset_data, reset_data_keyframe
from newtonlite.solvers.mujoco.compile.named import id_of, name_of

STEPS = {
    "mj_step": stages.step,
    "mj_step1": stages.step1,
    "mj_step2": stages.step2,
    "mj_forward": stages.forward,
    "mj_inverse": stages.inverse,
    "mj_fwdPosition": stages.fwd_position,
    "mj_fwdVelocity": stages.fwd_velocity,
    "mj_fwdActuation": stages.fwd_actuation,
    "mj_fwdAcceleration": stages.fwd_acceleration,
    "mj_kinematics": stages.kinematics,
    "mj_comPos": stages.com_pos,
    "mj_camlight": stages.camlight,
    "mj_tendon": stages.tendon,
    "mj_crb": stages.crb,
    "mj_transmission": stages.transmission,
    "mj_collision": stages.collision,
    "mj_makeConstraint": stages.make_constraint,
    "mj_comVel": stages.com_vel,
    "mj_passive": stages.passive,
    "mj_subtreeVel": stages.subtree_vel,
    "mj_rnePostConstraint": stages.rne_postconstraint,
    "mj_sensorPos": stages.sensor_pos,
    "mj_sensorVel": stages.sensor_vel,
    "mj_sensorAcc": stages.sensor_acc,
    "mj_energyPos": stages.energy_pos,
    "mj_energyVel": stages.energy_vel,
    "mj_resetData": reset_data,
}
"""Functions of a model and a data, by the name they have there."""


def _over(name: str, function):
    def run(m, d, nstep: int = 1) -> None:
        d._follow()
        for _ in range(nstep):
            function(d._engine, d._data)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = function.__doc__
    return run


globals().update({name: _over(name, function) for name, function in STEPS.items()})


def mj_resetDataKeyframe(m, d, key: int) -> None:
    """Put the data back to a keyframe; StateError for one that does not exist."""
    d._follow()
    reset_data_keyframe(d._engine, d._data, key)


def mj_name2id(m, type: int, name: str) -> int:
    """Number of the thing with a name, ``type`` an ``mjtObj``; -1 where there is none."""
    return id_of(m, _kind(type), name)


def mj_id2name(m, type: int, id: int) -> str | None:
    """Name of a thing; None where it has none, or there is none of this number."""
    return name_of(m, _kind(type), id) or None


def _kind(objtype: int) -> str:
    if int(objtype) not in OBJECT_ELEMENTS:
        raise ModelError(f"mjtObj {int(objtype)}: such things have no names here")
    return OBJECT_ELEMENTS[MjtObj(objtype)]


def mj_isSparse(m) -> int:
    """0: Jacobians are dense in this engine, whatever the option says."""
    return 0


def mj_fullM(m, d, dst=None) -> np.ndarray:
    """The joint-space inertia ``[nv, nv]``, as the last ``mj_forward`` left it; also written into ``dst`` where given."""
    full = np.array(d.M, float)
    if dst is not None:
        dst[...] = full
    return full


def mj_objectVelocity(m, d, objtype: int, objid: int, res: np.ndarray, flg_local: int) -> None:
    """Angular and linear velocity ``res [6]`` of an object."""
    _moved(motion.object_velocity, d, objtype, objid, res, flg_local)


def mj_objectAcceleration(m, d, objtype: int, objid: int, res: np.ndarray, flg_local: int) -> None:
    """Angular and linear acceleration ``res [6]`` of an object. Needs ``mj_rnePostConstraint``."""
    _moved(motion.object_acceleration, d, objtype, objid, res, flg_local)


def _moved(function, d, objtype, objid, res, local) -> None:
    found = wp.zeros(d._data.nworld, dtype=wp.spatial_vector, device=d._engine.device)
    function(d._engine, d._data, int(objtype), int(objid), found, bool(local))
    np.reshape(res, 6)[...] = found.numpy()[d._world]


def mj_contactForce(m, d, id: int, result: np.ndarray) -> None:
    """Force and torque ``result [6]`` of a contact, in its frame."""
    before = int(d._data.engine.ncon.numpy()[: d._world].sum())
    force = wp.zeros(1, dtype=wp.spatial_vector, device=d._engine.device)
    support.contact_force(d._engine, d._data, wp.array([before + id], dtype=int, device=d._engine.device), False, force)
    np.reshape(result, 6)[...] = force.numpy()[0]


def mj_jacBody(m, d, jacp, jacr, body: int) -> None:
    """Jacobians ``[3, nv]`` of a body's frame; either may be None."""
    _jacobian(jacobian.jac_body, d, jacp, jacr, body)


def mj_jacBodyCom(m, d, jacp, jacr, body: int) -> None:
    """Jacobians ``[3, nv]`` of a body's centre of mass."""
    _jacobian(jacobian.jac_body_com, d, jacp, jacr, body)


def mj_jacSite(m, d, jacp, jacr, site: int) -> None:
    """Jacobians ``[3, nv]`` of a site."""
    _jacobian(jacobian.jac_site, d, jacp, jacr, site)


def mj_jacGeom(m, d, jacp, jacr, geom: int) -> None:
    """Jacobians ``[3, nv]`` of a geom."""
    _jacobian(jacobian.jac_geom, d, jacp, jacr, geom)


def _jacobian(function, d, jacp, jacr, index) -> None:
    made = [
        None if a is None else wp.zeros((d._data.nworld, 3, d._engine.nv), dtype=float, device=d._engine.device)
        for a in (jacp, jacr)
    ]
    ids = wp.full(d._data.nworld, int(index), dtype=int, device=d._engine.device)
    function(d._engine, d._data, *made, ids)
    for target, found in zip((jacp, jacr), made, strict=True):
        if target is not None:
            np.reshape(target, (3, -1))[...] = found.numpy()[d._world]


def mj_integratePos(m, qpos: np.ndarray, qvel: np.ndarray, dt: float) -> None:
    """``qpos (+) qvel dt`` in place."""
    from newtonlite.mjwarp.model import put_model

    rows = [wp.array(np.reshape(a, (1, -1)), dtype=float, device="cpu") for a in (qpos, qvel)]
    tangent.integrate_pos(put_model(m, device="cpu"), *rows, dt)
    qpos[...] = rows[0].numpy()[0]


def mju_quat2Mat(res: np.ndarray, quat: np.ndarray) -> None:
    """Rotation matrix ``res [9]`` of a quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(quat, float)
    np.reshape(res, 9)[...] = (
        w * w + x * x - y * y - z * z,
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    )


__all__ = [*STEPS, *(name for name in list(globals()) if name.startswith(("mj_", "mju_")) and name not in STEPS)]
