"""Gang: worlds whose numbers lie side by side, one world per SIMD lane (single program, multiple data; the term is
ispc's).

A CPU thread brings the state and the constants of ``GANG_SIZE`` worlds together, runs the stages of ``plan.GANG`` once
for all of them, and gives every world its results before the other stages take it. The kernel is the same generated
code with ``float32`` a vector of 16 (``spmd.h``): every world has the bits that the scalar kernel gives it. Smaller
blocks of worlds have that one.
"""

import ctypes
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import warp as wp

from newtonlite.core.native import header
from newtonlite.core.types import scalar_type
from newtonlite.solvers.mujoco.executor.cpu.c_struct import c_struct
from newtonlite.solvers.mujoco.executor.cpu.native_call import NativeCall
from newtonlite.solvers.mujoco.executor.cpu.native_kernel import NativeKernel, native_code
from newtonlite.solvers.mujoco.executor.views import TABLES

GANG_SIZE = 16
native = header(__file__)
Field, Gang = (c_struct(Path(__file__).with_suffix(".h"), name) for name in ("Field", "Gang"))


@wp.func_native(native("step_gang"))
def step_gang(gang: wp.uint64, first: int):
    """Run the kernel of a gang, by the address of its ``struct Gang``."""
    ...


@wp.func_native(native("leave_gang"))
def leave_gang(gang: wp.uint64, world: int):
    """Give one world of a gang its results."""
    ...


def gang_step(gang: wp.uint64, unused: wp.uint64, first: int, last: int):
    """One gang of worlds."""
    step_gang(gang, first)


def gang_results(gang: wp.uint64, unused: wp.uint64, first: int, last: int):
    """Results of the worlds of a gang."""
    for world in range(first, last):
        leave_gang(gang, world)


class GangCall:
    """Calls of a kernel for gangs of worlds: ``step`` one gang, and ``results`` of its worlds. ``read`` are the fields
    of the data that others read of its results; those that are kept for every world are given back too.
    """

    def __init__(self, kernel: NativeKernel, value: Callable, read: set):
        # numbers of worlds, apart from lists and sizes; results are those that a stage writes and somebody reads
        arrays = {(o, f): value(o, f) for o in "md" for f in kernel.fields[o]}
        varying = [key for key, a in arrays.items() if isinstance(a, wp.array) and _is_varying(*key)]
        results = [(o, f) for o, f in varying if o == "d" and TABLES[o][f].role == "scratch"]
        out = [key for key in results if key[1] in read or arrays[key].strides[0]]
        count = {key: _count(arrays[key], _of_geoms(*key, value)) for key in varying}

        # a place for every number of a world; those that go back come first, and end at a multiple of 16, since 16 by
        # 16 are transposed at a time
        places, place = {}, 0
        for key in (*out, None, *(key for key in varying if key not in out)):
            if key is None:
                place = width = -(-place // GANG_SIZE) * GANG_SIZE
                continue
            places[key], place = place, place + count[key]

        # number k of 16 worlds lies at 16 k: the kernel sees one world with elements 16 times as large
        self.numbers, self.rows = _aligned(place * GANG_SIZE), _aligned(width * GANG_SIZE)
        base = self.numbers.ctypes.data
        views = [_view(kernel.views[o], {f: arrays[o, f] for f in kernel.fields[o]}, o, places, base) for o in "md"]

        # the kernel is entered for "world 0": its lanes are the worlds
        self.kernel = NativeCall(
            kernel.code,
            [*(ctypes.c_uint64(ctypes.addressof(v)) for v in views), ctypes.c_int32(0), ctypes.c_int32(1)],
            (views, arrays),
        )
        self.seen = {key: np.zeros(n, np.int32) for key, n in count.items()}  # as the gang's numbers are at first

        # what is fetched before the kernel, and what is given back after it
        fields = {
            key: Field(arrays[key].ptr, arrays[key].strides[0], n, places[key], self.seen[key].ctypes.data)
            for key, n in count.items()
        }
        into, back = (
            (Field * len(keys))(*map(fields.get, keys))
            for keys in ([key for key in varying if key not in results], out)
        )

        # both calls take the address of one struct, and the worlds to go through
        entry = (ctypes.c_void_p * 3)(*self.kernel.addresses)
        self.gang = Gang(
            base, self.rows.ctypes.data, *map(ctypes.addressof, (into, back, entry)), len(into), len(back), width
        )
        values = [
            ctypes.c_uint64(ctypes.addressof(self.gang)),
            ctypes.c_uint64(0),
            ctypes.c_int32(0),
            ctypes.c_int32(0),
        ]
        self.step, self.results = (
            NativeCall(native_code(function), values, (self, into, back, entry))
            for function in (gang_step, gang_results)
        )


def _is_varying(owner: str, name: str) -> bool:
    """Whether a field has numbers of worlds. Raises TypeError for one that a gang cannot hold."""
    field = TABLES[owner][name]
    if field.role == "index":
        return False
    if scalar_type(field.dtype) not in (float, wp.float32):
        raise TypeError(f"{owner}.{name}: expected float32 in stages of a gang, got {field.dtype}")
    return True


def _count(array: wp.array, most: int | None) -> int:
    """Numbers of one world; of the first ``most`` elements alone where there is a limit."""
    shape = array.shape[1:] if most is None else (most, *array.shape[2:])
    return math.prod(shape) * wp.types.type_size_in_bytes(array.dtype) // 4


def _of_geoms(owner: str, name: str, value: Callable) -> int | None:
    """Geoms up to the last one whose pose a step computes, for a field that has numbers of geoms."""
    if (TABLES[owner][name].dims or "").split()[:1] != ["ngeom"]:
        return None

    # geoms that a step poses come first in that order, but not in their own
    posed = value("m", "geom_order").numpy()[: value("d", "nposedgeom")]
    return int(posed.max(initial=-1)) + 1


def _aligned(count: int) -> np.ndarray:
    """So many zeros, from a multiple of 64 bytes on."""
    # whole SIMD vectors are read and written
    whole = np.zeros(count + 16, np.float32)
    first = -whole.ctypes.data % 64 // 4
    return whole[first : first + count]


def _view(struct, fields: dict, owner: str, places: dict, base: int):
    """A view of a gang's numbers as those of one world, whose elements are 16 times as large."""
    view = struct.ctype()
    for name, field in fields.items():
        if not isinstance(field, wp.array):
            setattr(view, name, field)
            continue

        # a copy of the descriptor: the array itself stays that of the worlds
        found = type(field.__ctype__()).from_buffer_copy(field.__ctype__())
        if (owner, name) in places:
            found.data = base + 64 * places[owner, name]

            # strides from the last dimension on; the first, of worlds, has one
            size = GANG_SIZE * wp.types.type_size_in_bytes(field.dtype)
            for k in reversed(range(field.ndim)):
                found.strides[k] = size
                size *= field.shape[k] if k else 1
        setattr(view, name, found)
    return view
