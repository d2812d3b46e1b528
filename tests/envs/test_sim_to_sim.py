"""Sim to sim: an environment whose physics steps MuJoCo takes goes where the engine's goes."""

import numpy as np
import pytest

from benchmarks.sim_to_sim import MujocoStep, returns_in_mujoco
from newtonlite.core.errors import ModelError
from newtonlite.envs import Environment, EventTerm, mdp, tasks
from tests.tolerance import tolerance


def test_a_task_in_mujocos_physics_goes_where_it_goes_here():
    pytest.importorskip("mujoco", reason="no mujoco: pip install 'newtonlite[bench]'")
    task = tasks.load("arm_reach")
    ours, theirs = (Environment(task, 2, seed=3) for _ in range(2))
    theirs.sim.step = MujocoStep(theirs)
    assert np.array_equal(ours.sim.data.qpos.numpy(), theirs.sim.data.qpos.numpy())
    for i in range(20):
        action = np.full((2, ours.actions.count), 0.5 * np.sin(0.3 * i), np.float32)
        ours.step(action)
        theirs.step(action)
        if i == 9:  # a reset is MuJoCo's new state too
            ours.reset(ours.every)
            theirs.reset(theirs.every)
        for a, b in ((ours.observations["policy"], theirs.observations["policy"]), (ours.reward, theirs.reward)):
            assert np.abs(a.numpy() - b.numpy()).max() < tolerance("trajectory"), i
    assert theirs.sim.step.worlds[0].time > 0 and ours.sim.data.time.numpy()[0] > 0


def test_tasks_that_randomise_the_model_are_refused():
    task = tasks.load("cartpole")
    task.events["mass"] = EventTerm(mdp.dr.body_mass, "startup", {"names": ".*", "ranges": (0.8, 1.2)})
    with pytest.raises(ModelError, match="randomises body_mass"):
        returns_in_mujoco(None, task)
