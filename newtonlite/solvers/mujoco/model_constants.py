"""Model constants on the device: recomputes what depends on masses and geometry at ``qpos0`` (MuJoCo's
``mj_setConst``).
"""

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco import pipeline

INPUTS = (
    "body_pos",
    "body_quat",
    "body_ipos",
    "body_iquat",
    "body_mass",
    "body_inertia",
    "jnt_pos",
    "jnt_axis",
    "dof_armature",
    "qpos0",
    "site_pos",
    "site_quat",
    "wrap_prm",
    "tendon_armature",
    "actuator_gear",
    "actuator_cranklength",
)
RESULTS = (
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
    "stat_meaninertia",
    "tendon_length0",
    "tendon_invweight0",
    "actuator_acc0",
)
"""Parameters that are read, and parameters that are written."""


def prepare(m, nworld: int, more: tuple = ()) -> None:
    """Give the results, and ``more`` parameters, a copy per world where any input has one; the only step that allocates."""
    if any(_is_per_world(m, name) for name in (*INPUTS, *more)):
        for name in (*RESULTS, *more):
            if m.arrays[name].size and m.arrays[name].shape[0] != nworld:
                m.set(name, m.arrays[name].numpy().repeat(nworld, axis=0))


def set_const(m, d, schedule, name: str = "set_const", more: tuple = ()) -> None:
    """Recompute ``RESULTS`` from ``INPUTS`` at ``qpos0``, in place. Can be recorded in a graph after ``prepare``.

    ``more`` stages run after these, in a program of another name. Contacts, rows and all that a step computes on the way are overwritten; state and inputs stay. Raises StateError
    where worlds differ and ``prepare`` was not called.
    """
    narrow = any(m.arrays[name].size and m.arrays[name].shape[0] < d.nworld for name in RESULTS)
    if narrow and any(_is_per_world(m, name) for name in INPUTS):
        raise StateError("set_const: worlds have parameters of their own; call constant.prepare(m, nworld) first")
    schedule.add(name, (*pipeline.SET_CONST, *more))
    schedule.run(name, 1, {"qpos": m.qpos0})


def _is_per_world(m, name: str) -> bool:
    return m.arrays[name].size > 0 and m.arrays[name].shape[0] > 1
