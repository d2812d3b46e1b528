"""What a program changes between two calls of ``VectorEnv.step``: the next call knows of it; and its launches are those
of Warp.
"""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="VectorEnv needs the extra envs")

import warp as wp

from newtonlite.envs import VectorEnv, tasks
from newtonlite.envs.launch import Launcher
from tests.mjwarp.test_changes import OPTIONS, nested

WORLDS = 3
CHOSEN = OPTIONS | {"timestep": 0.003, "integrator": 0}  # not those of the task
WAYS = {
    **{f"model.opt.{n}": lambda e, n=n, v=v: nested(e.sim.model, **{n: v}) for n, v in CHOSEN.items()},
    "an option in place": lambda e: e.sim.model.opt.gravity.fill_(wp.vec3(0.0, 0.0, -3.0)),
    "a parameter": lambda e: setattr(e.sim.model, "body_mass", e.sim.model.body_mass.numpy() * 2.0),
    "a parameter in place": lambda e: e.sim.model.body_mass.assign(e.sim.model.body_mass.numpy() * 2.0),
    "a parameter per world": lambda e: setattr(
        e.sim.model, "body_mass", e.sim.model.body_mass.numpy()[0] * np.array([[1.0], [2.0], [3.0]])
    ),
    "a friction that was zero": lambda e: e.sim.model.dof_frictionloss.fill_(0.4),
    "a friction that was zero, as numbers": lambda e: setattr(e.sim.model, "dof_frictionloss", np.full(2, 0.4)),
    "a state": lambda e: setattr(e.sim.data, "qpos", e.sim.data.qpos.numpy() + 0.01),
    "forces in place": lambda e: e.sim.data.qfrc_applied.fill_(0.3),
    "an entry of the arrays": lambda e: e.sim.data.engine.arrays.__setitem__(
        "qfrc_applied", wp.full_like(e.sim.data.engine.arrays["qfrc_applied"], 0.3)
    ),
    "the weight of a reward": lambda e: setattr(next(iter(e.rewards.terms.values())), "weight", 7.0),
    "a scale of an observation": lambda e: e.observation_manager.shaped["policy"][0].shaping.scale.fill_(3.0),
    "a bound of an observation": lambda e: setattr(e.observation_manager.shaped["policy"][0].shaping, "high", -0.5),
    "an array of an observation": lambda e: setattr(
        e.observation_manager.shaped["policy"][0].shaping, "scale", wp.full(1, 3.0, dtype=float, device="cpu")
    ),
}
"""Ways to change something between two steps, by name."""
FREE = {"model.opt.cone", "model.opt.impratio_invsqrt", "model.opt.noslip_iterations", "model.opt.disableflags"}
WEAK = FREE | {f"model.opt.{n}" for n in ("tolerance", "ls_iterations", "iterations", "solver", "density", "viscosity")}
"""Options that may change no bit of a cart-pole."""


def made() -> VectorEnv:
    env = VectorEnv(tasks.load("cartpole"), WORLDS)
    env.reset(seed=3)
    return env


def stepped(env) -> list:
    found = [np.array(a) for a in env.step(np.full((WORLDS, 1), 0.4, np.float32))[:4]]
    return [*found, env.env.sim.data.qpos.numpy().copy(), env.env.sim.data.time.numpy().copy()]


@pytest.mark.parametrize("way", WAYS)
def test_the_next_step_knows_of_every_change(way):
    changed, fresh, without = made(), made(), made()
    for env in (changed, without):
        for _ in range(2):
            stepped(env)
    fresh.env.load(changed.env.state())
    for env in (changed, fresh):
        WAYS[way](env.env)
    results = [stepped(env) for env in (changed, fresh, without)]
    for now, from_the_start in zip(*results[:2]):
        np.testing.assert_array_equal(now, from_the_start)
    if way not in WEAK:
        assert any(not np.array_equal(a, b) for a, b in zip(results[0], results[2])), "a change without effect"


@wp.struct
class Pair:
    factor: float
    values: wp.array[float]


@wp.kernel
def scale(pair: Pair, offset: float, out: wp.array[float]):
    """Scaled values."""
    i = wp.tid()
    out[i] = pair.factor * pair.values[i] + offset


def test_a_launch_takes_the_arguments_of_the_moment():
    launch = Launcher(wp.get_device("cpu"))
    pair, out, other = Pair(), wp.zeros(3, device="cpu"), wp.zeros(3, device="cpu")
    pair.factor, pair.values = 2.0, wp.array([1.0, 2.0, 3.0], dtype=float, device="cpu")
    for factor, offset, target in ((2.0, 0.0, out), (2.0, 1.0, out), (5.0, 1.0, other), (2.0, 0.0, out)):
        pair.factor = factor
        launch(scale, 3, [pair, offset], [target])
        np.testing.assert_array_equal(target.numpy(), factor * np.arange(1.0, 4.0) + offset)
    assert len(launch.kept) == 3
    pair.values = wp.zeros(3, dtype=float, device="cpu")
    launch(scale, 3, [pair, 0.5], [out])
    np.testing.assert_array_equal(out.numpy(), 0.5)


def test_an_empty_launch_does_nothing():
    launch, out = Launcher(wp.get_device("cpu")), wp.zeros(0, dtype=float, device="cpu")
    pair = Pair()
    pair.values = out
    for _ in range(2):
        launch(scale, 0, [pair, 0.5], [out])
