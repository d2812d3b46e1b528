"""Views: the field names in the source of stages, and structs that carry just those arrays."""

import ast
import functools
import inspect
import textwrap

import warp as wp

from newtonlite.solvers.mujoco import data as data_module
from newtonlite.solvers.mujoco import model as model_module

TABLES = {"m": model_module.FIELDS, "d": data_module.FIELDS}


@functools.cache
def source(stage: wp.Function) -> str:
    """Source of a stage, or of a function that it calls, from its own first column on."""
    return textwrap.dedent(inspect.getsource(stage.func))


@functools.cache
def syntax(stage: wp.Function) -> ast.FunctionDef:
    """Syntax tree of ``source``; not to be changed."""
    return ast.parse(source(stage)).body[0]


@functools.cache
def fields_used(stage: wp.Function) -> frozenset:
    """Pairs ``("m" or "d", field)`` that a stage reads or writes, through the functions it passes ``m`` or ``d`` to."""
    used = set()
    for node in ast.walk(syntax(stage)):
        # what the function itself reads or writes of a view
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in TABLES:
            used.add((node.value.id, node.attr))

        # a function that gets a view may read any field of it
        if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id in TABLES for a in node.args):
            called = stage.func.__globals__.get(getattr(node.func, "id", None))
            if isinstance(called, wp.Function) and called is not stage:
                used |= fields_used(called)
    unknown = sorted(f"{owner}.{name}" for owner, name in used if name not in TABLES[owner])
    if unknown:
        raise KeyError(f"stage {stage.key}: {', '.join(unknown)} not in fields.MODEL or fields.DATA")
    return frozenset(used)


@functools.cache
def view_struct(name: str, owner: str, names: tuple) -> type:
    """Warp struct with the named fields of the model (``"m"``) or the data (``"d"``).

    The same one for the same arguments: Warp makes one kernel of two with the same source, which takes the struct
    of the first.
    """
    # a struct without members has no size that C++ and ctypes agree on
    table = TABLES[owner]
    kinds = {f: kind_of_field(table[f]) for f in names} or {"unused": int}
    return wp.struct(type(name, (), {"__annotations__": kinds, "__module__": __name__}))


def kind_of_field(field):
    """Type of a field in a view: a number, or an array whose first dimension are worlds, but for indices."""
    if field.role == "size":
        return int
    ndim = len((field.dims or "").split()) + (field.role != "index")
    return wp.array(dtype=field.dtype, ndim=ndim)


def share(base: wp.array, nworld: int) -> wp.array:
    """``[nworld, ...]`` view in which every world is the one copy in ``base`` (world stride 0)."""
    if base.size == 0:
        return wp.zeros((nworld, *base.shape[1:]), dtype=base.dtype, device=base.device)

    # world stride 0: reading world k reads the one copy, without a test in the kernel
    view = wp.array(
        ptr=base.ptr,
        dtype=base.dtype,
        shape=(nworld, *base.shape[1:]),
        strides=(0, *base.strides[1:]),
        device=base.device,
        capacity=base.capacity,
    )
    view.owner = base
    return view


def as_numbers(array: wp.array, dtype=float) -> wp.array:
    """The numbers of an array ``[nworld, ...]``, or its words as those of another type, as ``[nworld, n]`` without a
    copy; worlds may lie apart.
    """
    if not array.size:
        return wp.zeros((array.shape[0], 0), dtype=dtype, device=array.device)
    word = wp.types.type_size_in_bytes(dtype)
    width = array.size // array.shape[0] * wp.types.type_size_in_bytes(array.dtype) // word
    view = wp.array(
        ptr=array.ptr,
        dtype=dtype,
        shape=(array.shape[0], width),
        strides=(array.strides[0], word),
        device=array.device,
        capacity=array.capacity,
    )
    view.owner = array
    return view


def worlds(array: wp.array, first: int, last: int) -> wp.array:
    """Worlds ``first`` to ``last - 1`` of an array with the world dimension in front, shared or not."""
    # shared by all worlds, empty, whole, or a slice
    if array.shape[0] == 1 and (first, last) != (0, 1):
        return share(array, last - first)
    if array.size == 0:
        return wp.zeros((last - first, *array.shape[1:]), dtype=array.dtype, device=array.device)
    return array if (first, last) == (0, array.shape[0]) else array[first:last]
