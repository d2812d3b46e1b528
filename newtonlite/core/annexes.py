"""Annexes: folders beside the core, the paths that they are reached by, and where their modules are."""

CONTROL, COMPAT = "newtonlite.control", "newtonlite.compat"
HOMES = {
    f"{CONTROL}.actuators": "newtonlite.actuators",
    f"{CONTROL}.controllers": "newtonlite.controllers",
    f"{CONTROL}.ik": "newtonlite.ik",
    f"{COMPAT}.newton": "newtonlite",
    f"{COMPAT}.mjwarp": "newtonlite.mjwarp",
}
"""Path of an annex's module, and of the module that it names; programs may use either."""


def modules_of(annex: str) -> dict[str, str]:
    """Modules of an annex by their last name, and where they are."""
    return {path.rpartition(".")[2]: home for path, home in HOMES.items() if path.startswith(f"{annex}.")}
