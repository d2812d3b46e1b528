"""Watching for changes of a scene that decide which lists and kernels an engine has: types, links, a friction where there was none.

What is compared is what ``compile.groups`` calls structure, and real numbers that something exists by. It happens on the device.
"""

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment
from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.core.types import MAXVAL
from newtonlite.sim.attributes import find_attribute
from newtonlite.solvers.mujoco.adapter import moves
from newtonlite.solvers.mujoco.adapter.frozen import Frozen
from newtonlite.solvers.mujoco.compile.actuators import Source
from newtonlite.solvers.mujoco.compile.groups import NOT_STRUCTURE, PLACES, REFERS, TYPED
from newtonlite.solvers.mujoco.compile.tendons import LIMITED_AUTO
from newtonlite.solvers.mujoco.compile.worlds import as_numpy, kind_of
from newtonlite.solvers.mujoco.derive.slider import is_loaded, loads, may_slide
from newtonlite.solvers.mujoco.enums import AFFINE, BALL, DYN_DCMOTOR, DYN_PID, FREE, HFIELD, MESH, TRN_SITE, TRN_SO3
from newtonlite.solvers.mujoco.kernels.convert import watch as kernels

FOLLOWED = ("mujoco:solreflimit_mode", "mujoco:solref_mode", "mujoco:tendon_solref_limit_mode", "mujoco:equality_constraint_enabled", "constraint_mimic_enabled")
"""Integers that are followed like numbers."""
DOFS = moves.REFERENCE | moves.INERTIAL
SLIDES = Flag.JOINT_PROPERTIES | Flag.JOINT_DOF_PROPERTIES | Flag.BODY_PROPERTIES | Flag.BODY_INERTIAL_PROPERTIES | Flag.JOINT_REFERENCE_POSE_PROPERTIES
"""Flags by which a body may come to slide only, or cease to."""
ANY_JOINT = DOFS | Flag.JOINT_PROPERTIES | Flag.CONSTRAINT_PROPERTIES | Flag.ACTUATOR_PROPERTIES
FLAGS = {
    "body": Flag.BODY_PROPERTIES, "joint": ANY_JOINT, "dof": ANY_JOINT, "coord": ANY_JOINT,
    "shape": Flag.SHAPE_PROPERTIES | Flag.SHAPE_TYPE_AND_SOURCE, "mujoco:pair": Flag.SHAPE_PROPERTIES, "mujoco:exclude": Flag.SHAPE_PROPERTIES,
    "mujoco:actuator": Flag.ACTUATOR_PROPERTIES, "mujoco:tendon": Flag.TENDON_PROPERTIES, "mujoco:tendon_joint": Flag.TENDON_PROPERTIES,
    "mujoco:tendon_wrap": Flag.TENDON_PROPERTIES, "mujoco:equality_constraint": Flag.CONSTRAINT_PROPERTIES,
    "constraint_mimic": Flag.CONSTRAINT_PROPERTIES,
}  # fmt: skip
"""Which flags tell of things of a kind; ``MODEL_PROPERTIES`` of all others."""
TESTS = {
    kernels.POSITIVE: lambda x: x > 0,
    kernels.NONZERO: lambda x: x != 0,
    kernels.FINITE: lambda x: np.abs(x) < MAXVAL,
    kernels.FEEBLE: lambda x: np.abs(x) < kernels.STRONGEST,
}
REALS = {
    "joint_friction": kernels.POSITIVE, "mujoco:jnt_springyield": kernels.POSITIVE, "mujoco:jnt_actfrcrange": kernels.NONZERO,
    "mujoco:jnt_stiffnesspoly": kernels.NONZERO, "mujoco:dof_dampingpoly": kernels.NONZERO, "mujoco:jnt_springdamper": kernels.NONZERO,
    "mujoco:gravcomp": kernels.NONZERO, "mujoco:tendon_frictionloss": kernels.POSITIVE, "mujoco:tendon_springyield": kernels.POSITIVE,
    "mujoco:tendon_armature": kernels.NONZERO, "mujoco:actuator_armature": kernels.NONZERO, "mujoco:actuator_damping": kernels.NONZERO,
    "mujoco:actuator_dampingpoly": kernels.NONZERO, "mujoco:geom_adhesion": kernels.NONZERO, "mujoco:pair_adhesion": kernels.NONZERO,
    "mujoco:geom_surfacevel": kernels.NONZERO,
}  # fmt: skip
"""Numbers that something exists by: where the test fails in all worlds, it must not come true."""

ONE_FOR_ALL = ("mujoco:gravcomp", "mujoco:jnt_stiffnesspoly", "mujoco:dof_dampingpoly", "mujoco:geom_adhesion", "mujoco:pair_adhesion", "mujoco:geom_surfacevel")
"""Those of which one that passes is enough for all."""


class Watch:
    """The checks of one engine; ``follower`` finds the scene's arrays and knows the compiled model."""

    def __init__(self, follower):
        self.f, self.mj, self.w = follower, follower.mj, follower.engine.view()
        self.names: list[str] = [""]
        self.checks: list[tuple] = []  # flags, launch
        self.found = wp.zeros(1, dtype=int, device=follower.device)
        self.seen = wp.zeros(1, dtype=int, device="cpu", pinned=follower.device.is_cuda)
        self.frozen = Frozen(follower)
        self.view = self.seen.numpy()
        self.sources = [id(source) for source in follower.model.shape_source]
        self._integers()
        self._reals()
        self._strict()
        self._sliders()

    def run(self, flags: int) -> None:
        """Launch what concerns these flags."""
        self.found.zero_()
        for wanted, launch in self.checks:
            if wanted & flags:
                launch()
        self.frozen.run(flags)

    def read(self, flags: int) -> str:
        """Name of an attribute whose change alters the engine's structure, '' for none; waits for the device. Warns of what is not followed."""
        if flags & Flag.SHAPE_TYPE_AND_SOURCE and self.sources != [id(source) for source in self.f.model.shape_source]:
            return "shape_source"
        wp.copy(self.seen, self.found)
        self.frozen.fetch()
        if self.f.device.is_cuda:
            wp.synchronize_stream(self.f.device)
        self.frozen.tell()
        return self.names[int(self.view[0])]

    def _add(self, name: str, kind: str, kernel, count: int, inputs) -> None:
        """A check of an attribute; ``inputs(number)`` gives the kernel's."""
        number = len(self.names)
        self.names.append(name)
        flags = FLAGS.get(kind, Flag.MODEL_PROPERTIES)
        launch = lambda: wp.launch(kernel, dim=(self.f.nworld, count), inputs=inputs(number), device=self.f.device)  # noqa: E731
        self.checks.append((int(flags), launch))

    # what is watched

    def _integers(self) -> None:
        """Integers and switches of all things; links as they are numbered from world to world."""
        for name, spec in self.f.model.attribute_specs.items():
            kind = kind_of(spec.frequency)
            if spec.assignment != AttributeAssignment.MODEL or name in (*FOLLOWED, *NOT_STRUCTURE[:1]) or name.endswith(PLACES):
                continue
            array = find_attribute(self.f.model, name) if self.w.has(name) else None
            if not isinstance(array, wp.array) or array.ndim > 1 or kind in ("once", "world", "articulation") or not self.w.size(kind):
                continue
            if array.dtype == wp.bool:
                self._switches(name, kind)
            elif getattr(array.dtype, "_wp_scalar_type_", array.dtype) in (wp.int32, wp.int64):
                refers = REFERS.get(name, spec.references)
                even = self.f.engine.rows.evenly(kind_of(refers)) if refers is not None else (0, 0)
                self._equal(name, kind, step=None if even is None or name in TYPED else even[1])

    def _switches(self, name: str, kind: str) -> None:
        array = lambda: find_attribute(self.f.model, name)  # noqa: E731
        index, expected = self.f.engine.rows.index(kind), self.f.table(self.w.first(name).astype(int))
        self._add(name, kind, kernels.watch_flags, len(expected), lambda number: [array(), index, expected, number, self.found])

    def _equal(self, name: str, kind: str, step: int | None = None, only=None) -> None:
        """Words of an attribute stay as they are; without ``step`` a copy of every world's is kept. ``only`` are words of a world."""
        values = as_numpy(find_attribute(self.f.model, name))[self.w.rows(kind)]
        values = np.ascontiguousarray(values if step is None else values[:1])
        values = values.reshape(len(values), -1).view(np.int32)
        table = np.arange(values.shape[1]) if only is None else np.asarray(only, int)
        if len(table):
            expected = wp.array(np.ascontiguousarray(values[:, table]), dtype=int, device=self.f.device)
            chosen = self.f.table(table)
            inputs = lambda number: [self.f.words(name, int), chosen, expected, step or 0, number, self.found]  # noqa: E731
            self._add(name, kind, kernels.watch_words, len(table), inputs)

    def _test(self, name: str, test: int, only) -> None:
        """Words ``only`` of an attribute must not come to pass a test."""
        if len(only):
            chosen = self.f.table(only)
            inputs = lambda number: [self.f.words(name), chosen, test, number, self.found]  # noqa: E731
            self._add(name, self.w.frequency(name), kernels.watch_reals, len(only), inputs)

    def _failing(self, name: str, test: int) -> np.ndarray:
        """Words of an attribute that fail a test in all worlds, bool [n]."""
        passed = TESTS[test](np.asarray(self.w.get(name))).reshape(-1, self.w.first(name).size).any(0)
        return np.zeros_like(passed) if name in ONE_FOR_ALL and passed.any() else ~passed

    def _reals(self) -> None:
        """Numbers that something exists by."""
        mj, w = self.mj, self.w
        for name, test in REALS.items():
            if w.has(name) and w.size(w.frequency(name)):
                self._test(name, test, np.flatnonzero(self._failing(name, test)))
        first = mj.newton_dof[mj.jnt_dofadr] if mj.njnt else np.zeros(0, int)
        unlimited = first[(mj.jnt_limited == 0) & (mj.jnt_type != FREE)]
        for name in ("joint_limit_lower", "joint_limit_upper"):
            self._test(name, kernels.FINITE, unlimited)
        self._test("joint_effort_limit", kernels.FEEBLE, first[(mj.jnt_actfrclimited == 0) & (mj.jnt_type > BALL) & ~self.f.authored_band])
        for name in ("joint_target_ke", "joint_target_kd"):
            self._test(name, kernels.NONZERO, self._idle_dofs())
        if mj.ntendon:
            self._tendons()
        if w.has("mujoco:actuator_biasprm") and mj.nactuator:
            own = mj.newton_actuator[(mj.newton_actuator >= 0) & ~self.f.ratio & (mj.newton_drive[:, 0] == 0)]
            affine = own[~TESTS[kernels.POSITIVE](w.first("mujoco:actuator_biasprm")[own, 2])]
            self._test("mujoco:actuator_biasprm", kernels.POSITIVE, 10 * affine + 2)

    def _idle_dofs(self) -> np.ndarray:
        """Dofs whose targets an actuator with gains of its own follows."""
        mj = self.mj
        source = np.asarray(mj.ctrl_from)[np.minimum(mj.actuator_ctrladr, max(0, mj.nu - 1))] if mj.nactuator else np.zeros(0, int)
        idle = (mj.newton_actuator >= 0) & (mj.newton_drive[:, 0] == 0) & (source <= Source.TARGET_QD) & ~self.f.ratio
        return mj.newton_dof[mj.jnt_dofadr[mj.actuator_trnid[idle, 0]]] if idle.any() else np.zeros(0, int)

    def _tendons(self) -> None:
        """Ranges that would limit, and dead bands that come or go."""
        mj, w, tendon = self.mj, self.w, self.mj.newton_tendon
        for flag, band, on in (("limited", "range", mj.tendon_limited), ("actuator_force_limited", "actuator_force_range", mj.tendon_actfrclimited)):
            auto = (w.first(f"mujoco:tendon_{flag}")[tendon] == LIMITED_AUTO) & (np.asarray(on) == 0)
            self._test(f"mujoco:tendon_{band}", kernels.PAIR, 2 * tendon[auto] + 1)
        if w.has("mujoco:tendon_springlength"):
            slack = np.asarray(mj.tendon_slack) != 0
            self._test("mujoco:tendon_springlength", kernels.TOLD, 2 * tendon[slack])
            self._test("mujoco:tendon_springlength", kernels.UNTOLD, 2 * tendon[~slack] + 1)

    def _strict(self) -> None:
        """Numbers that are worked into tables: sizes of meshes and of what a fluid flows round, laws of motors, and where cameras are."""
        mj, w = self.mj, self.w
        wet = np.asarray(mj.geom_fluid).reshape(-1, mj.ngeom, 12)[0, :, 0] > 0 if mj.ngeom else np.zeros(0, bool)
        fixed = mj.newton_geom[np.isin(mj.geom_type, (MESH, HFIELD)) | wet]
        self._equal("shape_scale", "shape", only=(3 * fixed[:, None] + np.arange(3)).ravel())
        if w.has("mujoco:geom_fluidcoef") and wet.any():
            self._equal("mujoco:geom_fluidcoef", "shape")
        turning = np.isin(mj.actuator_trntype, (TRN_SITE, TRN_SO3)) | self._on_balls()
        tricky = np.isin(mj.actuator_dyntype, (DYN_PID, DYN_DCMOTOR)) | turning & (mj.actuator_biastype == AFFINE)
        rows = mj.newton_actuator[tricky & (mj.newton_actuator >= 0)]
        for name in ("dynprm", "gainprm", "biasprm"):
            if len(rows):
                self._equal(f"mujoco:actuator_{name}", "mujoco:actuator", only=(10 * rows[:, None] + np.arange(10)).ravel())
        for kind, names in (("camera", "pos quat fovy sensorsize intrinsic"), ("light", "pos dir")):
            for name in names.split():
                if w.has(f"mujoco:{kind}_{name}") and w.size(f"mujoco:{kind}"):
                    self._equal(f"mujoco:{kind}_{name}", f"mujoco:{kind}")

    def _on_balls(self) -> np.ndarray:
        """Which actuators turn a ball joint."""
        mj = self.mj
        on_joint = np.isin(mj.actuator_trntype, (0, 1))
        target = np.where(on_joint, mj.actuator_trnid[:, 0], 0)
        return on_joint & (mj.jnt_type[target] == BALL) if mj.njnt else on_joint

    def _sliders(self) -> None:
        """Bodies that only slide, and those that might."""
        m, mj = self.f.engine.mjw_model, self.mj
        bodies = np.array([b for b in range(mj.nbody) if may_slide(mj, b)], int)
        if len(bodies):
            heavy = loads(mj, m.tendon_armature.numpy())
            held = np.stack([is_loaded(mj, b, heavy) for b in bodies], -1)
            tables = [self.f.table(x) for x in (bodies, mj.body_jntadr[bodies], mj.body_jntnum[bodies], m.body_slider.numpy()[:, bodies], held)]
            name = "body_com, body_inertia or joint_axis of a body that only slides"
            number = len(self.names)
            self.names.append(name)

            def launch():
                fields = [m.arrays[n] for n in ("jnt_pos", "jnt_axis", "body_ipos", "body_iquat")]
                inputs = [*tables, *fields, number, self.found]
                wp.launch(kernels.watch_sliders, dim=(len(bodies), self.f.nworld), inputs=inputs, device=self.f.device)

            self.checks.append((int(SLIDES), launch))
