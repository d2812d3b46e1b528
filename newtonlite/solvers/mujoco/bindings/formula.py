"""Formulas: derived parameters whose one text gives both forms, NumPy in float64 for the compiler and a kernel in float32
for changes on the device.

A formula takes views like an update kernel (``m`` and ``t`` always) and the index of a thing, and returns a value for
each of its fields. It consists of assignments and one ``return``, conditional expressions instead of branches (all parts
are computed, so indices must be valid for every thing), and calls of the functions in ``FUNCTIONS`` and of ``NumPy``.
``sized(x, scale)`` is a value that is kept where it changes by rounding of numbers as large as ``scale``.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import reduce

import numpy as np

from newtonlite.core.generated import define
from newtonlite.math.quat import conjugate, normalized, product, rotate, to_wxyz
from newtonlite.solvers.mujoco.bindings.arrays import with_rows
from newtonlite.solvers.mujoco.bindings.gains import solref_from_gains
from newtonlite.solvers.mujoco.bindings.update_kernel import UpdateKernel, is_per_world
from newtonlite.solvers.mujoco.kernels.state_io.model_update import write


class NumPy:
    """``wp`` of the NumPy form. Numbers of things are [..., n, 1], vectors [..., n, width]."""

    @staticmethod
    def vec(*parts) -> np.ndarray:
        """A vector of numbers."""
        return np.concatenate(np.broadcast_arrays(*(np.atleast_1d(x).astype(float) for x in parts)), axis=-1)

    vec2 = vec3 = quat = vec
    abs, sqrt, isnan = np.abs, np.sqrt, np.isnan

    @staticmethod
    def max(a, *b):
        """The larger of two, or the largest component."""
        return np.maximum(a, *b) if b else np.max(a, axis=-1, keepdims=True, initial=0.0)

    @staticmethod
    def length(v):
        """Length of a vector."""
        return np.linalg.norm(v, axis=-1, keepdims=True)

    @staticmethod
    def dot(a, b):
        """Inner product."""
        return np.sum(a * b, axis=-1, keepdims=True)

    @staticmethod
    def cross(a, b):
        """Cross product."""
        return np.cross(a, b)

    @staticmethod
    def normalize(v):
        """Direction of a vector; zero stays zero."""
        size = np.linalg.norm(v, axis=-1, keepdims=True)
        return v / np.where(size > 0, size, 1.0)

    @staticmethod
    def transform_get_translation(X):
        """Position of a transform."""
        return X[..., :3]


FUNCTIONS = {
    "wp": NumPy,
    "quat_mul": product,
    "quat_conj": conjugate,
    "quat_rotate": rotate,
    "quat_normalize": normalized,
    "rotation_of": lambda X: to_wxyz(X[..., 3:]),
    "force_space": lambda ke, kd, factor: solref_from_gains(ke, kd, factor)[..., 0, :],
    "sized": lambda x, scale: x,
    "where": np.where,
    "part": lambda v, k: v[..., k : k + 1],
}


class ArrayView:
    """A view in the NumPy form: ``view.name[i]`` is [..., n, width] for indices ``i`` [n, 1]."""

    def __init__(self, read: Callable):
        self._read = read

    def __getattr__(self, name: str):
        return ArrayRows(self._read(name))


class ArrayRows:
    """Rows of an array, [..., n, width]."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, i):
        return self.values[..., np.ravel(i).astype(int), :]


def column(values, rank: int) -> np.ndarray:
    """Values of things [..., n, width] from those of an array of a rank without worlds, 1 or 2."""
    return np.asarray(values)[..., None] if rank == 1 else np.asarray(values)


class Dialect(ast.NodeTransformer):
    """A formula as a kernel says it (``world`` in front of the index), or as NumPy does."""

    def __init__(self, views: list[str], numpy: bool):
        self.views, self.numpy = views, numpy

    def visit_Subscript(self, node):
        self.generic_visit(node)
        view, name = (getattr(getattr(node.value, "value", None), "id", ""), getattr(node.value, "attr", ""))
        if view in self.views:
            if not self.numpy and is_per_world(view, name):
                node.slice = ast.Tuple([ast.Name("world", ast.Load()), node.slice], ast.Load())
            return node
        return call("part", node.value, node.slice) if self.numpy else node

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return call("where", node.test, node.body, node.orelse) if self.numpy else node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        both = ast.BitAnd() if isinstance(node.op, ast.And) else ast.BitOr()
        return reduce(lambda a, b: ast.BinOp(a, both, b), node.values) if self.numpy else node


def call(function: str, *arguments: ast.expr) -> ast.Call:
    """A call of a function by its name."""
    return ast.Call(ast.Name(function, ast.Load()), list(arguments), [])


class Formula:
    """Both forms of a function; ``fields`` are names, or ``name:k`` for numbers of a row from ``k`` on. Table ``to`` has the
    row of each thing, its index where ``tables`` has none.
    """

    def __init__(self, function: Callable, fields: str, tables: Callable, kinds: dict):
        self.function, self._tables = function, tables
        self.fields = [(name, at) for name, _, at in (field.partition(":") for field in fields.split())]
        self.parameters = list(inspect.signature(function).parameters)
        self.kernel = UpdateKernel(self._defined(numpy=False), kinds)
        self._numpy = self._defined(numpy=True)

    def _defined(self, numpy: bool) -> Callable:
        """The function in one of the forms."""
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.function)))
        tree.body[0].decorator_list = []
        definition = Dialect(self.parameters[:-1], numpy).visit(tree).body[0]
        if not numpy:
            self._write(definition)
        source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        module, name = self.function.__module__, self.function.__name__
        file = f"<{module}.{name} {'NumPy' if numpy else 'kernel'}>"
        scope = self.function.__globals__ | ({**FUNCTIONS} if numpy else {"write": write})
        define(source, file, scope)
        return scope[name]

    def _write(self, definition: ast.FunctionDef) -> None:
        """Put statements that write the fields in place of the values that are returned."""
        thing, result = self.parameters[-1], definition.body.pop().value
        values = result.elts if isinstance(result, ast.Tuple) else [result]
        lines = []
        for (field, at), value in zip(self.fields, values, strict=True):
            sized = isinstance(value, ast.Call) and ast.unparse(value.func) == "sized"
            new, scale = map(ast.unparse, value.args) if sized else (ast.unparse(value), "0.0")
            place = f"t.to[{thing}], {at}" if at else f"t.to[{thing}]"
            lines.append(f"write(m.{field}, world, {place}, {new}, {scale}, changed)")
        definition.args.args[-1].arg = "changed"
        definition.body[1:1] = ast.parse(f"world, {thing} = wp.tid()").body
        definition.body += ast.parse("\n".join(lines)).body

    def tables(self, m) -> dict:
        """Tables of the view ``t``."""
        found = self._tables(m)
        return found if "to" in found else {"to": np.arange(len(next(iter(found.values())))), **found}

    def numpy(self, m, w) -> dict:
        """{field: values} of a compiled model from the scene's worlds."""
        tables = self.tables(m)
        to = np.asarray(tables["to"], int)
        found = {name: current(m, name) for name, _ in self.fields}
        if not len(to):
            return found
        reads = {
            "m": lambda name: column(getattr(m, name), m.rank(name)),
            "s": lambda name: w.words(name),
            "mjc": lambda name: w.words(f"mujoco:{name}"),
            "t": lambda name: column(tables[name], np.ndim(tables[name])),
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self._numpy(*(ArrayView(reads[p]) for p in self.parameters[:-1]), np.arange(len(to))[:, None])
        for (name, at), value in zip(self.fields, values if isinstance(values, tuple) else (values,), strict=True):
            found[name] = with_rows(found[name], m.rank(name), to, int(at or 0), np.asarray(value, float))
        return found


def current(m, name: str) -> np.ndarray:
    """A field of a compiled model; where it is not there yet zeros, quaternions the identity."""
    if hasattr(m, name):
        return np.asarray(getattr(m, name))
    values = m.zeros(name)
    if name.endswith("_quat"):
        values[..., 0] = 1.0
    return values
