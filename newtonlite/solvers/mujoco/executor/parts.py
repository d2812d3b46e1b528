"""Parts: a stage whose calls are functions of their own in a GPU's kernel, which find the views in memory.

A compiler's time grows faster than the function that it has before it, and a kernel is one function. A stage that loops over
others, each as large as a kernel, is left a loop of calls; views would be copied at each of them, so that they take
addresses.
"""

import ast
import copy
from collections.abc import Callable, Collection

import warp as wp

from newtonlite.solvers.mujoco.executor.views import syntax

VIEWS = ("m", "d")
ADDRESSES = tuple(f"{view}_at" for view in VIEWS)
"""Names of the views' addresses beside the views."""


class Parts:
    """Functions that are compiled by themselves in one kernel, each once.

    ``views``: the structs, of the model and the data; ``loops``: names of functions that are no more than calls of others;
    ``define(source, file, scope)`` runs generated source.
    """

    def __init__(self, views: dict, loops: Collection[str], define: Callable):
        self.views, self.loops, self.define = views, loops, define
        self._made: dict[wp.Function, wp.Function] = {}

    def loop(self, stage: wp.Function) -> wp.Function:
        """``stage`` with the addresses ``m_at`` and ``d_at`` as arguments after its own, which the functions that it calls
        get in place of views.
        """
        # calls that begin with both views: their functions become parts, their views addresses
        function = copy.deepcopy(syntax(stage))
        names = dict(stage.func.__globals__)
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and _takes_views(call):
                called = names.get(call.func.id)
                if isinstance(called, wp.Function):
                    call.func.id += "_apart"
                    names[call.func.id] = self.part(called)
                    call.args[:2] = [ast.Name(at, ast.Load()) for at in ADDRESSES]
        # two arguments more, of which the views' structs know nothing
        function.decorator_list = []
        function.name += "_in_parts"
        number = ast.parse("wp.uint64", mode="eval").body
        function.args.args += [ast.arg(at, number) for at in ADDRESSES]
        return self._function(function.name, ast.unparse(ast.fix_missing_locations(function)) + "\n", names)

    def part(self, called: wp.Function) -> wp.Function:
        """A function that takes addresses of the views in place of the views, and is not inlined."""
        # one that is called from several places is made once, and so compiled once
        if called not in self._made:
            inner, loop = called, called.func.__name__ in self.loops
            if loop:
                inner = self.loop(called)
            # as the CPU's stages have it: views are read where they lie, field by field
            tree, name = syntax(called), f"{called.func.__name__}_part"
            taken = "".join(f", {a.arg}: {ast.unparse(a.annotation or ast.Constant(None))}" for a in tree.args.args[2:])
            passed = "".join(f", {a.arg}" for a in tree.args.args[2:]) + (", m, d" if loop else "")
            source = (
                f"def {name}(m: wp.uint64, d: wp.uint64{taken}){f' -> {ast.unparse(tree.returns)}' if tree.returns else ''}:\n"
                "    view_m = wp.array(ptr=m, shape=(1,), dtype=ViewM)\n    view_d = wp.array(ptr=d, shape=(1,), dtype=ViewD)\n"
                f"    {'return ' if tree.returns else ''}inner(view_m[0], view_d[0]{passed})\n"
            )
            names = dict(called.func.__globals__) | {"inner": inner, "ViewM": self.views["m"], "ViewD": self.views["d"]}
            self._made[called] = self._function(name, source, names, inline=False)
        return self._made[called]

    def _function(self, name: str, source: str, names: dict, **options) -> wp.Function:
        """A Warp function of generated source, of a function in the module that ``names`` are of: others have its name too."""
        scope = names | {"wp": wp, "__name__": __name__}
        self.define(source, f"<{names['__name__']}.{name}, {self.views['m'].key}>", scope)
        return wp.func(scope[name], module="unique", **options)  # pyright: ignore[reportCallIssue]


def _takes_views(call: ast.Call) -> bool:
    return [a.id for a in call.args[:2] if isinstance(a, ast.Name)] == list(VIEWS)
