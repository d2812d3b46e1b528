"""Limits of efforts: constant, by the speed of a motor, by position."""

import warnings
from math import inf, isinf
from typing import Any, ClassVar

import numpy as np
import warp as wp

from newtonlite.actuators.drive import bind_columns, not_negative, same_shapes
from newtonlite.core.errors import FileError, ModelError, NewtonDeprecationWarning
from newtonlite.core.files import read_file
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.numerals import real

kernel_module(__name__, enable_backward=True)


@wp.func
def limit_constant(value: Any, q: Any, qd: Any, params: wp.array2d[float], i: int, base: int):
    """Within plus and minus ``params[i, base]``."""
    most = type(value)(params[i, base])
    return wp.clamp(value, -most, most)


@wp.func
def limit_motor(value: Any, q: Any, qd: Any, params: wp.array2d[float], i: int, base: int):
    """Within the four quadrants of a DC motor: stall effort, speed without load, most effort."""
    stall = type(value)(params[i, base])
    speed = type(value)(params[i, base + 1])
    most = type(value)(params[i, base + 2])
    one = type(value)(1.0)
    corner = speed
    if stall > type(value)(0.0):
        share = most / stall
        if share == share:
            corner = speed * (one + share)
    v = wp.clamp(qd, -corner, corner) / speed
    return wp.clamp(value, wp.max(-stall * (one + v), -most), wp.min(stall * (one - v), most))


@wp.func
def limit_table(value: Any, q: Any, qd: Any, params: wp.array2d[float], i: int, base: int):
    """Within a limit read from a table of positions: ``params[i, base:]`` is the number of rows, positions, limits."""
    n = int(params[i, base])
    most = type(value)(params[i, base + 2 * n])
    if q <= type(value)(params[i, base + 1]):
        most = type(value)(params[i, base + 1 + n])
    else:
        for k in range(n - 1):
            left = type(value)(params[i, base + 1 + k])
            right = type(value)(params[i, base + 2 + k])
            if q >= left and q < right:
                low = type(value)(params[i, base + 1 + n + k])
                high = type(value)(params[i, base + 2 + n + k])
                most = low + (q - left) / (right - left) * (high - low)
    return wp.clamp(value, -most, most)


@wp.kernel
def constant(
    source: wp.array[float],
    q: wp.array[float],
    qd: wp.array[float],
    iq: wp.array[wp.uint32],
    iqd: wp.array[wp.uint32],
    params: wp.array2d[float],
    target: wp.array[float],
):
    """``limit_constant`` of each axis."""
    i = wp.tid()
    target[i] = limit_constant(source[i], q[iq[i]], qd[iqd[i]], params, i, 0)


@wp.kernel
def motor(
    source: wp.array[float],
    q: wp.array[float],
    qd: wp.array[float],
    iq: wp.array[wp.uint32],
    iqd: wp.array[wp.uint32],
    params: wp.array2d[float],
    target: wp.array[float],
):
    """``limit_motor`` of each axis."""
    i = wp.tid()
    target[i] = limit_motor(source[i], q[iq[i]], qd[iqd[i]], params, i, 0)


@wp.kernel
def table(
    source: wp.array[float],
    q: wp.array[float],
    qd: wp.array[float],
    iq: wp.array[wp.uint32],
    iqd: wp.array[wp.uint32],
    params: wp.array2d[float],
    target: wp.array[float],
):
    """``limit_table`` of each axis."""
    i = wp.tid()
    target[i] = limit_table(source[i], q[iq[i]], qd[iqd[i]], params, i, 0)


class ClampingBase:
    """A limit of efforts, applied after a drive; several are applied in order.

    ``evaluate_clamp(value, q, qd, params, i, base)`` is the limit as a Warp function, its parameters in ``params[i,
    base:]``.
    """

    SHARED_PARAMS: ClassVar[set[str]] = set()
    evaluate_clamp: ClassVar[Any] = None

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """Parameters of one axis, with defaults; ModelError for those that make no sense."""
        raise NotImplementedError(f"{cls.__name__} does not define resolve_arguments")

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Called once, when an actuator takes the limit."""

    def param_width(self) -> int:
        """Columns of its parameters."""
        return 0

    def bind_params(self, block: wp.array) -> None:
        """Fill columns [n, param_width] with its parameters, and make them its arrays."""
        raise NotImplementedError(f"{type(self).__name__} has no implicit form")

    def modify_forces(
        self, src_forces, dst_forces, positions, velocities, pos_indices, vel_indices, device=None
    ) -> None:
        """Limited efforts of ``src_forces`` [n] into ``dst_forces``, which may be the same."""
        raise NotImplementedError(f"{type(self).__name__} does not define modify_forces")


class _Packed(ClampingBase):
    """A limit whose parameters are columns."""

    NAMES: ClassVar[tuple[str, ...]] = ()
    _block: wp.array | None = None

    def param_width(self) -> int:
        return len(self.NAMES)

    def bind_params(self, block: wp.array) -> None:
        bind_columns(self, block, self.NAMES)
        self._block = block

    def modify_forces(
        self, src_forces, dst_forces, positions, velocities, pos_indices, vel_indices, device=None
    ) -> None:
        """Limited efforts of ``src_forces`` [n] into ``dst_forces``."""
        if self._block is None or any(
            getattr(self, name).ptr != self._block[:, k].ptr for k, name in enumerate(self.NAMES)
        ):
            self.bind_params(
                wp.zeros((len(src_forces), self.param_width()), dtype=float, device=device or src_forces.device)
            )
        kernel = KERNELS[type(self).evaluate_clamp]
        wp.launch(
            kernel,
            len(src_forces),
            [src_forces, positions, velocities, pos_indices, vel_indices, self._block],
            [dst_forces],
            device=device,
        )


class ClampingMaxEffort(_Packed):
    """Efforts within plus and minus ``max_effort`` [n], in N or N m."""

    NAMES = ("max_effort",)
    evaluate_clamp = limit_constant

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """``max_effort`` of one axis, none by default."""
        not_negative(cls.__name__, max_effort=args.get("max_effort", inf))
        return {"max_effort": args.get("max_effort", inf)}

    def __init__(self, max_effort: wp.array):
        self.max_effort = max_effort


class ClampingDCMotor(_Packed):
    """Efforts of a DC motor: ``saturation_effort`` at rest, falling to none at ``velocity_limit``, and never more than
    ``max_motor_effort``.

    ``max(-S (1 + v/V), -M) <= effort <= min(S (1 - v/V), M)``.
    """

    NAMES = ("saturation_effort", "velocity_limit", "max_motor_effort")
    evaluate_clamp = limit_motor

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """Parameters of one axis, no limit by default."""
        found = {name: args.get(name, inf) for name in cls.NAMES}
        not_negative(cls.__name__, **found)
        if found["velocity_limit"] == 0:
            raise ModelError(f"{cls.__name__} velocity_limit: 0; give a positive number")
        if isinf(found["saturation_effort"]) and not isinf(found["velocity_limit"]):
            raise ModelError(f"{cls.__name__} saturation_effort: has to be finite where velocity_limit is; give it")
        return found

    def __init__(self, saturation_effort: wp.array, velocity_limit: wp.array, max_motor_effort: wp.array):
        same_shapes(
            "ClampingDCMotor",
            saturation_effort=saturation_effort,
            velocity_limit=velocity_limit,
            max_motor_effort=max_motor_effort,
        )
        self.saturation_effort, self.velocity_limit, self.max_motor_effort = (
            saturation_effort,
            velocity_limit,
            max_motor_effort,
        )

    @property
    def corner_velocity(self) -> wp.array:
        """Speed [n] at which a braking motor reaches its most effort. Deprecated: it follows from the other three."""
        text = "ClampingDCMotor.corner_velocity is deprecated; it is velocity_limit * (1 + max_motor_effort / saturation_effort)"
        warnings.warn(text, NewtonDeprecationWarning, stacklevel=2)
        stall, speed, most = (getattr(self, name).numpy() for name in self.NAMES)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(stall > 0, most / stall, 0.0)
        return wp.array(speed * (1.0 + np.nan_to_num(share, nan=0.0)), dtype=float, device=self.velocity_limit.device)


class ClampingPositionBased(ClampingBase):
    """Efforts within a limit that depends on position: ``lookup_efforts`` [k] at the sorted ``lookup_positions`` [k],
    linear in between.

    The table may be a file of two columns, separated by blanks or commas, ``#`` before remarks. All axes of an actuator
    have the same one.
    """

    SHARED_PARAMS: ClassVar[set[str]] = {"lookup_table_path", "lookup_positions", "lookup_efforts"}
    evaluate_clamp = limit_table

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """A path, or positions and efforts, checked."""
        direct = {"lookup_positions", "lookup_efforts"} & args.keys()
        if ("lookup_table_path" in args) == bool(direct):
            raise ModelError(f"{cls.__name__}: give either lookup_table_path, or lookup_positions and lookup_efforts")
        if not direct:
            return {"lookup_table_path": args["lookup_table_path"]}
        if len(direct) < 2:
            raise ModelError(f"{cls.__name__}: lookup_positions and lookup_efforts belong together; give both")
        positions, efforts = tuple(args["lookup_positions"]), tuple(args["lookup_efforts"])
        check_table(positions, efforts, cls.__name__)
        return {"lookup_positions": positions, "lookup_efforts": efforts}

    def __init__(
        self,
        lookup_table_path: str | None = None,
        lookup_positions: tuple | None = None,
        lookup_efforts: tuple | None = None,
    ):
        if lookup_table_path is None and (lookup_positions is None or lookup_efforts is None):
            raise ModelError("ClampingPositionBased: give lookup_table_path, or lookup_positions and lookup_efforts")
        if lookup_table_path is None and len(lookup_positions) != len(lookup_efforts):
            raise ModelError(
                f"ClampingPositionBased: {len(lookup_positions)} lookup_positions, {len(lookup_efforts)} lookup_efforts; give as many"
            )
        self._path, self._given = lookup_table_path, (lookup_positions, lookup_efforts)
        self.lookup_size = 0
        self.lookup_positions: wp.array | None = None
        self.lookup_efforts: wp.array | None = None
        self._block: wp.array | None = None

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Read the table, where it is a file, and put it on the device."""
        positions, efforts = self._given if self._path is None else read_table(self._path)
        self.lookup_size, self._count = len(positions), num_actuators
        self.lookup_positions = wp.array(np.asarray(positions, np.float32), dtype=float, device=device)
        self.lookup_efforts = wp.array(np.asarray(efforts, np.float32), dtype=float, device=device)

    def param_width(self) -> int:
        return 1 + 2 * self.lookup_size

    def bind_params(self, block: wp.array) -> None:
        """Fill columns [n, param_width] with the table: a copy, later changes of it are not seen."""
        if self.lookup_positions is None:
            raise RuntimeError("ClampingPositionBased.bind_params: needs finalize first")
        row = np.concatenate([[self.lookup_size], self.lookup_positions.numpy(), self.lookup_efforts.numpy()]).astype(
            np.float32
        )
        block.assign(np.tile(row, (self._count, 1)))

    def modify_forces(
        self, src_forces, dst_forces, positions, velocities, pos_indices, vel_indices, device=None
    ) -> None:
        """Limited efforts of ``src_forces`` [n] into ``dst_forces``."""
        if self._block is None:
            self._block = wp.zeros((self._count, self.param_width()), dtype=float, device=device or src_forces.device)
        self._block[:, 1 : 1 + self.lookup_size].assign(wp.clone(_spread(self.lookup_positions, self._count)))
        self._block[:, 1 + self.lookup_size :].assign(wp.clone(_spread(self.lookup_efforts, self._count)))
        self._block[:, 0].fill_(float(self.lookup_size))
        inputs = [src_forces, positions, velocities, pos_indices, vel_indices, self._block]
        wp.launch(KERNELS[limit_table], len(src_forces), inputs, [dst_forces], device=device)


def _spread(row: wp.array, count: int) -> wp.array:
    """One row seen ``count`` times."""
    return wp.array(
        ptr=row.ptr,
        dtype=float,
        shape=(count, len(row)),
        strides=(0, row.strides[0]),
        device=row.device,
        capacity=row.capacity,
    )


def read_table(path: str) -> tuple[list[float], list[float]]:
    """Positions and limits of a file; ModelError where it is not there or makes no sense."""
    try:
        text = read_file(path, "table").decode("ascii")
        lines = [line.split("#")[0].replace(",", " ").split() for line in text.splitlines()]
        rows = [[real(x) for x in line[:2]] for line in lines if line]
        if any(len(row) != 2 for row in rows):
            raise ValueError("a line has one number; give a position and a limit in each")
    except FileError as problem:
        raise ModelError(f"lookup_table_path: {problem}") from None
    except ValueError as problem:
        raise ModelError(f"lookup_table_path: {path}: is no table of numbers ({problem})") from None
    positions, efforts = [row[0] for row in rows], [row[1] for row in rows]
    check_table(positions, efforts, str(path))
    return positions, efforts


def check_table(positions: Any, efforts: Any, where: str) -> None:
    """ModelError for a table that is empty, unsorted, of unequal columns, or with negative limits."""
    if not len(positions) or len(positions) != len(efforts):
        raise ModelError(
            f"{where}: {len(positions)} lookup_positions and {len(efforts)} lookup_efforts; give as many of both, one at least"
        )
    if any(b < a for a, b in zip(positions, positions[1:])):
        raise ModelError(f"{where}: lookup_positions have to grow; sort them")
    if any(e < 0 for e in efforts):
        raise ModelError(f"{where}: lookup_efforts have to be non-negative, a limit holds both ways")


KERNELS = {limit_constant: constant, limit_motor: motor, limit_table: table}
"""Kernels of the limits."""
