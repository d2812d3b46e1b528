"""Stage contracts: writes docs/reference/pipeline.md, what every stage reads, writes and computes.

    python -m conformance stages

Everything on the page is derived: the equation from the stage's docstring, reads and writes from its source and that of
the functions it calls, the GPU kernel from the pipeline page, MuJoCo's function from the glossary.
"""

import ast
import functools
import inspect
import re
from importlib import import_module
from pathlib import Path

import warp as wp

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.adapter.programs import PULL, PUSH
from newtonlite.solvers.mujoco.executor import plan
from newtonlite.solvers.mujoco.executor.views import fields_used

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "pipeline.md"
LISTS = {
    "Position": pipeline.POSITION,
    "Collision": (*pipeline.COLLISION, *(s for s in pipeline.FWD_POSITION if s.key.endswith("wake_collision"))),
    "Velocity": pipeline.VELOCITY,
    "Actuation": pipeline.ACTUATION,
    "Constraint": pipeline.CONSTRAINT,
    "Sensors": (*pipeline.SENSOR_POS, *pipeline.SENSOR_VEL, *pipeline.SENSOR_ACC),
    "Solve": pipeline.SOLVE,
    "Integrate": pipeline.INTEGRATE,
}


def name_of(stage) -> str:
    """A stage's name without its module."""
    return stage.key.split(".")[-1]


def base(node):
    """The variable or field that an assignment's target is an element of."""
    while isinstance(node, ast.Subscript) or (
        isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id in "md")
    ):
        node = node.value
    return node


@functools.cache
def plain(function):
    """A native function's reference form in plain Warp, where there is one; any other function itself."""
    if function.native_snippet is None:
        return function
    for module in REFERENCES:
        found = getattr(import_module(module), function.key.split(".")[-1], None)
        if isinstance(found, wp.Function):
            return found
    return function


@functools.cache
def written(function) -> tuple[frozenset, frozenset]:
    """Fields, and names of arguments, that a function writes, by itself or through the functions it calls."""
    function = plain(function)
    fields, arguments = set(), set()

    def add(node) -> None:
        node = base(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in "md":
            fields.add((node.value.id, node.attr))
        elif isinstance(node, ast.Name):
            arguments.add(node.id)

    for node in ast.walk(function.adj.tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Subscript):
                    add(target)
        if isinstance(node, ast.Call):
            called = function.func.__globals__.get(getattr(node.func, "id", None))
            if isinstance(node.func, ast.Attribute) and node.func.attr.startswith("atomic_"):
                add(node.args[0])
            elif isinstance(called, wp.Function) and not called.is_builtin() and called is not function:
                inner, names = written(called)
                fields |= inner
                for argument, given in zip(inspect.signature(called.func).parameters, node.args, strict=False):
                    if argument in names and not isinstance(given, ast.Constant):
                        add(given)
    return frozenset(fields), frozenset(arguments)


def counterparts() -> dict[str, str]:
    """MuJoCo's function of each stage, from the glossary."""
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| .+ \|$", (ROOT / "docs" / "glossary.md").read_text(), re.M)
    return dict(rows)


def tests_of(stage: str) -> str:
    """The test files that name a stage; all others are compared with MuJoCo part by part in ``test_stagewise``."""
    folder = ROOT / "tests" / "solvers" / "mujoco"
    found = [p for p in sorted(folder.rglob("test_*.py")) if re.search(rf"\b{stage}\b", p.read_text())]
    return ", ".join(p.relative_to(folder).as_posix() for p in found[:2]) or "kernels/test_stagewise.py"


def row(stage, kernels: dict, mujoco: dict) -> str:
    """A stage as a line of the table."""
    name = name_of(stage)
    writes = sorted(f"{owner}.{f}" for owner, f in written(stage)[0])
    reads = sorted(f"{owner}.{f}" for owner, f in fields_used(stage) if f"{owner}.{f}" not in writes)
    equation = (inspect.getdoc(stage.func) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    reads = ", ".join(reads[:12]) + (f" and {len(reads) - 12} more" if len(reads) > 12 else "")
    return (
        f"| `{name}` | {mujoco.get(name, 'new')} | {equation} | {reads} | {', '.join(writes)} | "
        f"{kernels.get(name, 'motion' if stage in PUSH else 'integrate')} | {tests_of(name)} |"
    )


def page() -> str:
    """The page of all stages."""
    kernels = {name_of(s): key for key, stages in plan.FLEX_GPU_KERNELS.items() for s in stages}
    mujoco = counterparts()
    lines = [
        "# Stages",
        "",
        "Written by `python -m conformance stages`; a house test keeps it fresh. `m.` are fields of the model, `d.` of the data;",
        "shapes and units of all fields are in `newtonlite/solvers/mujoco/fields/`.",
    ]
    groups = {**LISTS, "Push and pull": (*PUSH, *PULL)}
    listed = {s for stages in groups.values() for s in stages}
    groups["Other"] = tuple(
        dict.fromkeys(s for g in (pipeline.STEP, *OTHER, *plan.GPU_KERNELS.values()) for s in g if s not in listed)
    )
    for title, stages in groups.items():
        lines += ["", f"## {title}", "", "| stage | MuJoCo | computes | reads | writes | GPU kernel | tests |"]
        lines += ["|---|---|---|---|---|---|---|", *(row(s, kernels, mujoco) for s in stages)]
    return "\n".join(lines) + "\n"


REFERENCES = [
    f"newtonlite.solvers.mujoco.kernels.reference.{path.stem}"
    for path in sorted((ROOT / "newtonlite/solvers/mujoco/kernels/reference").glob("[a-z]*.py"))
]
OTHER = (
    pipeline.SMOOTH,
    pipeline.ISLANDS,
    pipeline.COLLIDE,
    pipeline.CAMERA,
    pipeline.RAY,
    pipeline.INVERSE,
    pipeline.MODEL_UPDATE,
    pipeline.SPRING_LENGTHS,
)


def main() -> int:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
