"""Update kernels: the kernel forms of derived parameters, written against views like stages.

A kernel takes any of the views ``m`` (parameters of the engine), ``s`` (the scene's arrays), ``mjc`` (its MuJoCo
attributes) and ``t`` (tables of the row), whose structs follow from the names in its source, and ``changed`` [nworld].
Its other parameters are numbers [nworld, n] of arrays that the row names.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable

import warp as wp

from newtonlite.core.kernel_folders import PACKAGE
from newtonlite.core.kernel_module import kernel_module
from newtonlite.schema.columns import columns
from newtonlite.sim.model_table import ROWS
from newtonlite.sim.namespace.registration import DTYPES
from newtonlite.solvers.mujoco.executor.views import kind_of_field
from newtonlite.solvers.mujoco.fields import DATA
from newtonlite.solvers.mujoco.model import FIELDS

DATA_FIELDS = {field.name: field for field in DATA}
KINDS = {
    "m": lambda name: kind_of_field(FIELDS[name] if name in FIELDS else DATA_FIELDS[name]),
    "s": lambda name: wp.array2d(dtype=ROWS[name].dtype),
    "mjc": lambda name: wp.array2d(dtype=DTYPES[columns()[name].dtype]),
}
"""Type of an array of a view, by its name."""


def is_per_world(view: str, name: str) -> bool:
    """Whether an array of a view has a row for each world."""
    return view in ("s", "mjc") or view == "m" and (name not in FIELDS or FIELDS[name].role != "index")


class UpdateKernel:
    """A kernel over worlds and things, and the arrays it takes: ``fields`` has the names that it uses of each view."""

    def __init__(self, function: Callable, kinds: dict):
        parameters = list(inspect.signature(function).parameters)
        views = [name for name in parameters if name in KINDS or name == "t"]
        self.fields: dict[str, tuple] = dict.fromkeys(views, ())
        definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        definition.decorator_list = []
        for node in ast.walk(definition):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in views:
                view = node.value.id
                self.fields[view] = tuple(sorted({*self.fields[view], node.attr}))
        self.kinds = {name: kinds.get(name, int) for name in self.fields.get("t", ())}
        """Element type of each table."""
        self.structs = {view: self._struct(function, view) for view in views}
        others = dict.fromkeys(parameters, wp.array2d[float]) | {"changed": wp.array[int]}
        function.__annotations__ = {name: self.structs.get(name, others[name]) for name in parameters}
        if function.__module__.startswith(f"{PACKAGE.name}."):
            kernel_module(function.__module__)
        self.parameters, self.kernel = parameters, wp.kernel(function, enable_backward=False)

    def _struct(self, function: Callable, view: str) -> type:
        kinds = {
            name: wp.array(dtype=self.kinds[name]) if view == "t" else KINDS[view](name) for name in self.fields[view]
        }
        name = f"{function.__name__}_{view}"
        return wp.struct(type(name, (), {"__annotations__": kinds, "__module__": function.__module__}))

    def inputs(self, value: Callable) -> list:
        """Arguments of a launch, with the arrays ``value(view, name)``; the view of a plain argument is ''."""
        return [self._view(name, value) if name in self.structs else value("", name) for name in self.parameters]

    def _view(self, view: str, value: Callable):
        filled = self.structs[view]()
        for name in self.fields[view]:
            setattr(filled, name, value(view, name))
        return filled


def update_kernel(**kinds) -> Callable:
    """Decorator of an update kernel; ``kinds`` are the element types of tables that are not integers."""
    return lambda function: UpdateKernel(function, kinds)
