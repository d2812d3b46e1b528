"""Following the scene's model on the device: masses, inertias, armature, damping and gravity, and all that depends on them.

What is written has one copy per world from the first time on, so that later calls allocate nothing and can be recorded in a graph.
"""

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import StateError
from newtonlite.sim.attributes import find_attribute
from newtonlite.solvers.mujoco import constant
from newtonlite.solvers.mujoco.compile.worlds import kind_of
from newtonlite.solvers.mujoco.kernels.convert.follow import follow_bodies, follow_dofs, follow_limits

INERTIAL = ModelFlags.BODY_INERTIAL_PROPERTIES
DOFS = ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES
GRAVITY = ModelFlags.MODEL_PROPERTIES
COVERED = INERTIAL | DOFS | GRAVITY
BODY_FIELDS = ("body_mass", "body_ipos", "body_iquat", "body_inertia")


class Follower:
    """Device copies of the tables that following needs; ``covers`` says for which flags it suffices."""

    def __init__(self, engine):
        self.engine, self.model, self.device, self.nworld = engine, engine.model, engine.device, engine.nworld
        mj = engine.mj_model
        self.nbody, self.nv, self.njnt = mj.nbody, mj.nv, mj.njnt
        table = lambda values: wp.array(np.asarray(values, np.int32), dtype=int, device=self.device)  # noqa: E731
        self.link, self.dof = table(mj.newton_body), table(mj.newton_dof)
        self.first = table(mj.newton_dof[mj.jnt_dofadr]) if mj.njnt else table([])
        self.simple = is_simple(engine.model, mj)

    def covers(self, flags: int) -> bool:
        """Whether nothing but what is followed here may have changed."""
        return self.simple and not flags & ~COVERED

    def rows(self, name: str) -> wp.array:
        """An attribute of the model with one row per world."""
        rows, copy = self.engine.rows.bring(find_attribute(self.model, name), kind_of(self.model.get_attribute_frequency(name)))
        if copy is not None:
            copy.fill()
        return rows

    def prepare(self, flags: int) -> None:
        """Give what will be written a copy per world; StateError where that is needed while a graph is recorded."""
        m = self.engine.mjw_model
        wanted = BODY_FIELDS * bool(flags & INERTIAL) + ("dof_armature",) * bool(flags & DOFS)
        wanted += (*constant.RESULTS, "jnt_solref") * bool(flags & (INERTIAL | DOFS)) + ("opt_gravity",) * bool(flags & GRAVITY)
        narrow = [name for name in wanted if m.arrays[name].size and m.arrays[name].shape[0] != self.nworld]
        if narrow and self.device.is_capturing:
            raise StateError("notify_model_changed: needs room for values per world; call it once with these flags before recording a graph")
        for name in narrow:
            m.set(name, m.arrays[name].numpy().repeat(self.nworld, axis=0))

    def follow(self, flags: int) -> None:
        """Write what the flags name, and recompute what follows from it."""
        self.prepare(flags)
        m = self.engine.mjw_model
        launch = lambda kernel, n, inputs: wp.launch(kernel, dim=(self.nworld, n), inputs=inputs, device=self.device)  # noqa: E731
        if flags & INERTIAL:
            sources = [self.rows(name) for name in ("body_mass", "body_com", "body_inertia")]
            launch(follow_bodies, self.nbody, [self.link, *sources, *(m.arrays[name] for name in BODY_FIELDS)])
        if flags & DOFS and self.nv:
            launch(follow_dofs, self.nv, [self.dof, self.rows("joint_armature"), m.dof_armature])
        if flags & (INERTIAL | DOFS):
            constant.set_const(m, self.engine.mjw_data, self.engine.schedule)
            self.limits(launch, m)
        if flags & GRAVITY:
            wp.copy(m.opt_gravity.reshape((self.nworld, 1)), self.rows("gravity"))

    def limits(self, launch, m) -> None:
        """Gains of limits, which depend on inverse weights."""
        if not self.njnt:
            return
        names = ("joint_limit_ke", "joint_limit_kd", "mujoco:solreflimit_mode", "mujoco:solreflimit", "mujoco:solreflimit_gain_baseline")
        sources = [self.rows(name) for name in names]
        launch(follow_limits, self.njnt, [self.first, m.jnt_dofadr, *sources, m.jnt_solimp, m.dof_invweight0, m.jnt_solref])


def is_simple(model, mj) -> bool:
    """No prescribed dofs, actuators with inertia or a damping ratio, or gains of tendons: what the host alone resolves."""
    space = getattr(model, "mujoco", None)
    if space is None or not hasattr(space, "solreflimit_mode") or not mj.dof_counted.all():
        return False
    if any(np.any(getattr(mj, f"actuator_{name}", 0)) for name in ("armature", "damping", "dampingpoly")):
        return False
    rows = model.custom_frequency_counts.get("mujoco:actuator", 0)
    if rows and (space.actuator_biasprm.numpy()[:, 2] > 0).any():
        return False
    tendons = model.custom_frequency_counts.get("mujoco:tendon", 0)
    return not tendons or bool((space.tendon_solref_limit_mode.numpy() != 0).all())
