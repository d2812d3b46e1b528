"""Watching for changes of a scene that decide which lists and kernels an engine has: types, links, a friction where
there was none.

What is compared is what ``compile.structure_groups`` calls structure, and real numbers that something exists by. It happens on
the device.
"""

import numpy as np
import warp as wp

from newtonlite.core.enums import AttributeAssignment
from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.core.types import scalar_type
from newtonlite.sim.attributes import find_attribute
from newtonlite.solvers.mujoco.adapter.fixed_options import FixedOptions
from newtonlite.solvers.mujoco.bindings import READ, WATCHES, Watch
from newtonlite.solvers.mujoco.bindings.arrays import NONE
from newtonlite.solvers.mujoco.bindings.flags import INERTIA, REFERENCE
from newtonlite.solvers.mujoco.bindings.table import SAME
from newtonlite.solvers.mujoco.compile.structure_groups import NOT_STRUCTURE, PLACES, RANKED, REFERS, TYPED
from newtonlite.solvers.mujoco.compile.worlds import as_numpy, kind_of
from newtonlite.solvers.mujoco.derive.slider import is_loaded, loads, may_slide
from newtonlite.solvers.mujoco.kernels.state_io import structure_check as kernels

DOFS = REFERENCE | INERTIA
SLIDES = (
    Flag.JOINT_PROPERTIES
    | Flag.JOINT_DOF_PROPERTIES
    | Flag.BODY_PROPERTIES
    | Flag.BODY_INERTIAL_PROPERTIES
    | Flag.JOINT_REFERENCE_POSE_PROPERTIES
)
"""Flags by which a body may come to slide only, or cease to."""
ANY_JOINT = DOFS | Flag.JOINT_PROPERTIES | Flag.CONSTRAINT_PROPERTIES | Flag.ACTUATOR_PROPERTIES
FLAGS = {
    "body": Flag.BODY_PROPERTIES,
    "joint": ANY_JOINT,
    "dof": ANY_JOINT,
    "coord": ANY_JOINT,
    "shape": Flag.SHAPE_PROPERTIES | Flag.SHAPE_TYPE_AND_SOURCE,
    "mujoco:pair": Flag.SHAPE_PROPERTIES,
    "mujoco:exclude": Flag.SHAPE_PROPERTIES,
    "mujoco:actuator": Flag.ACTUATOR_PROPERTIES,
    "mujoco:tendon": Flag.TENDON_PROPERTIES,
    "mujoco:tendon_joint": Flag.TENDON_PROPERTIES,
    "mujoco:tendon_wrap": Flag.TENDON_PROPERTIES,
    "mujoco:equality_constraint": Flag.CONSTRAINT_PROPERTIES,
    "constraint_mimic": Flag.CONSTRAINT_PROPERTIES,
}
"""Flags that announce changes to things of a kind; ``MODEL_PROPERTIES`` announces all others."""
TESTS = {kernels.POSITIVE: lambda x: x > 0, kernels.NONZERO: lambda x: x != 0}


class StructureCheck:
    """The checks of one engine; ``updater`` finds the scene's arrays and knows the compiled model."""

    def __init__(self, updater):
        self.f, self.mj, self.w = updater, updater.mj, updater.engine.worlds_view
        self.names: list[str] = [""]
        self.checks: list[tuple] = []  # flags, launch
        self.found = wp.zeros(1, dtype=int, device=updater.device)
        self.seen = wp.zeros(1, dtype=int, device="cpu", pinned=updater.device.is_cuda)
        self.frozen = FixedOptions(updater)
        self.view = self.seen.numpy()
        self.sources = [id(source) for source in updater.model.shape_source]
        self._integers()
        self._reals()
        self._sliders()

    def run(self, flags: int) -> None:
        """Launch what concerns these flags."""
        self.found.zero_()
        for wanted, launch in self.checks:
            if wanted & flags:
                launch()
        self.frozen.run(flags)

    def read(self, flags: int) -> str:
        """Name of an attribute whose change alters the engine's structure, '' for none; waits for the device. Warns of
        what is not followed.
        """
        if flags & Flag.SHAPE_TYPE_AND_SOURCE and self.sources != [id(source) for source in self.f.model.shape_source]:
            return "shape_source"
        wp.copy(self.seen, self.found)
        self.frozen.fetch()
        if self.f.device.is_cuda:
            wp.synchronize_stream(self.f.device)
        self.frozen.tell()
        return self.names[int(self.view[0])]

    def _add(self, name: str, kind: str, kernel, count: int, inputs, flags: int = 0) -> None:
        """A check of an attribute; ``inputs(number)`` gives the kernel's. ``flags`` announce it, else those of its kind."""
        number = len(self.names)
        self.names.append(name)
        flags = flags or FLAGS.get(kind, Flag.MODEL_PROPERTIES)
        launch = lambda: wp.launch(kernel, dim=(self.f.nworld, count), inputs=inputs(number), device=self.f.device)
        self.checks.append((int(flags), launch))

    # what is watched

    def _integers(self) -> None:
        """Integers and switches of all things; links as they are numbered from world to world."""
        for name, spec in self.f.model.attribute_specs.items():
            kind = kind_of(spec.frequency)
            if (
                spec.assignment != AttributeAssignment.MODEL
                or name in READ
                or name in NOT_STRUCTURE[:1]
                or name.endswith(PLACES)
            ):
                continue
            array = find_attribute(self.f.model, name) if self.w.has(name) else None
            if (
                not isinstance(array, wp.array)
                or array.ndim > 1
                or kind in ("once", "world", "articulation")
                or not self.w.size(kind)
            ):
                continue
            if array.dtype == wp.bool:
                self._switches(name, kind)
            elif scalar_type(array.dtype) in (wp.int32, wp.int64):
                refers = REFERS.get(name, spec.references)
                even = self.f.engine.rows.evenly(kind_of(refers)) if refers is not None else (0, 0)
                self._equal(name, kind, step=None if even is None or name in (*TYPED, *RANKED) else even[1])

    def _switches(self, name: str, kind: str) -> None:
        array = lambda: find_attribute(self.f.model, name)
        index, expected = self.f.engine.rows.index(kind), self.f.table(self.w.first(name).astype(int))
        self._add(
            name,
            kind,
            kernels.compare_flags,
            len(expected),
            lambda number: [array(), index, expected, number, self.found],
        )

    def _equal(self, name: str, kind: str, step: int | None = None, only=None) -> None:
        """Check that words of an attribute stay as they are; without ``step`` a copy of every world's is kept. ``only``
        are words of a world."""
        values = as_numpy(find_attribute(self.f.model, name))[self.w.rows(kind)]
        values = np.ascontiguousarray(values if step is None else values[:1])
        values = values.reshape(len(values), -1).view(np.int32)
        table = np.arange(values.shape[1]) if only is None else np.asarray(only, int)
        if len(table):
            expected = wp.array(np.ascontiguousarray(values[:, table]), dtype=int, device=self.f.device)
            chosen = self.f.table(table)
            inputs = lambda number: [self.f.words(name, int), chosen, expected, step or 0, number, self.found]
            self._add(name, kind, kernels.compare_words, len(table), inputs)

    def _test(self, watch: Watch, only) -> None:
        """Check that words ``only`` of an attribute do not come to pass a test."""
        name, test = watch.attribute, watch.test
        if len(only):
            chosen = self.f.table(only)
            inputs = lambda number: [self.f.words(name), chosen, test, number, self.found]
            self._add(name, self.w.frequency(name), kernels.compare_reals, len(only), inputs, watch.flags)

    def _failing(self, watch: Watch) -> np.ndarray:
        """Numbers of words that fail the test in all worlds; none where one that passes is enough for all."""
        values = np.asarray(self.w.get(watch.attribute))
        passed = TESTS[watch.test](values).reshape(-1, self.w.first(watch.attribute).size).any(0)
        return NONE if watch.one and passed.any() else np.flatnonzero(~passed)

    def _reals(self) -> None:
        """Numbers that something exists by, and those that are worked into tables."""
        for watch in WATCHES:
            if self.w.has(watch.attribute) and self.w.size(self.w.frequency(watch.attribute)):
                only = watch.words(self.mj, self.w) if watch.words else None
                if watch.test == SAME:
                    self._equal(watch.attribute, self.w.frequency(watch.attribute), only=only)
                else:
                    self._test(watch, self._failing(watch) if only is None else only)

    def _sliders(self) -> None:
        """Bodies that only slide, and those that might."""
        m, mj = self.f.engine.mjw_model, self.mj
        bodies = np.array([b for b in range(mj.nbody) if may_slide(mj, b)], int)
        if len(bodies):
            heavy = loads(mj, m.tendon_armature.numpy())
            held = np.stack([is_loaded(mj, b, heavy) for b in bodies], -1)
            tables = [
                self.f.table(x)
                for x in (
                    bodies,
                    mj.body_jntadr[bodies],
                    mj.body_jntnum[bodies],
                    m.body_slider.numpy()[:, bodies],
                    held,
                )
            ]
            name = "body_com, body_inertia or joint_axis of a body that only slides"
            number = len(self.names)
            self.names.append(name)

            def launch():
                fields = [m.arrays[n] for n in ("jnt_pos", "jnt_axis", "body_ipos", "body_iquat")]
                inputs = [*tables, *fields, number, self.found]
                wp.launch(
                    kernels.compare_sliders, dim=(len(bodies), self.f.nworld), inputs=inputs, device=self.f.device
                )

            self.checks.append((int(SLIDES), launch))
