"""Arrays of a checkpoint of an environment: what the next step depends on, and what may take its place."""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.data import FIELDS, KEPT
from newtonlite.solvers.mujoco.model import FIELDS as MODEL_FIELDS
from newtonlite.solvers.mujoco.model_constants import INPUTS, RESULTS


def arrays_of(env) -> dict:
    """Every array that the next step depends on, by name."""
    d, m = env.sim.data.engine, env.sim.model
    found = {
        f"data/{name}": a
        for name, a in d.arrays.items()
        if a.size and (FIELDS[name].role in KEPT or name in env.task.keep)
    }
    found |= {
        f"model/{name}": a
        for name, a in m.arrays.items()
        if a.size and MODEL_FIELDS[name].role == "param" and _is_per_world(env, name, a)
    }
    found |= {
        "seed": env.seed,
        "episode": env.episode,
        "step_count": env.step_count,
        "origins": env.origins,
        "changed": env._changed,
    }
    found |= {f"before/{field}/{numbers}": kept for (field, numbers), kept in env._kept_before.items()}
    if env.sim.encoder_bias is not None:
        found["encoder_bias"] = env.sim.encoder_bias
    if env.ground:
        found |= env.ground.state()
    for manager in (env.terminations, env.events, env.actions, env.rewards, env.metrics, env.observation_manager):
        found |= manager.state()
    for table in (env.command_terms, env.sensors, env.terms.objects()):
        for name, thing in table.items():
            if hasattr(thing, "state"):
                found |= thing.state(name)
    return {name: a for name, a in found.items() if a.size}


def _is_per_world(env, name: str, array: wp.array) -> bool:
    """Whether a parameter of the model is the worlds' own: a single world's does not show by its shape."""
    if env.num_worlds > 1:
        return array.ndim > 0 and array.shape[0] == env.num_worlds
    follows = name in RESULTS and not env.per_world.isdisjoint(INPUTS)
    return name in env.per_world or follows


def check_array(env, name: str, given: np.ndarray, own: np.ndarray) -> None:
    """StateError unless an array of a checkpoint may take the place of the environment's own."""
    if given.shape != own.shape:
        raise StateError(
            f"checkpoint: {name} has shape {list(given.shape)}, expected {list(own.shape)}; the number of worlds differs"
        )
    if given.dtype != own.dtype:
        raise StateError(f"checkpoint: {name} is {given.dtype}, expected {own.dtype}")
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise StateError(f"checkpoint: {name} is not a number in some place")
    d, ground = env.sim.data.engine, env.ground
    most = {"data/ncon": d.nconmax, "data/nefc": d.njmax, "step_count": np.inf, "episode": np.inf}
    if ground:
        most |= dict(zip(("ground/levels", "ground/kinds"), (n - 1 for n in ground.origins.shape)))
    if name in most and not (given.min() >= 0 and given.max() <= most[name]):
        raise StateError(f"checkpoint: {name} is {given.min()} to {given.max()}, expected 0 to {most[name]}")
