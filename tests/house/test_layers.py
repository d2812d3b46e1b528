"""Who may import whom."""

from tests.house.project import PACKAGE, imports, name, sources

LAYERS = ["core", "images", "math", "geometry", "schema", "sim", "collide", "importers", "exporters", "solvers", "mjwarp", "models", "viewer", "envs", "cli"]
PEERS = {"mujoco", "mujoco_warp", "newton"}
ORACLE = "tests/oracle.py"
LAZY = {
    ("sim", "importers"): "ModelBuilder.add_mjcf and its kin are doors to the importers, opened when called",
    ("sim", "solvers"): "Model.collide is a door to the engine's collision, opened when called",
}


def layer(module: str) -> str | None:
    """The layer a module of the package belongs to; None for the package itself and for anything else."""
    parts = module.split(".")
    return parts[1] if parts[0] == "newtonlite" and len(parts) > 1 and parts[1] in LAYERS else None


def layer_imports():
    """(file, line, its layer, imported layer) of every import between layers."""
    for path in sources("newtonlite"):
        here = layer(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for module, line in imports(path):
            there = layer(module)
            if here and there and here != there:
                yield name(path), line, here, there


def test_every_folder_of_the_package_is_a_layer():
    folders = {path.relative_to(PACKAGE).parts[0] for path in sources("newtonlite") if path.parent != PACKAGE}
    assert folders <= set(LAYERS)


def test_imports_go_down_the_layers():
    upward = [
        f"{file}:{line}: {here} imports {there}"
        for file, line, here, there in layer_imports()
        if LAYERS.index(there) > LAYERS.index(here) and (here, there) not in LAZY
    ]
    assert not upward, "\n".join(upward)


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


def test_only_the_oracle_imports_mujoco():
    found = {name(path) for path in sources("tests") for module, _ in imports(path) if module.split(".")[0] in PEERS}
    assert found <= {ORACLE}
