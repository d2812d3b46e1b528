"""Index maps between the scene's objects and the engine's, under the names of Newton's solver."""

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.compile.actuator_rows import ControlSource
from newtonlite.solvers.mujoco.derive.equality import AUTHORED, FOLLOWER, LOOP, MIMIC

TABLES = {
    "mjc_body_to_newton": ("body", lambda mj: mj.newton_body),
    "mjc_geom_to_newton_shape": ("shape", lambda mj: mj.newton_geom),
    "mjc_jnt_to_newton_jnt": ("joint", lambda mj: mj.newton_joint),
    "mjc_jnt_to_newton_dof": ("dof", lambda mj: np.asarray(mj.newton_dof)[mj.jnt_dofadr]),
    "mjc_dof_to_newton_dof": ("dof", lambda mj: mj.newton_dof),
    "mjc_tendon_to_newton_tendon": ("mujoco:tendon", lambda mj: mj.newton_tendon),
    "mjc_mocap_to_newton_jnt": (
        "joint",
        lambda mj: np.asarray(mj.newton_carrier)[np.argsort(mj.body_mocapid, kind="stable")[mj.nbody - mj.nmocap :]],
    ),
    "mjc_eq_to_newton_eq": ("mujoco:equality_constraint", lambda mj: tied(mj, AUTHORED)),
    "mjc_eq_to_newton_mimic": ("constraint_mimic", lambda mj: tied(mj, MIMIC)),
    "mjc_eq_to_newton_joint_mimic": ("joint", lambda mj: tied(mj, FOLLOWER)),
    "mjc_eq_to_newton_jnt": ("joint", lambda mj: tied(mj, LOOP)),
}
"""Kind of the scene's things, and their numbers within a world."""


TARGET_Q, TARGET_QD, BALL_X, CTRL = (
    ControlSource.TARGET_Q,
    ControlSource.TARGET_QD,
    ControlSource.BALL_X,
    ControlSource.CTRL,
)


def control_sources(mj) -> np.ndarray:
    """Control sources: for each control 0 where it follows a joint's target, 1 where it is one of
    ``control.mujoco.ctrl``."""
    return (np.asarray(mj.ctrl_from) >= CTRL).astype(np.int32)


def control_rows(mj) -> np.ndarray:
    """For each control its row of ``control.mujoco.ctrl``; of those that follow joint targets the dof, as ``dof`` where
    it is the position's and ``-(dof + 2)`` where it is the velocity's.
    """
    owner = np.repeat(np.arange(int(mj.nactuator)), np.asarray(mj.actuator_ctrlnum))
    source, joint = np.asarray(mj.ctrl_from), np.asarray(mj.actuator_trnid).reshape(-1, 2)[owner, 0]
    turned = np.where((source >= BALL_X) & (source < CTRL), source - BALL_X, 0)
    follows = source < CTRL
    dof = np.full(len(owner), -1)
    first = np.asarray(mj.jnt_dofadr)[joint[follows]]
    dof[follows] = np.asarray(mj.newton_dof)[first + turned[follows]]
    rows = np.where(source == TARGET_QD, -(dof + 2), dof)
    return np.where(follows, rows, np.asarray(mj.newton_actuator)[owner]).astype(np.int32)


def actuator_rows(mj) -> np.ndarray:
    """Actuator rows: for each control the row of its actuator in ``model.mujoco``; -1 for those that a joint's target
    mode made."""
    return np.repeat(np.asarray(mj.newton_actuator), np.asarray(mj.actuator_ctrlnum)).astype(np.int32)


CONTROLS = {
    "mjc_actuator_ctrl_source": control_sources,
    "mjc_actuator_to_newton_idx": control_rows,
    "mjc_actuator_to_newton_actuator_idx": actuator_rows,
}
"""Numbers of the controls within a world, [nu]."""


def tied(mj, kind: int) -> np.ndarray:
    """Constraint rows: for each equality constraint the row that it was made from, where that is of a kind; -1
    elsewhere."""
    source = np.asarray(mj.eq_source).reshape(-1, 2)
    return np.where(source[:, 0] == kind, source[:, 1], -1)


def index_map(solver, name: str) -> wp.array:
    """A table of a solver: indices into the scene's arrays, int [nworld, n], -1 for none, n being that of the engine
    that has most. It is made anew by each call.
    """
    kind, choose = TABLES[name]
    locals_ = [np.asarray(choose(engine.mj_model), int) for engine in solver.groups]
    found = np.full((solver.nworld, max(map(len, locals_))), -1, np.int32)
    for engine, local in zip(solver.groups, locals_, strict=True):
        own = np.flatnonzero(local >= 0)
        if len(own):
            worlds = range(1) if engine.worlds is None else engine.worlds
            found[np.ix_(worlds, own)] = engine.worlds_view.rows(kind)[:, local[own]]
    return wp.array(found, dtype=int, device=solver.device)


class IndexMapMethods:
    """The solver's tables, of all worlds: ``solver.mjc_body_to_newton`` [nworld, nbody] and its like."""


def geoms_of_shapes(solver) -> wp.array:
    """Geom rows: for each shape of the scene its geom in the engine of its world, -1 for none; of a shape in all worlds
    that of the first.
    """
    found = np.full(solver.model.shape_count, -1, np.int32)
    for engine in reversed(solver.groups):
        for row in reversed(engine.shapes):
            found[row] = np.arange(len(row))
    return wp.array(found, dtype=int, device=solver.device)


IndexMapMethods.newton_shape_to_mjc_geom = property(geoms_of_shapes, doc=geoms_of_shapes.__doc__)
for _name in TABLES:
    setattr(
        IndexMapMethods,
        _name,
        property(
            lambda self, name=_name: index_map(self, name),
            doc=f"{_name}: indices into the scene's arrays, [nworld, n], -1 for none.",
        ),
    )
for _name, _find in CONTROLS.items():
    setattr(
        IndexMapMethods,
        _name,
        property(
            lambda self, find=_find: wp.array(find(self.only.mj_model), dtype=int, device=self.device),
            doc=" ".join((_find.__doc__ or "").split()),
        ),
    )
