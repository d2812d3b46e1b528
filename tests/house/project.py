"""The files of the project, as the house tests read them."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "newtonlite"
TEXT = {".py", ".h", ".md", ".toml", ".xml", ".txt", ".cfg", ".yml", ".yaml", ".json", ".html", ".css", ""}


@cache
def files() -> list[Path]:
    """Every tracked text file; every file outside hidden folders where git knows nothing of the project."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [p for p in ROOT.rglob("*") if not any(part.startswith(".") for part in p.relative_to(ROOT).parts)]
    return sorted(path for path in found if path.is_file() and path.suffix in TEXT)


@cache
def sources(*folders: str) -> list[Path]:
    """The Python files under these folders of the project."""
    return [p for p in files() if p.suffix == ".py" and p.relative_to(ROOT).parts[0] in folders]


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> list[tuple[str, int]]:
    """Absolute names of the modules a file imports, anywhere in it, with line numbers."""
    found = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute(path, node)
            found += [(base, node.lineno)] + [(f"{base}.{alias.name}", node.lineno) for alias in node.names]
    return found


def absolute(path: Path, node: ast.ImportFrom) -> str:
    """The module an import names, with the leading dots resolved."""
    if not node.level:
        return node.module
    package = path.relative_to(ROOT).parts[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, node.module] if node.module else base)
