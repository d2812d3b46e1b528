"""Specialization of stages: constant folding of the features that a model lacks.

A stage's source is folded for features that are absent: tests that are then decided, and loops that are then empty, are
left out before Warp sees them, and stages of which nothing is left are dropped.  Everything else stays a run-time
value.  Features are folded by groups, so that few binaries serve many models; cold start and registers are those of the
features in use.
"""

import ast
import functools
import linecache
from zlib import crc32

import warp as wp

from newtonlite.core import mujoco
from newtonlite.solvers.mujoco.executor.views import source, syntax

GROUPS = (
    ("nv",),
    ("ngravcomp", "nlonefree", "nball", "nmocap", "npair"),
    ("nboxpair",),
    ("nroundpair",),
    ("nsap",),
    ("nconvexpair",),
    ("nspeculative",),
    ("nhfieldpair",),
    ("nfieldpair", "nfieldseed", "nfieldface"),
    ("nhfielddeep",),
    ("na", "nlaw", "ncircle", "nmomentrow", "ndelay", "ntendonclamp"),
    ("npid",),
    ("nhistory",),
    ("neq",),
    ("ntendon",),
    ("nspatial",),
    ("nflex", "nflexvert", "nflexedge", "nflexelem"),
    ("nflexinterp",),
    ("nflexforce", "nflexspring", "nflexstretch"),
    ("nflexvolume",),
    ("nflexbend",),
    ("nflexplastic",),
    ("nflexrod",),
    ("nflexchain", "nflexrodedge"),
    ("nflextwist",),
    ("nflexflat",),
    ("nflexcell", "nflexcellnode"),
    ("nflexshellbend",),
    ("nflexrow", "nflexlink"),
    ("nflexstrain",),
    ("nflexgroup",),
    ("nflexconvex",),
    ("nflexfield",),
    ("nflexground",),
    ("nflexpair", "nflexsweep"),
    ("nflexreduce",),
    ("nflexpassive", "nflexpassiverow"),
    ("nipcpoint",),
    ("nadhesion", "nsurfacevel"),
    (
        "npoly",
        "nplastic",
        "nfluid",
        "nderivative",
        "nenergy",
        "nfwdinv",
        "noverride",
        "ndiagexact",
        "opt_noslip_iterations",
    ),
    ("nsensepos",),
    ("nsensevel", "nsubtreevel"),
    ("nsenseacc",),
    ("nrne",),
    ("ncontactforce",),
    ("ntouch", "nsensecontact", "nsensecontactforce"),
    ("ntaxel",),
    ("ngrid",),
    ("nsensehistory",),
    ("nsensenoise",),
    ("nsensedistance",),
    ("nsenseenclosed",),
    ("nsensecamera",),
    ("nsenseray", "nraymesh", "nrayhfield", "nraysdf", "nraybox", "nraylong"),
    ("nsleep",),
    ("nfloat64",),
    ("nislandtree",),
    ("ncoupling", "ndrivetree"),
    ("nefmkept",),
    ("nsparse",),
    ("nstem",),
    ("nefmrow", "ncoupled"),
)
"""Sizes, by groups: where all of a group are 0, stages take them as constants."""

OPTIONS = ("opt_cone", "opt_integrator", "opt_solver")
"""Choices that are always taken as constants."""

enabled = True
"""Whether models get kernels of their features; otherwise all share the kernels of everything, compiled quickly for
tests (``disable``).
"""


def disable() -> None:
    """Let all models of this process share the kernels of everything, unoptimised where none are kept, for tests and
    sweeps.

    Warp's tile arena goes to static memory then: on the stack, Warp keeps its address in one variable per module, and
    unoptimised launches of other threads read it after the thread with that stack has ended (optimised ones never do).
    """
    global enabled
    enabled, wp.config.enable_tiles_in_stack_memory = False, False


def features(m) -> tuple:
    """Fields of a model that its stages may take as constants, as pairs ``(field, value)``."""
    if not enabled:
        return ()

    # a group is absent as a whole or not at all: one binary for each pattern of groups, not of sizes
    absent = [f for group in GROUPS if not any(m.sizes[f] for f in group) for f in group]
    return (*((f, 0) for f in absent), *((f, m.sizes[f]) for f in OPTIONS))


def constant_fold(stages, folded: tuple) -> tuple:
    """The stages for a model with these features; those that have nothing left to do are left out."""
    return tuple(v for v in (specialized(s, folded) for s in stages) if not _is_empty(v))


def _is_empty(stage: wp.Function) -> bool:
    return all(_does_nothing(s) for s in syntax(stage).body)


def _does_nothing(statement: ast.stmt) -> bool:
    """A statement that leaves no trace: ``pass``, a docstring, a barrier, a field read into a local name."""
    if isinstance(statement, ast.Assign):
        local = all(isinstance(t, ast.Name) for t in statement.targets)
        return local and not any(isinstance(n, ast.Call) for n in ast.walk(statement.value))
    return isinstance(statement, ast.Pass) or isinstance(statement, ast.Expr) and not _is_work(statement.value)


def _is_work(node: ast.expr) -> bool:
    """Whether a statement is neither a docstring nor a barrier."""
    return not isinstance(node, ast.Constant) and not (
        isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sync"
    )


@functools.cache
def specialized(stage: wp.Function, folded: tuple) -> wp.Function:
    """``stage`` with the fields in ``folded`` taken as constants, through the functions it passes ``m`` to."""
    if not folded:
        return stage

    # the stage itself: fields that are known become numbers, and decide tests and loops
    function = stage.func
    tree = ast.parse(source(stage))
    tree.body[0].decorator_list = []
    before = ast.dump(tree)
    _Fold(dict(folded)).visit(tree)

    # functions that still get the model are folded as well, and take the place of their names
    called = {
        n.func.id
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and _takes_model(n)
    }
    scope = dict(function.__globals__)
    swapped = {}
    for name in sorted(called):
        helper = scope.get(name)
        if isinstance(helper, wp.Function) and helper is not stage:
            swapped[name] = specialized(helper, folded)

    # nothing to fold: the stage that all models share, and its compiled kernel
    if ast.dump(tree) == before and all(scope[name] is helper for name, helper in swapped.items()):
        return stage
    # two functions of one name are two files: Python keeps the text of one
    return _declare(tree, scope | swapped, f"<{function.__module__}.{stage.key} {folded}>")


def is_folded(stage: wp.Function) -> bool:
    """Whether a stage is one of ``constant_fold``'s, without what its model lacks."""
    return stage.func.__module__.startswith(f"{__name__}.")


def _takes_model(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Name) and a.id == "m" for a in call.args)


def _declare(tree: ast.Module, scope: dict, file: str) -> wp.Function:
    """A Warp function from folded source, with the names it refers to."""
    # Warp reads sources where Python keeps them; a name that differs by what was folded keeps them apart
    source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope["__name__"] = (
        f"{__name__}.{crc32(file.encode()):x}"  # a Warp module of its own: the full function keeps its name
    )
    exec(compile(source, file, "exec"), scope)
    return wp.func(scope[tree.body[0].name])


class _Fold(ast.NodeTransformer):
    """Replaces ``m.field`` by its value and decides what follows from it."""

    def __init__(self, values: dict):
        self.values = values

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "m" and node.attr in self.values:
            value = self.values[node.attr]
            return ast.Constant(int(value) if isinstance(value, int) else value)  # Python compiles no enumerations
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)

        # 0 > 0, 2 == MjtCone.ELLIPTIC: both sides are numbers, and Python decides
        if len(node.ops) == 1 and isinstance(node.left, ast.Constant):
            right = self._value(node.comparators[0])
            if right is not None:
                expression = ast.Expression(ast.Compare(node.left, node.ops, [ast.Constant(right)]))
                return ast.Constant(eval(compile(ast.fix_missing_locations(expression), "<fold>", "eval")))
        return node

    def _value(self, node):
        """Number of a literal, or of one of MuJoCo's enumerations."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id.startswith("Mjt"):
            return int(getattr(mujoco, node.value.id)[node.attr])
        return None

    def visit_BoolOp(self, node):
        self.generic_visit(node)

        # one side may decide alone: False and x is False whatever x is, which need not be a number
        deciding = isinstance(node.op, ast.Or)
        if any(isinstance(v, ast.Constant) and bool(v.value) == deciding for v in node.values):
            return ast.Constant(deciding)

        # the others change nothing: True and x is x
        open_ = [v for v in node.values if not isinstance(v, ast.Constant)]
        if not open_:
            return ast.Constant(not deciding)
        node.values = open_
        return open_[0] if len(open_) == 1 else node

    def visit_If(self, node):
        # a decided test leaves the branch taken, without the test
        node.test = self.visit(node.test)
        if isinstance(node.test, ast.Constant):
            return self._block(node.body if node.test.value else node.orelse)
        node.body = self._block(node.body) or [ast.Pass()]
        node.orelse = self._block(node.orelse)
        return node

    def visit_For(self, node):
        node.iter = self.visit(node.iter)
        bounds = node.iter.args if isinstance(node.iter, ast.Call) else []

        # range(0), range(lane, 0, nlane): no pass for any lane
        stop = bounds[0 if len(bounds) == 1 else 1] if bounds else None
        if isinstance(stop, ast.Constant) and stop.value == 0:
            return []
        node.body = self._block(node.body) or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node):
        # a function needs a body: what has nothing left passes
        doc = node.body[:1] if ast.get_docstring(node) else []
        node.body = doc + (self._block(node.body[len(doc) :]) or [ast.Pass()])
        return node

    def _block(self, statements: list) -> list:
        """Statements folded one by one; each may become none or several."""
        out = []
        for statement in statements:
            found = self.visit(statement)
            out += found if isinstance(found, list) else [] if found is None else [found]
        return out
