"""Ports of a controller: the named arrays it reads and writes, checked, with views gathered and scattered by kernels."""

from dataclasses import dataclass
from typing import Any

import warp as wp
from warp import types

from newtonlite.core.errors import DeviceError, ModelError, WrongTypeError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.core.types import cell_shape, scalar_type

kernel_module(__name__)


@dataclass(frozen=True)
class Port:
    """An array of this type and shape; one that is not ``live`` has to be left out, ``switch`` says what would make it
    live.
    """

    name: str
    dtype: Any
    shape: tuple
    live: bool = True
    switch: str = ""


class Struct:
    """Arrays by name; those of features that are off are None."""

    def __repr__(self):
        return f"<{type(self).__name__} {', '.join(k for k, v in vars(self).items() if v is not None)}>"


@wp.kernel
def gather_row(source: wp.indexedarray(dtype=Any), target: wp.array[Any]):
    """A view's values into an array."""
    i = wp.tid()
    target[i] = source[i]


@wp.kernel
def scatter_row(source: wp.array[Any], target: wp.indexedarray(dtype=Any)):
    """An array's values into a view."""
    i = wp.tid()
    target[i] = source[i]


@wp.kernel
def gather_block(source: wp.indexedarray3d(dtype=float), target: wp.array3d[float]):
    """A view's matrices into an array."""
    i, j, k = wp.tid()
    target[i, j, k] = source[i, j, k]


for _dtype in (wp.float32, wp.transformf, wp.spatial_vectorf, wp.quatf):
    wp.overload(gather_row, {"source": wp.indexedarray(dtype=_dtype), "target": wp.array(dtype=_dtype)})
    wp.overload(scatter_row, {"source": wp.array(dtype=_dtype), "target": wp.indexedarray(dtype=_dtype)})


class Ports:
    """The ports of one struct (``"inputs"`` or ``"outputs"``) of a controller."""

    def __init__(self, struct: type, word: str, ports: list[Port], device: Any, requires_grad: bool = False):
        self.struct, self.word, self.device, self.requires_grad = struct, word, device, requires_grad
        self.ports = ports
        self.buffers = {port.name: self._zeros(port) for port in ports if port.live}

    def _zeros(self, port: Port) -> wp.array:
        return wp.zeros(port.shape, dtype=port.dtype, device=self.device, requires_grad=self.requires_grad)

    def make(self) -> Any:
        """A fresh struct: zeros for the live ports, None for the others."""
        made = self.struct()
        for port in self.ports:
            setattr(made, port.name, self._zeros(port) if port.live else None)
        return made

    def check(self, struct: Any) -> None:
        """Raise ModelError (WrongTypeError, DeviceError) for a port that is missing, of another shape or type, or would
        be ignored.
        """
        for port in self.ports:
            value, where = getattr(struct, port.name, None), f"{self.word}.{port.name}"
            if port.live:
                check_array(value, where, port.dtype, port.shape, self.device, views=True)
            elif value is not None:
                raise ModelError(
                    f"{where}: is set, but would be ignored: the controller was made without {port.switch}; leave it None"
                )

    def read(self, struct: Any) -> dict[str, wp.array]:
        """Every live port as a plain array: itself, or its view gathered into a buffer. Checks first."""
        self.check(struct)
        return {port.name: self._gathered(port, getattr(struct, port.name)) for port in self.ports if port.live}

    def _gathered(self, port: Port, value: Any) -> wp.array:
        if not isinstance(value, wp.indexedarray):
            return value
        kernel = gather_block if len(port.shape) == 3 else gather_row
        wp.launch(kernel, port.shape, [value], [self.buffers[port.name]], device=self.device)
        return self.buffers[port.name]

    def targets(self, struct: Any) -> dict[str, wp.array]:
        """Arrays to write for each live port: the array itself, or a buffer that ``write`` scatters into the view.
        Checks first."""
        self.check(struct)
        values = {port.name: getattr(struct, port.name) for port in self.ports if port.live}
        return {
            name: self.buffers[name] if isinstance(value, wp.indexedarray) else value for name, value in values.items()
        }

    def write(self, struct: Any) -> None:
        """Scatter what was written into buffers."""
        for port in self.ports:
            value = getattr(struct, port.name, None)
            if port.live and isinstance(value, wp.indexedarray):
                wp.launch(scatter_row, port.shape, [self.buffers[port.name]], [value], device=self.device)


def check_array(value: Any, where: str, dtype: Any, shape: tuple, device: Any, views: bool = False) -> None:
    """Raise unless ``value`` is an array of this type, shape and device; with ``views`` an indexed array will do."""
    if value is None:
        raise ModelError(f"{where}: is None; give {wp.types.type_repr(dtype)}{list(shape)}")
    if not isinstance(value, (wp.array, wp.indexedarray) if views else wp.array):
        raise WrongTypeError(
            f"{where}: {type(value).__name__}; give a Warp array{' or a view of one' if views else ''}"
        )
    if not wp.types.types_equal(value.dtype, dtype):
        raise WrongTypeError(f"{where}: has element type {value.dtype.__name__}; give {wp.types.type_repr(dtype)}")
    if value.device != device:
        raise DeviceError(f"{where}: on {value.device}, the controller on {device}; move it there")
    if tuple(value.shape) != tuple(shape):
        hint = ", such as array[controller.qd_start]" if views else ""
        raise ModelError(f"{where}: has shape {tuple(value.shape)}; give {tuple(shape)}, or a view of that shape{hint}")


def is_number(value: Any) -> bool:
    """Whether a gain is one number for all."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_kind(value: Any, single: Any) -> bool:
    """Whether a value is a rotation, pose or vector like those of type ``single``; ``wp.transform_identity()`` is no
    ``wp.transformf``.
    """
    kinds = (types.type_is_vector, types.type_is_matrix, types.type_is_quaternion, types.type_is_transformation)
    parts = (*kinds, cell_shape, scalar_type)
    return bool(cell_shape(single)) and all(part(type(value)) == part(single) for part in parts)


def baked(value: Any, name: str, dtype: Any, count: int, device: Any, singles: tuple = ()) -> wp.array | None:
    """A gain as an array of its own ``[count]``, from a number, a single value (of a type in ``singles``) or such an
    array; None stays None.
    """
    if value is None:
        return None
    if is_number(value):
        length = types.type_size(dtype)
        return wp.full(
            count, dtype(*[float(value)] * length) if length > 1 else float(value), dtype=dtype, device=device
        )
    if any(isinstance(value, single) or same_kind(value, single) for single in singles):
        return wp.full(count, dtype(*value), dtype=dtype, device=device)
    check_array(value, name, dtype, (count,), device)
    return wp.clone(value)
