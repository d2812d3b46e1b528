"""What MuJoCo C, reached through the oracle, answers when asked: Jacobians, motions, derivatives, buffers,
enumerations.
"""

import numpy as np

from tests.oracle import States, differentiate_pos, load, mujoco


def jacobians(model, data, what: str, index: int) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians [3, nv] of position and rotation of a body, its centre of mass, a geom, a site, or a subtree's centre
    of mass.
    """
    names = {"body": "Body", "body_com": "BodyCom", "geom": "Geom", "site": "Site", "subtree_com": "SubtreeCom"}
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    function = getattr(mujoco, f"mj_jac{names[what]}")
    function(model, data, jacp, index) if what == "subtree_com" else function(model, data, jacp, jacr, index)
    return jacp, jacr


def jacobian_rates(model, data, point, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Rates [3, nv] of the Jacobians of a point of a body."""
    jacp, jacr = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jacDot(model, data, jacp, jacr, np.asarray(point, float), body)
    return jacp, jacr


def object_motion(model, data, kind: int, index: int, local: bool) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and acceleration [6] of an object."""
    velocity, acceleration = np.zeros(6), np.zeros(6)
    mujoco.mj_rnePostConstraint(model, data)
    mujoco.mj_objectVelocity(model, data, kind, index, velocity, local)
    mujoco.mj_objectAcceleration(model, data, kind, index, acceleration, local)
    return velocity, acceleration


def inverse_matrices(model, states: States, index: int, qacc, eps: float = 1e-4, actuation: bool = False) -> dict:
    """Derivatives of inverse dynamics at one state, by name, as MuJoCo lays them out; of sensors too."""
    data = load(model, states, index)
    mujoco.mj_forward(model, data)
    data.qacc[:] = qacc
    square, wide = (model.nv, model.nv), (model.nv, model.nsensordata)
    out = {n: np.zeros(square) for n in ("DfDq", "DfDv", "DfDa")} | {
        n: np.zeros(wide) for n in ("DsDq", "DsDv", "DsDa")
    }
    mujoco.mjd_inverseFD(model, data, eps, actuation, *out.values(), None)
    return out


def step_matrices(model, states: States, index: int, eps: float = 1e-4) -> tuple[np.ndarray, ...]:
    """A, B, C, D of a step from one state by steps from both sides of it, whatever the integrator."""
    nv, na = model.nv, model.na
    ends = []
    for column in range(2 * nv + na + model.nu):
        pair = []
        for h in (eps, -eps):
            data = load(model, states, index)
            if column < nv:
                mujoco.mj_integratePos(model, data.qpos, (np.arange(nv) == column).astype(float), h)
            else:
                part, at = (
                    (data.qvel, nv)
                    if column < 2 * nv
                    else (data.act, 2 * nv)
                    if column < 2 * nv + na
                    else (data.ctrl, 2 * nv + na)
                )
                part[column - at] += h
            mujoco.mj_step(model, data)
            pair.append([data.qpos.copy(), data.qvel.copy(), data.act.copy(), data.sensordata.copy()])
        moved = differentiate_pos(model, 2 * eps, pair[1][0], pair[0][0])
        ends.append(
            (
                np.concatenate([moved, *((p - q) / (2 * eps) for p, q in zip(pair[0][1:3], pair[1][1:3]))]),
                (pair[0][3] - pair[1][3]) / (2 * eps),
            )
        )
    state, sensors = (np.array(rows).T for rows in zip(*ends, strict=True))
    nx = 2 * nv + na
    return state[:, :nx], state[:, nx:], sensors[:, :nx], sensors[:, nx:]


def read_history(model, data, kind: str, index: int, time: float, interp: int) -> np.ndarray:
    """What ``mj_readCtrl`` or ``mj_readSensor`` gives for one actuator or sensor."""
    width = int(model.actuator_ctrlnum[index] if kind == "ctrl" else model.sensor_dim[index])
    result = np.zeros(width)
    function = mujoco.mj_readCtrl if kind == "ctrl" else mujoco.mj_readSensor
    found = function(model, data, index, time, result, interp)
    return result if found is None else np.array(found, ndmin=1)  # a copy: what is found lies in the data


def enum_members(name: str) -> dict[str, int]:
    """Members of one of MuJoCo's enumerations."""
    return {key: int(value) for key, value in getattr(mujoco, name).__members__.items()}


def velocity_slopes(model, data) -> np.ndarray:
    """Derivative [nv, nv] of smooth forces by velocity that an implicit step of forwarded data takes in."""
    mujoco.mj_implicit(model, data)
    D = np.zeros((model.nv, model.nv))
    for i in range(model.nv):
        at = (
            model.D_rowadr[i] + np.arange(model.D_rownnz[i])
            if hasattr(model, "D_rowadr")
            else data.D_rowadr[i] + np.arange(data.D_rownnz[i])
        )
        D[i, (model if hasattr(model, "D_colind") else data).D_colind[at]] = data.qDeriv[at]
    return D
