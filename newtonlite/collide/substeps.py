"""Collision substeps: a search for contacts only as often as motion requires."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import warp as wp

from newtonlite.core.enums import ShapeFlags
from newtonlite.core.errors import ModelError, StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.sim.state import State

kernel_module(__name__)


@wp.struct
class Travel:
    """Motion of the fastest points: speed now and a substep before [m/s], way together since contacts were found [m],
    substeps since then, ``plan`` after which they are to be found again, whether they are to be found now, for how many
    substeps (``ahead``, one flag each), and whether the way ever exceeded the capacity. ``twist`` are the shapes'
    velocities a substep before, ``turned`` whether one changed.
    """

    speed: wp.array[float]
    before: wp.array[float]
    way: wp.array[float]
    since: wp.array[int]
    plan: wp.array[int]
    due: wp.array[int]
    ahead: wp.array[int]
    twist: wp.array[wp.spatial_vectorf]
    turned: wp.array[int]
    overflow: wp.array[int]


@wp.kernel(enable_backward=False)
def find_speed(
    body_q: wp.array[wp.transformf],
    body_qd: wp.array[wp.spatial_vectorf],
    body_com: wp.array[wp.vec3],
    shape_body: wp.array[int],
    shape_transform: wp.array[wp.transformf],
    radius: wp.array[float],
    shapes: wp.array[int],
    t: Travel,
):
    """A bound of the speed of every point of the shapes, and whether one of them changed its motion."""
    i = wp.tid()
    shape = shapes[i]
    body = shape_body[shape]
    if body >= 0:
        arm = wp.transform_get_translation(shape_transform[shape]) - body_com[body]
        turn = wp.transform_vector(body_q[body], arm)
        spin = wp.spatial_bottom(body_qd[body])
        speed = wp.spatial_top(body_qd[body]) + wp.cross(spin, turn)
        wp.atomic_max(t.speed, 0, wp.length(speed) + wp.length(spin) * radius[shape])
        twist = wp.spatial_vector(speed, spin)
        if wp.length_sq(twist - t.twist[i]) > 0.0:
            wp.atomic_max(t.turned, 0, 1)
        t.twist[i] = twist


@wp.kernel(enable_backward=False)
def decide(t: Travel, dt: float, capacity: float, most: int, substep: int, left: int, predicts: int):
    """Whether contacts are to be found before this substep, of which ``left`` are still to come: at the first, after
    ``most``, and where two shapes could come nearer than ``capacity`` by its end. Where contacts are predicted from
    velocities, also when one changes, and at the end of the time for which they are.
    """
    speed = t.speed[0]
    ahead = 2.0 * speed * dt
    way = t.way[0] + 2.0 * wp.max(speed, t.before[0]) * dt  # of the substep that is over
    since = t.since[0] + 1
    if substep == 0:
        t.overflow[0] = 0
    if (left > 0 and ahead > capacity) or (substep > 0 and way > capacity):
        t.overflow[0] = 1
    due = int(0)
    if substep == 0 or since >= most or way + ahead > capacity:
        due = 1
    if predicts == 1 and (since >= t.plan[0] or t.turned[0] == 1):
        due = 1
    t.turned[0] = 0
    if due == 1:
        way = 0.0
        since = 0
        plan = int(1)
        while plan < wp.min(most, left) and float(plan + 1) * ahead <= capacity:
            plan += 1
        t.plan[0] = plan
        for n in range(t.ahead.shape[0]):
            t.ahead[n] = wp.where(n + 1 == plan, 1, 0)
    t.due[0] = due
    t.way[0] = way
    t.since[0] = since
    t.before[0] = speed
    t.speed[0] = 0.0


class CollisionSubstepScheduler:
    """Frames of ``substeps`` substeps, in which ``collision_callback(state, dt)`` is called before the first, and
    before those by whose end two shapes could have come nearer to each other than contacts are listed from: the
    pipeline's ``speculative_contact_gap_max``, or the least sum of two ``shape_gap`` of shapes that collide. Speculative
    contacts are found again whenever the velocity of a shape changes.

    ``substep_callback(state_in, state_out, dt)`` is called for each substep, with the two ``states`` in turn;
    ``substeps`` is even, so that a frame begins and ends in the first. ``collision_dt_max`` [s] is the longest time
    between two searches; the callback's ``dt`` is the time until the next at the present speed, at most to the end of the
    frame. Which
    substeps need contacts is decided on the device, from the speed of the fastest point now and a substep before: what
    becomes faster within a substep is seen after it, and ``interval_overflow[0]`` is 1 after a frame in which shapes
    may have come too near. Raises ModelError for values that make no sense, and for models whose gaps are too small;
    StateError for states of another device.
    """

    def __init__(
        self,
        collision_pipeline: Any,
        states: Sequence[State],
        *,
        collision_callback: Callable[[State, float], None],
        substep_callback: Callable[[State, State, float], None],
        frame_dt: float,
        substeps: int,
        collision_dt_max: float | None = None,
    ):
        self.model = model = collision_pipeline.model
        self._check(states, frame_dt, substeps, collision_dt_max)
        self.states, self.substeps, self.substep_dt = tuple(states), substeps, float(frame_dt) / substeps
        self._collide, self._substep = collision_callback, substep_callback
        self.most = substeps if collision_dt_max is None else int(collision_dt_max / self.substep_dt * (1.0 + 1e-6))
        if self.most < 1:
            raise ModelError(
                f"CollisionSubstepScheduler collision_dt_max: {collision_dt_max!r}; a substep takes {self.substep_dt:g} s, give that much at least"
            )
        flags = model.shape_flags.numpy() if model.shape_count else np.zeros(0, int)
        shapes = np.flatnonzero(flags & ShapeFlags.COLLIDE_SHAPES)
        speculative = collision_pipeline.speculative_contact_gap_max
        self.predicts, self.capacity = int(speculative is not None), np.inf
        if speculative is not None:
            self.capacity = speculative
        elif len(shapes) > 1:
            self.capacity = float(np.sort(model.shape_gap.numpy()[shapes])[:2].sum())
        if self.capacity <= 0.0:
            raise ModelError(
                "CollisionSubstepScheduler: the shapes with the least shape_gap have none, so contacts are due at every substep; give them a gap, "
                "or the pipeline a speculative_contact_gap_max"
            )
        self._shapes = wp.array(shapes.astype(np.int32), dtype=int, device=model.device)
        self._travel = t = Travel()
        for name, dtype in (
            ("speed", float),
            ("before", float),
            ("way", float),
            ("since", int),
            ("plan", int),
            ("due", int),
            ("turned", int),
            ("overflow", int),
        ):
            setattr(t, name, wp.zeros(1, dtype=dtype, device=model.device))
        self.most = min(self.most, substeps)
        t.ahead = wp.zeros(self.most, dtype=int, device=model.device)
        t.twist = wp.zeros(len(shapes), dtype=wp.spatial_vectorf, device=model.device)
        self.interval_overflow = t.overflow

    def _check(self, states: Any, frame_dt: Any, substeps: Any, longest: Any) -> None:
        """Raise for arguments that make no sense."""
        if len(states) != 2 or states[0] is states[1]:
            raise ModelError("CollisionSubstepScheduler states: give two different ones, for the substeps in turn")
        for state in states:
            if (
                state.body_q is None
                or state.body_q.shape != (self.model.body_count,)
                or state.body_q.device != self.model.device
            ):
                raise StateError("CollisionSubstepScheduler states: make them with the model's state()")
        if isinstance(substeps, bool) or not isinstance(substeps, int | np.integer) or substeps < 2 or substeps % 2:
            raise ModelError(f"CollisionSubstepScheduler substeps: {substeps!r}; give an even number")
        for name, value in (("frame_dt", frame_dt), ("collision_dt_max", longest)):
            if value is not None and not 0.0 < value < np.inf:
                raise ModelError(f"CollisionSubstepScheduler {name}: {value!r}; give a time in s")

    def step(self) -> None:
        """One frame."""
        for k in range(self.substeps):
            state, other = self.states[k % 2], self.states[1 - k % 2]
            self._look(state, k)
            wp.capture_if(self._travel.due, on_true=partial(self._search, state, self.substeps - k))
            self._substep(state, other, self.substep_dt)
        self._look(self.states[0], self.substeps)

    def _look(self, state: State, k: int) -> None:
        """Decide whether contacts are due before substep ``k``, the last one's number being that of none."""
        m, t = self.model, self._travel
        places = [m.body_com, m.shape_body, m.shape_transform, m.shape_collision_radius, self._shapes]
        inputs = [state.body_q, state.body_qd, *places, t]
        wp.launch(find_speed, dim=len(self._shapes), inputs=inputs, device=m.device)
        inputs = [t, self.substep_dt, self.capacity, self.most, k, self.substeps - k, self.predicts]
        wp.launch(decide, dim=1, inputs=inputs, device=m.device)

    def _search(self, state: State, left: int) -> None:
        """Find contacts for as many substeps as are planned."""
        for n in range(min(self.most, left)):
            find = partial(self._collide, state, (n + 1) * self.substep_dt)
            wp.capture_if(self._travel.ahead[n : n + 1], on_true=find)
