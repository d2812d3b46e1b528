"""Files: the package writes none but by replacing it whole, and reads none in a way that could run code."""

import ast

import pytest

from tests.house.project import name, sources, tree

WRITES = {"write_text", "write_bytes", "savez", "savez_compressed", "imwrite", "savefig", "Export", "mkstemp"}
WRITERS = {
    "newtonlite/core/compile_queue.py": "names of its queue, locked and checked line by line, and the worker's last words",
    "newtonlite/core/replacing.py": "is what the others call",
    "newtonlite/exporters/usd/layers.py": "enters replacing of several files",
    "newtonlite/exporters/usd/write.py": "packs a temporary folder",
    "newtonlite/geometry/disk_cache.py": "makes the content in memory",
    "newtonlite/geometry/tet_mesh.py": "makes the content in memory",
    "newtonlite/viewer/page/panels/record.py": "makes pictures in memory",
    "newtonlite/viewer/page/movie.py": "makes pictures in memory",
}
"""Files that call one of ``WRITES`` outside ``with replacing(...)``, and why that is right."""
RUNS = {
    "newtonlite/solvers/mujoco/executor/specialize.py": "runs sources of stages of the package, and of who calls it",
    "newtonlite/core/generated.py": "runs sources that the package makes of its own tables and formulas",
    "newtonlite/solvers/mujoco/executor/fused_kernel.py": "runs what it has written from these",
    "newtonlite/solvers/mujoco/bindings/formula.py": "runs what it has written from formulas of the package",
    "newtonlite/envs/tasks/__init__.py": "runs the file that the caller names as a task",
    "newtonlite/cli/bench/__init__.py": "runs a file of this project, by a fixed name",
}
"""Files that run text as code, and which."""


RISKY = {"load", "read_array", "eval", "exec", "exec_module", "run", "Popen", "check_output", "system", "popen"}


def calls(path):
    """(line, name of the function, call) of every call in a file, with whether it stands in a ``with replacing``."""
    inside, nodes = set(), list(ast.walk(tree(path)))
    for node in nodes:
        if isinstance(node, ast.With) and any("replacing" in ast.unparse(item) for item in node.items):
            inside |= {id(part) for part in ast.walk(node)}
    for node in nodes:
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield node.lineno, called, node, id(node) in inside


def writes(called: str, node: ast.Call) -> bool:
    """Whether a call writes a file."""
    if called != "open":
        return called in WRITES
    at = 1 if isinstance(node.func, ast.Name) else 0
    mode = next((k.value for k in node.keywords if k.arg == "mode"), node.args[at] if len(node.args) > at else None)
    return isinstance(mode, ast.Constant) and isinstance(mode.value, str) and bool(set(mode.value) & set("wx+"))


@pytest.fixture(scope="module")
def found():
    return [(name(path), *call) for path in sources("newtonlite") for call in calls(path)]


def test_files_are_replaced_whole(found):
    astray = [f"{f}:{line}: {c}" for f, line, c, node, inside in found if not inside and writes(c, node)]
    assert not [text for text in astray if text.split(":")[0] not in WRITERS], astray


def test_what_is_read_runs_no_code(found):
    for file, line, called, node, _ in found:
        if called not in RISKY:
            continue
        where, text = f"{file}:{line}", ast.unparse(node)
        if text.startswith(("np.load(", "numpy.load(")) or called == "read_array":
            assert "allow_pickle=False" in text, where
        if text.startswith("torch.load("):
            assert "weights_only=True" in text, where
        if called in ("eval", "exec", "exec_module") and not text.startswith("policy."):
            assert file in RUNS, where
        assert "shell=True" not in text and called not in ("system", "popen"), where


def test_nothing_imports_what_unpickles():
    for path in sources("newtonlite"):
        for node in ast.walk(tree(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            risky = {n.split(".")[0] for n in names} & {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml"}
            assert not risky or name(path) == "newtonlite/learn/checkpoint.py", f"{name(path)}: {risky}"
