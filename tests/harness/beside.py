"""A solver beside MuJoCo C: the same file on both sides, and MuJoCo's states, controls and activations in the scene's
words.
"""

import warnings

import numpy as np

from newtonlite.core.errors import NewtonWarning
from newtonlite.core.mujoco import MjtGeom
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.compile.actuators import ControlSource
from tests.harness.engine_scenes import builder
from tests.oracle import States, compile_xml


def load(path, device, count: int, ctrl_direct: bool = True, **options):
    """The oracle, and a solver for as many worlds; controls are written directly, or those of servos as joint targets."""
    one, b = builder(), builder()
    one.add_mjcf(str(path), ctrl_direct=ctrl_direct, convert_mjc_equality_constraints=False)
    b.replicate(one, count)
    oracle, model = compile_xml(path), b.finalize(device=device)
    boxed = oracle.geom_margin.any() and np.isin(oracle.geom_type, (MjtGeom.BOX, MjtGeom.MESH)).any()
    with warnings.catch_warnings():
        if boxed:
            warnings.simplefilter("ignore", NewtonWarning)
        solver = SolverMuJoCo(model, **options)
    return authored(oracle, solver.mj_model), solver


def authored(oracle, m):
    """MuJoCo without what SolverMuJoCo keeps from the engine, by Newton's rules: gap, and margins beside boxes (rows
    N-082, N-083).
    """
    oracle.geom_gap[:] = 0.0
    if not m.geom_margin.any():
        oracle.geom_margin[:] = 0.0
    return oracle


def to_scene(m, states: States) -> tuple[np.ndarray, np.ndarray]:
    """joint_q and joint_qd, [n, ...] each, of MuJoCo's states. Newton's words, written down once more."""
    n = len(states.qpos)
    q, qd = np.zeros((n, len(m.newton_coord))), np.zeros((n, len(m.newton_dof)))
    for j, kind in enumerate(m.jnt_type):
        adr, dof = m.jnt_qposadr[j], m.jnt_dofadr[j]
        coord, speed = m.newton_coord[adr], m.newton_dof[dof]
        if kind >= 2:
            q[:, coord] = states.qpos[:, adr] - m.qpos0[adr]
            qd[:, speed] = states.qvel[:, dof]
            continue
        quat = states.qpos[:, adr + (3 if kind == 0 else 0) :][:, :4]
        R = rotations(quat)
        if kind == 1:
            q[:, coord : coord + 4] = quat[:, [1, 2, 3, 0]]
            qd[:, speed : speed + 3] = np.einsum("nij,nj->ni", R, states.qvel[:, dof : dof + 3])
            continue
        omega = np.einsum("nij,nj->ni", R, states.qvel[:, dof + 3 : dof + 6])
        arm = np.einsum("nij,j->ni", R, m.body_ipos[m.jnt_bodyid[j]])
        q[:, coord : coord + 3] = states.qpos[:, adr : adr + 3]
        q[:, coord + 3 : coord + 7] = quat[:, [1, 2, 3, 0]]
        qd[:, speed : speed + 3] = states.qvel[:, dof : dof + 3] + np.cross(omega, arm)
        qd[:, speed + 3 : speed + 6] = omega
    return q, qd


def rotations(q) -> np.ndarray:
    """Matrices [n, 3, 3] of (w, x, y, z) quaternions."""
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def write_controls(m, control, ctrl):
    """MuJoCo's controls to where each actuator reads its own."""
    n = len(ctrl)
    places = {ControlSource.TARGET_Q: control.joint_target_q, ControlSource.TARGET_QD: control.joint_target_qd}
    if m.nu:
        places[ControlSource.CTRL] = control.mujoco.ctrl
    actuator = np.repeat(np.arange(m.nactuator), m.actuator_ctrlnum)
    for source, array in places.items():
        values = array.numpy().reshape(n, -1)
        for u in np.flatnonzero(m.ctrl_from == source):
            ref = m.qpos0[m.jnt_qposadr[m.actuator_trnid[actuator[u], 0]]] if source == ControlSource.TARGET_Q else 0.0
            values[:, m.ctrl_index[u]] = ctrl[:, u] - ref
        array.assign(values.ravel())
    if (m.ctrl_from > ControlSource.CTRL).any():
        more = control.mujoco.ctrl_more.numpy().reshape(n, -1, 3)
        for u in np.flatnonzero(m.ctrl_from > ControlSource.CTRL):
            more[:, m.ctrl_index[u], m.ctrl_from[u] - ControlSource.MORE_1] = ctrl[:, u]
        control.mujoco.ctrl_more.assign(more.reshape(-1, 3))


def write_activations(data, states: States):
    """Activations and buffers live in the solver's data, from step to step."""
    for name in ("act", "history"):
        if getattr(states, name).shape[1]:
            getattr(data, name).assign(getattr(states, name).astype(np.float32))
    if states.time.shape[1]:
        data.time.assign(states.time[:, 0].astype(np.float32))
