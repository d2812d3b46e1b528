"""Who may import whom."""

import re
from importlib import import_module

import pytest

from newtonlite.core.doors import DOORS
from tests.house.project import PACKAGE, imports, name, sources

LAYERS = [
    "core",
    "images",
    "math",
    "geometry",
    "schema",
    "sim",
    "utils",
    "collide",
    "actuators",
    "controllers",
    "ik",
    "control",
    "importers",
    "exporters",
    "solvers",
    "models",
    "viewer",
    "envs",
    "learn",
    "mjwarp",
    "compat",
    "scale",
    "cli",
]
PEERS = {"mujoco", "mujoco_warp", "newton"}
ORACLE = {"tests/oracle.py", "tests/oracle_functions.py"}
PROGRAMS = {"tests/harness/mjlab_randomised.py", "tests/harness/mjlab_variants.py"}
"""Programs that run in environments of their own, beside a peer."""
REFERENCE = "newtonlite/solvers/mujoco/kernels/reference"
UPWARD = {
    (
        "solvers.mujoco.adapter.engine_group",
        "mjwarp",
    ): "SolverMuJoCo.mjw_model, mjw_data and import_mujoco, MuJoCo's names"
}
"""(module, layer above it): what methods open when they are called, beside ``DOORS``; nothing else goes up."""


TOP = {"usd": "importers", "sensors": "sim", "selection": "sim"}
"""Modules of the package's top, which only name things of a layer."""


def layer(module: str) -> str | None:
    """The layer a module of the package belongs to; None for the package itself and for anything else."""
    parts = module.split(".")
    if parts[0] != "newtonlite" or len(parts) == 1:
        return None
    return parts[1] if parts[1] in LAYERS else TOP.get(parts[1])


def layer_imports():
    """(file, line, its layer, imported layer) of every import between layers."""
    for path in sources("newtonlite"):
        here = layer(module_name(path))
        for module, line in imports(path):
            there = layer(module)
            if here and there and here != there:
                yield name(path), line, here, there


def test_every_folder_and_module_of_the_package_has_a_layer():
    modules = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in sources("newtonlite")}
    assert modules - {"__init__", "__main__"} == set(LAYERS) | set(TOP)


def test_imports_go_down_the_layers():
    upward = {
        (file.removeprefix("newtonlite/").removesuffix(".py").replace("/", "."), there)
        for file, line, here, there in layer_imports()
        if LAYERS.index(there) > LAYERS.index(here)
    }
    assert upward == set(UPWARD)


def test_doors_lead_up_to_what_is_there():
    for name_, (module, _) in DOORS.items():
        assert hasattr(import_module(module), name_), name_
        assert LAYERS.index(layer(module)) > LAYERS.index("geometry")


DRIVES = re.compile(
    r"\b(?:engine|data)\.make_data\(|import make_data|\bSchedule\(|\bptr=\w+\.ptr, dtype=(?:float|int)\b|\bINITIAL\b"
)
"""What the driver of the engine does: data, schedules, other views of memory, initial values."""


def test_mujoco_warps_names_and_environments_leave_driving_the_engine_to_its_driver():
    found = []
    for folder in ("mjwarp", "envs", "cli/bench", "solvers/mujoco/collision"):
        for path in sources("newtonlite"):
            if PACKAGE / folder in path.parents:
                lines = enumerate(path.read_text().splitlines(), 1)
                found += [f"{name(path)}:{number}: {text.strip()}" for number, text in lines if DRIVES.search(text)]
    assert not found, "\n".join(found)


def test_no_files_import_each_other_in_a_circle():
    """Anywhere in the package, imports inside functions too; ``UPWARD`` apart."""
    files = {module_name(path): path for path in sources("newtonlite")}
    left = {module: opened(module, path, files) for module, path in files.items()}
    found = circles((here, there) for here, others in left.items() for there in others)
    assert not found, f"these do, or lie between files that do: {sorted(found)}"


def opened(module: str, path, files) -> set[str]:
    """Files that a file imports: of ``from package import name`` the module of that name, where there is one."""
    named = {there for there, _ in imports(path) if there in files}
    named = {there for there in named if not any(other.startswith(f"{there}.") for other in named)}
    return {there for there in named - {module} if (module.removeprefix("newtonlite."), layer(there)) not in UPWARD}


def module_name(path) -> str:
    """The dotted name of a file of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_schema_imports_only_core():
    assert not [edge for edge in layer_imports() if edge[2] == "schema" and edge[3] != "core"]


def test_importers_never_import_a_solver():
    assert not [edge for edge in layer_imports() if edge[2] == "importers" and edge[3] == "solvers"]


def test_the_package_does_not_import_its_peers():
    found = [
        f"{name(path)}:{line}"
        for path in sources("newtonlite")
        for module, line in imports(path)
        if module.split(".")[0] in PEERS
    ]
    # the bench command measures against the peers, each imported when it is asked for
    assert not [place for place in found if not place.startswith("newtonlite/cli/bench")], found


def test_reference_forms_are_for_tests_and_readers_alone():
    """Nothing of the package imports them, so the wheel, which leaves them out, lacks nothing."""
    found = [
        f"{name(path)}:{line}"
        for path in sources("newtonlite")
        if not name(path).startswith(REFERENCE)
        for module, line in imports(path)
        if module.startswith(REFERENCE.replace("/", "."))
    ]
    assert not found, found
    assert f'exclude = ["/{REFERENCE}"]' in (PACKAGE.parent / "pyproject.toml").read_text()


def test_only_the_oracle_imports_mujoco():
    found = {name(path) for path in sources("tests") for module, _ in imports(path) if module.split(".")[0] in PEERS}
    assert found - PROGRAMS <= ORACLE


def folder_imports(base: str):
    """(module, imported module) below a folder of the package, its folders and files, with the places."""
    root = PACKAGE / base
    prefix = ".".join(["newtonlite", *base.split("/")])
    inside = [path for path in sources("newtonlite") if root in path.parents]
    modules = {
        ".".join(["newtonlite", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__"): path
        for path in inside
    }

    def room(module: str) -> str:
        path = modules[module].relative_to(root)
        return path.parts[0] if len(path.parts) > 1 else path.stem

    found = {}
    for module, path in modules.items():
        for imported, line in imports(path):
            if imported != prefix and imported in modules and room(imported) != room(module):
                found.setdefault((room(module), room(imported)), f"{name(path)}:{line}")
    return found


def circles(edges) -> set[str]:
    """Modules on a cycle of imports: what is left when modules without imports are taken away again and again."""
    edges = set(edges)
    while True:
        rooms = {a for a, _ in edges} | {b for _, b in edges}
        leaves = rooms - {a for a, _ in edges}
        rest = {(a, b) for a, b in edges if b not in leaves}
        if rest == edges:
            break
        edges = rest
    while True:
        targets = {b for _, b in edges}
        rest = {(a, b) for a, b in edges if a in targets}
        if rest == edges:
            return {a for a, _ in edges}
        edges = rest


FOLDERS = sorted({path.relative_to(PACKAGE).parent.as_posix() for path in sources("newtonlite")} - {"."})


@pytest.mark.parametrize("base", FOLDERS)
def test_no_folders_import_each_other(base):
    edges = folder_imports(base)
    assert not circles(edges), {edge: edges[edge] for edge in edges if set(edge) <= circles(edges)}


NEWTON = re.compile(
    r"\b(joint_qd?|body_qd?|joint_X_[pc]|joint_target_\w+|shape_(?:type|scale|material_\w+)|articulation_\w+)\b"
)
SPEAKS_BOTH = (
    "adapter",
    "collision",
    "compile",
    "authoring",
    "bindings",
    "kernels/state_io",
    "kernels/reference",
    "solver.py",
    "attributes.py",
)


def test_only_named_folders_of_the_engine_speak_newtons_words():
    engine = PACKAGE / "solvers" / "mujoco"
    found = []
    for path in sources("newtonlite"):
        if engine not in path.parents:
            continue
        inside = path.relative_to(engine).as_posix()
        if not inside.startswith(SPEAKS_BOTH):
            lines = enumerate(path.read_text().splitlines(), 1)
            found += [
                f"{name(path)}:{number}: {word.group()}" for number, text in lines if (word := NEWTON.search(text))
            ]
    assert not found, "\n".join(found)
