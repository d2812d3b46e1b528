"""Actuators: first those of joint targets, then those of the ``mujoco`` namespace.

Each control is read from one place of Newton's ``Control``, given by ``ctrl_from`` (a ``ControlSource``) and ``ctrl_index``.
"""

import numpy as np

from newtonlite.solvers.mujoco.bindings import actuator
from newtonlite.solvers.mujoco.bindings.table import fill_fields
from newtonlite.solvers.mujoco.compile.actuator_rows import INTS, OUTPUT, REALS, WIDTH, ActuatorRows, ControlSource
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from newtonlite.solvers.mujoco.compile.mujoco_actuators import own_actuators
from newtonlite.solvers.mujoco.compile.target_actuators import target_actuators
from newtonlite.solvers.mujoco.compile.worlds import Worlds
from newtonlite.solvers.mujoco.derive.actuator import JOINTS, TENDONS, loaded

__all__ = ["ControlSource", "compile_actuators"]


def compile_actuators(m: CompiledModel, w: Worlds) -> None:
    """Fill the actuator arrays."""
    rows = ActuatorRows()
    target_actuators(m, w, rows)
    own_actuators(m, w, rows)
    m.nactuator = len(rows.rows)
    m.names_actuator = [row.get("label", "") for row in rows.rows]
    m.set(**{f"actuator_{name}": rows.column(name) for name in (*INTS, *REALS, *WIDTH)})
    m.set(actuator_ctrllimited=rows.control_column("limited", 0), newton_ctrlrange=rows.control_column("range", 0))
    m.set(ctrl_from=rows.control_column("source", 0), ctrl_index=rows.control_column("index", 0))
    m.set(newton_actuator=rows.column("own"), newton_drive=rows.column("drive"))
    place_actuators(m, rows)
    m.set(**{f"actuator_{name}": rows.output_column(name) for name in OUTPUT})
    fill_fields(m, w, (*actuator.BINDS, *actuator.SHARES))
    m.set(**actuator.target_gains.numpy(m, w))
    m.jnt_actuatorid, m.tendon_actuatorid = loaders(m, m.njnt, JOINTS), loaders(m, m.ntendon, TENDONS)


def place_actuators(m: CompiledModel, rows: ActuatorRows) -> None:
    """Addresses of the controls, outputs, activations and buffers of each actuator."""
    m.actuator_ctrlnum = np.array([len(row["controls"]) for row in rows.rows], np.int32)
    m.actuator_outnum = np.array([row["outputs"] for row in rows.rows], np.int32)
    samples = m.actuator_history[:, 0]
    buffers = np.where(samples > 0, 2 + samples * (1 + m.actuator_ctrlnum), 0)
    m.nu, m.nout, m.na, m.nhistory = (
        int(n.sum()) for n in (m.actuator_ctrlnum, m.actuator_outnum, m.actuator_actnum, buffers)
    )
    m.actuator_ctrladr, m.actuator_outadr = first(m.actuator_ctrlnum), first(m.actuator_outnum)
    m.actuator_actadr = np.where(m.actuator_actnum > 0, first(m.actuator_actnum), -1).astype(np.int32)
    m.actuator_historyadr = np.where(buffers > 0, first(buffers), -1).astype(np.int32)


def first(count) -> np.ndarray:
    """Address of each part, parts of ``count`` lying one after the other."""
    return (np.cumsum(count) - count).astype(np.int32)


def loaders(m: CompiledModel, size: int, kinds: tuple) -> np.ndarray:
    """For each joint or tendon the actuator that adds damping or armature to it; -1 none, -2 several."""
    found = np.full(size, -1, np.int32)
    for u in np.flatnonzero(loaded(m)):
        if m.actuator_trntype[u] in kinds:
            target = m.actuator_trnid[u, 0]
            found[target] = u if found[target] == -1 else -2
    return found
