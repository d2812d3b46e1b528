"""State binding: the scene's arrays that push and pull read and write in place, checked once."""

import operator

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.mujoco import MjtJoint
from newtonlite.solvers.mujoco.adapter.ignored_poses import IgnoredPoses
from newtonlite.solvers.mujoco.adapter.world_rows import WorldRows
from newtonlite.solvers.mujoco.compile.actuators import ControlSource
from newtonlite.solvers.mujoco.executor.schedule import Bound
from newtonlite.solvers.mujoco.executor.views import share
from newtonlite.solvers.mujoco.graph_capture import outside_capture
from newtonlite.solvers.mujoco.kernels.state_io.bound_fields import BOUND

FIELDS = {f.name: f for f in BOUND}
KINDS = {
    "joint_q": "coord",
    "joint_qd": "dof",
    "joint_f": "dof",
    "joint_target_q": "coord",
    "joint_target_qd": "dof",
    "body_q": "body",
    "body_qd": "body",
    "body_f": "body",
    "ctrl": "mujoco:actuator",
    "ctrl_more": "mujoco:actuator",
}
"""Row kinds of the arrays of states and controls."""
INPUTS = ("joint_q", "joint_qd")
OUTPUTS = ("joint_q", "joint_qd", "body_q", "body_qd")
CONTROLS = {"joint_f": "in_joint_f", "joint_target_q": "in_target_q", "joint_target_qd": "in_target_qd"}
OWN_CONTROLS = ("ctrl", "ctrl_more")
FRAMES = ("joint_X_p", "joint_X_c")
"""Joint frames of the model, which may be edited or replaced between steps."""
FRAMES_OF, IN_OF, OUT_OF, CONTROL_OF = (
    operator.attrgetter(*names) for names in (FRAMES, (*INPUTS, "body_f"), OUTPUTS, CONTROLS)
)
MOST_BINDINGS = 64
OBSERVED_KINDS = {"out_body_qdd": "body", "out_body_parent_f": "body", "out_overflow": "world"}
OBSERVED = tuple(
    f.name for f in BOUND if f.name.startswith(("out_qfrc_", "out_overflow", "out_body_qdd", "out_body_parent_f"))
)


class StateBinding:
    """Tables of a compiled model, and the arrays of states and controls by row of its worlds."""

    def __init__(self, model, mj, rows: WorldRows, ignored: IgnoredPoses):
        self.model, self.rows, self.nworld, self.device = model, rows, rows.count, model.device
        self.ignored = ignored
        self.resync = wp.zeros((self.nworld, 1), dtype=int, device=self.device)
        self.fixed = self._tables(mj)
        self.lengths = {
            "coord": model.joint_coord_count,
            "dof": model.joint_dof_count,
            "body": model.body_count,
            "mujoco:actuator": model.custom_frequency_counts.get("mujoco:actuator", 0),
        }
        self.zeros: dict = {}
        self.arrays_by_address: dict = {}  # by addresses
        self.arrays_by_identity: dict = {}  # by the identity of arrays
        self.moves: tuple[list, list] = ([], [])
        self._frame()

    def _tables(self, mj) -> dict:
        """Index tables [1, n] and the like: what no step changes."""
        found = {name: self._table(name, value) for name, value in tables(mj).items()}
        found["geom_gains"] = wp.array(gains(mj), dtype=wp.vec4, device=self.device)
        return found | {"in_resync": self.resync}

    def _frame(self) -> None:
        """Take the model's joint frames [nworld, njoint] as they are now; copies of them are filled in each step."""
        self.frame_arrays = [*FRAMES_OF(self.model)]
        frames = {name: self.rows.bring(array, "joint") for name, array in zip(FRAMES, self.frame_arrays)}
        self.fixed |= {name: array for name, (array, _) in frames.items()}
        self.frames = [copy for _, copy in frames.values() if copy]
        self.arrays_by_address.clear()

    def retable(self, mj) -> None:
        """Write the tables of a model compiled anew into those in use, which the engine was made for; new ones where
        sizes changed.
        """
        for name, value in tables(mj).items():
            if self.fixed[name].shape[1] != value.shape[1]:
                self.fixed[name] = self._table(name, value)
                self.forget()
            else:
                self.fixed[name].assign(value)
        if self.fixed["geom_gains"].shape[0] != len(gains(mj)):
            self.fixed["geom_gains"] = wp.array(gains(mj), dtype=wp.vec4, device=self.device)
            self.forget()
        else:
            self.fixed["geom_gains"].assign(gains(mj))

    def forget(self) -> None:
        """Bind anew what comes next."""
        self.arrays_by_address.clear()
        self.arrays_by_identity.clear()

    def widen_gains(self) -> None:
        """Contact gains of geoms for every world; those who bind next see them."""
        old = self.fixed["geom_gains"]
        if len(old) != self.nworld:
            self.fixed["geom_gains"] = wp.empty((self.nworld, old.shape[1]), dtype=old.dtype, device=self.device)
            wp.copy(self.fixed["geom_gains"], share(old, self.nworld))
            self.forget()

    def _table(self, name: str, value: np.ndarray) -> wp.array:
        return wp.array(value, dtype=FIELDS[name].dtype, device=self.device)

    def bind(self, state_in, state_out, control, given: dict | None = None, watched: dict | None = None) -> dict:
        """Every bound array for these three; checked when seen for the first time.

        ``given`` are those of the caller's contacts, ``watched`` the scene's arrays that the stage ``write_observables`` fills;
        both by field. ``moves`` are then the copies to fill before and to write back after a step: none where worlds
        lie evenly.
        """
        arrays = [*FRAMES_OF(self.model), *_arrays(state_in, state_out, control)]
        if given or watched:
            arrays += [a for more in (given, watched) for pair in (more or {}).items() for a in pair]
        seen = tuple(map(id, arrays))
        known = self.arrays_by_identity.get(seen)
        if known is not None:
            found, self.moves, _ = known
            return found
        if arrays[:2] != self.frame_arrays:
            self._frame()
        key = tuple(
            a if a is None or isinstance(a, str) else (getattr(a, "ptr", id(a)), getattr(a, "shape", None))
            for a in arrays
        )
        if key not in self.arrays_by_address:
            if len(self.arrays_by_address) >= MOST_BINDINGS:
                self.arrays_by_address.clear()
            self._before, self._after = list(self.frames), []
            with outside_capture(self.device):
                found = self._bind(state_in, state_out, control) | (given or {})
                found |= self._watch(watched) if watched else {}
            self.ignored.look(state_in, state_out)
            self.arrays_by_address[key] = Bound(found), (self._before, self._after)
        found, self.moves = self.arrays_by_address[key]
        if len(self.arrays_by_identity) >= MOST_BINDINGS:
            self.arrays_by_identity.clear()
        self.arrays_by_identity[seen] = found, self.moves, arrays  # which are thereby kept, and their ids with them
        return found

    def _watch(self, arrays: dict) -> dict:
        """StateBinding arrays of the stage ``write_observables``: those given, by field, one row per world; the others without
        columns.
        """
        found = {}
        for name in OBSERVED:
            array = arrays.get(name)
            if array is not None:
                found[name] = self._bring(array, OBSERVED_KINDS.get(name, "dof"), out=True)
                continue
            if name not in self.zeros:
                self.zeros[name] = wp.zeros((self.nworld, 0), dtype=FIELDS[name].dtype, device=self.device)
            found[name] = self.zeros[name]
        return found

    def _bring(self, array, kind: str, out: bool) -> wp.array:
        """One row per world of a flat array; copies are noted."""
        rows, copy = self.rows.bring(array, kind)
        if copy is not None:
            (self._after if out else self._before).append(copy)
        return rows

    def _bind(self, state_in, state_out, control) -> dict:
        found = dict(self.fixed)
        for name in INPUTS:
            found[f"in_{name}"] = self._checked(state_in, "state_in", name, f"in_{name}")
        for name in OUTPUTS:
            found[f"out_{name}"] = self._checked(state_out, "state_out", name, f"out_{name}")
        found["in_body_f"] = self._checked(state_in, "state_in", "body_f", "in_body_f", optional=True)
        for name, field in CONTROLS.items():
            found[field] = self._checked(control, "control", name, field, optional=True)
        for name in OWN_CONTROLS:
            found[f"in_{name}"] = self._own(control, name)
        return found

    def _own(self, control, name: str) -> wp.array:
        """An array of ``control.mujoco`` by world; zeros where nothing reads it."""
        array = getattr(getattr(control, "mujoco", None), name, None)
        if array is None or not self.lengths[KINDS[name]]:
            return self._zero(f"in_{name}", KINDS[name])
        return self._check(array, "control.mujoco", name, f"in_{name}")

    def _checked(self, owner, who: str, name: str, field: str, optional: bool = False) -> wp.array:
        """One array of a state or control, by world; zeros for an optional one that is not there."""
        array = getattr(owner, name, None)
        if array is None and (optional or not self.lengths[KINDS[name]]):
            return self._zero(field, KINDS[name])
        return self._check(array, who, name, field)

    def _check(self, array, who: str, name: str, field: str) -> wp.array:
        """Raise StateError, before any launch, unless the array is what the kernels take."""
        where, dtype, length = f"{who}.{name}", element_type(FIELDS[field].dtype), self.lengths[KINDS[name]]
        if not isinstance(array, wp.array):
            raise StateError(
                f"{where}: expected a Warp array, got {type(array).__name__}; make states with model.state()"
            )
        if array.shape != (length,) or array.dtype != dtype:
            got = f"{array.dtype.__name__}{list(array.shape)}"
            raise StateError(
                f"{where}: expected {dtype.__name__}[{length}], got {got}; make it with model.state() or model.control()"
            )
        if array.device != self.device:
            raise StateError(
                f"{where}: lives on {array.device}, the solver's model on {self.device}; create it from this model"
            )
        if not array.is_contiguous:
            raise StateError(f"{where}: expected a contiguous array; pass a copy, array.contiguous()")
        return self._bring(array, KINDS[name], out=field.startswith("out_"))

    def _zero(self, field: str, kind: str) -> wp.array:
        """Zeros [nworld, n], made once."""
        if field not in self.zeros:
            shape = (self.nworld, max(1, self.rows.size(kind) if self.lengths[kind] else 0))
            self.zeros[field] = wp.zeros(shape, dtype=FIELDS[field].dtype, device=self.device)
        return self.zeros[field]


def tables(mj) -> dict[str, np.ndarray]:
    """The index tables of a compiled model, [1, n] each."""
    coord, speed = mj.newton_coord[mj.jnt_qposadr], mj.newton_dof[mj.jnt_dofadr]
    narrow = np.isin(mj.jnt_type, (MjtJoint.SLIDE, MjtJoint.HINGE))
    direct = np.asarray(mj.ctrl_from) == ControlSource.CTRL
    found = {
        "link_of_body": mj.newton_body,
        "joint_of_jnt": mj.newton_joint,
        "coord_of_jnt": coord,
        "speed_of_jnt": speed,
        "joint_run": runs(np.flatnonzero(narrow), mj.jnt_qposadr, coord, mj.jnt_dofadr, speed)[:, 1:],
        "d6_jnt": np.flatnonzero(~narrow),
        "body_run": runs(np.arange(1, mj.nbody), mj.newton_body),
        "ctrl_run": runs(np.flatnonzero(direct), mj.ctrl_index),
        "other_ctrl": np.flatnonzero(~direct),
        "prescribed_jnt": np.flatnonzero(~mj.dof_counted[mj.jnt_dofadr]),
        "prescribed_dof": np.flatnonzero(~mj.dof_counted),
        "prescribed_body": np.flatnonzero(mj.body_prescribed),
        "ctrl_from": mj.ctrl_from,
        "ctrl_index": mj.ctrl_index,
    }
    return {name: np.asarray(value, np.int32)[None] for name, value in found.items()}


def runs(chosen: np.ndarray, *columns) -> np.ndarray:
    """``chosen`` indices in stretches over which they and their entry in every column grow by one: [n, columns + 2]
    with starts and lengths.
    """
    rows = np.stack([chosen, *(np.asarray(c)[chosen] for c in columns)], 1).astype(np.int32)
    starts = np.flatnonzero((np.diff(rows, axis=0, prepend=-2) != 1).any(1))
    return np.column_stack([rows[starts], np.diff(starts, append=len(rows))])


def gains(mj) -> np.ndarray:
    """Contact gains of each geom, [nworld or 1, ngeom, 4] float32: stiffness, damping, 1 where they are forces, and damping of
    friction."""
    value = np.asarray(mj.geom_gains, np.float32)
    return value if value.ndim == 3 else value[None]


def element_type(dtype) -> type:
    """Warp's type for a field's element type."""
    return {float: wp.float32, int: wp.int32}.get(dtype, dtype)


def _arrays(state_in, state_out, control) -> list:
    """The arrays that a step binds, or None for one that is not there."""
    try:
        found = [*IN_OF(state_in), *OUT_OF(state_out)]
        if control is not None:
            found += CONTROL_OF(control)
    except AttributeError:  # an object of the caller's own
        return _some_arrays(state_in, state_out, control)
    own = control and getattr(control, "mujoco", None)
    return [*found, getattr(own, "ctrl", None), getattr(own, "ctrl_more", None)] if own is not None else found


def _some_arrays(state_in, state_out, control) -> list:
    found = [getattr(state_in, n, None) for n in (*INPUTS, "body_f")] + [getattr(state_out, n, None) for n in OUTPUTS]
    if control is not None:
        own = getattr(control, "mujoco", None)
        found += [getattr(control, n, None) for n in CONTROLS] + [getattr(own, n, None) for n in OWN_CONTROLS]
    return found
