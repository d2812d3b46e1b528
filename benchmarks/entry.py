"""Entry point of ``python -m benchmarks NAME`` and ``python -m conformance NAME``."""

import ast
import os
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]


def commands(folder: str) -> dict[str, str]:
    """Modules of a folder that have a function ``main`` or a ``SWEEP``, with the first line of their docstrings."""
    found = {}
    for path in sorted((ROOT / folder).glob("[a-z]*.py")):
        tree = ast.parse(path.read_text())
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        names += [t.id for node in tree.body if isinstance(node, ast.Assign) for t in node.targets if hasattr(t, "id")]
        if "main" in names or "SWEEP" in names:
            found[path.stem] = (ast.get_docstring(tree) or "").splitlines()[0]
    return found


def run(folder: str) -> int:
    """Run the command that the first argument names, with the rest of the arguments; without one, list them all."""
    known = commands(folder)
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in known:
        if name not in ("", "-h", "--help"):
            print(f"{folder}: there is no {name!r}", file=sys.stderr)
        print("\n".join(f"{key:20} {doc}" for key, doc in known.items()))
        return int(name not in ("", "-h", "--help")) * 2
    os.environ.setdefault("NEWTONLITE_KERNELS", "wait")  # figures are of kernels of the model's features
    sys.argv = [f"{folder} {name}", *sys.argv[2:]]
    module = import_module(f"{folder}.{name}")
    return getattr(module, "SWEEP", module).main() or 0
