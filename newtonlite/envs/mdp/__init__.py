"""Terms that come with the package, under mjlab's names: ``mdp.joint_pos_rel``, ``mdp.track_linear_velocity``,
``mdp.dr.body_mass`` ...

``docs/terms.md`` lists them all with their parameters.
"""

import inspect
from importlib import import_module

MODULES = {
    "actions": "newtonlite.envs.mdp.actions",
    "observations": "newtonlite.envs.mdp.observations",
    "rewards": "newtonlite.envs.mdp.rewards",
    "terminations": "newtonlite.envs.mdp.terminations",
    "events": "newtonlite.envs.mdp.events",
    "commands": "newtonlite.envs.mdp.commands",
    "curriculums": "newtonlite.envs.mdp.curriculums",
    "metrics": "newtonlite.envs.mdp.metrics",
    "feet": "newtonlite.envs.mdp.feet",
    "reaching": "newtonlite.envs.mdp.reaching",
    "locomotion": "newtonlite.envs.mdp.locomotion",
    "ground": "newtonlite.envs.ground",
    "sensors": "newtonlite.envs.sensors",
    "entity": "newtonlite.envs.entity",
    "dr": "newtonlite.envs.mdp.dr",
}
INNER = {
    "Controls",
    "Joints",
    "Ground",
    "Ranges",
    "Field",
    "by_name",
    "positive",
    "grid",
    "ground_of",
    "fields_of",
    "thing",
    "numbers",
    "called",
    "matches",
    "watched",
    "builder_of",
    "model_of",
    "planes",
    "name_of",
    "put_terrain",
    "start_of",
}


def terms(module: str) -> dict:
    """Terms of a module by name."""
    found = vars(import_module(MODULES[module]))
    return {k: v for k, v in found.items() if is_term(k, v, MODULES[module])}


def is_term(name: str, value, home: str) -> bool:
    """Whether a name of a module is a term: a function or class of its own, not a kernel."""
    return (
        (inspect.isfunction(value) or inspect.isclass(value))
        and (value.__module__ + ".").startswith(home + ".")
        and not name.startswith("_")
        and name not in INNER
    )


def __getattr__(name: str):
    if name in MODULES:
        return import_module(MODULES[name])
    for module in MODULES:
        if module != "dr" and name in (found := terms(module)):
            return found[name]
    raise AttributeError(f"there is no term called {name!r}; docs/terms.md lists them")


def __dir__():
    return sorted({*globals(), *MODULES, *(name for module in MODULES if module != "dr" for name in terms(module))})
