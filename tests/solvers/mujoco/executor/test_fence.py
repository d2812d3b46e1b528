"""The fence: with it down the engine runs on Warp's public interface, with the same bits."""

import os
import subprocess
import sys

import numpy as np
import pytest

from newtonlite.core import warp_internals
from newtonlite.solvers.mujoco.executor import fence, fused_kernel, specialize
from newtonlite.solvers.mujoco.executor.backend import Backend
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.quick_kernels import fold_quickly
from tests.house.project import ROOT
from tests.tolerance import assert_same

WORLDS = 18  # more than a gang
RESULTS = ("qpos", "qvel", "qacc", "qacc_warmstart")
ALONE = """
import sys
import newtonlite, newtonlite.envs, newtonlite.mjwarp
from newtonlite.solvers.mujoco.executor.backend import Backend
Backend.level = 0
model = newtonlite.ModelBuilder()
newtonlite.solvers.SolverMuJoCo.register_custom_attributes(model)
model.add_mjcf("<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>")
model = model.finalize(device="cpu")
solver, state = newtonlite.solvers.SolverMuJoCo(model), model.state()
solver.step(state, state, model.control(), None, 0.01)
assert state.joint_qd.numpy()[2] < -0.09, state.joint_qd.numpy()
print(sorted(m for m in sys.modules if "executor.cpu" in m))
"""
WRAPPED = '<body pos="{x} 0 {z}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'


@pytest.fixture
def cpu(device):
    """For what only a CPU has."""
    if device != "cpu":
        pytest.skip("a GPU has no fence")
    return device


def both(mj, states, monkeypatch, steps: int, **options) -> tuple[Engine, Engine]:
    """Engines with the fence up and down, some steps on."""
    engines = []
    for up in (True, False):
        with monkeypatch.context() as patch:
            patch.setattr(warp_internals, "used", lambda up=up: up)
            patch.setattr(fused_kernel, "_kernels", {})
            engines.append(Engine(mj, states, "cpu", **options).step(steps))
    return tuple(engines)


@pytest.mark.parametrize(
    "name, threads, special",
    [
        ("pendulum_double_hinge", 2, None),
        pytest.param("pendulum_double_hinge", 2, True, marks=pytest.mark.nightly),
        pytest.param("pendulum_double_hinge", 1, False, marks=pytest.mark.nightly),
        pytest.param("humanoid", 2, False, marks=pytest.mark.nightly),
        pytest.param("arm_position_actuators", 2, False, marks=pytest.mark.nightly),
    ],
)
def test_results_have_the_same_bits_with_the_fence_down(name, threads, special, cpu, monkeypatch):
    """By kernels of the model's features, by those of everything, and by unoptimised ones of its features (None)."""
    monkeypatch.setattr(specialize, "enabled", special)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "wait")
    if special is None:
        fold_quickly(monkeypatch)
    mj = oracle.named_model(name)
    up, down = both(mj, oracle.rollout_states(mj, WORLDS), monkeypatch, 5, threads=threads)
    assert type(down.schedule.backend) is Backend and type(up.schedule.backend) is not Backend
    for field in RESULTS:
        assert_same(down.read(field), up.read(field), field)
        assert np.isfinite(up.read(field)).all()


def test_islands_have_the_same_solution_with_the_fence_down(cpu, monkeypatch):
    fold_quickly(monkeypatch)
    boxes = "".join(WRAPPED.format(x=0.5 * k, z=0.1) for k in range(3))
    mj = oracle.compile_xml(f"<mujoco><worldbody><geom type='plane' size='9 9 .1'/>{boxes}</worldbody></mujoco>")
    up, down = both(mj, oracle.rollout_states(mj, 2), monkeypatch, 1)
    assert np.abs(down.read("qacc") - up.read("qacc")).max() <= 1e-3 * 9.81


def test_with_the_fence_down_nothing_of_it_is_imported(cpu):
    environment = {**os.environ, "NEWTONLITE_WARP_INTERNALS": "0", "NEWTONLITE_PROGRESS": "0", "PYTHONPATH": str(ROOT)}
    environment["NEWTONLITE_KERNELS"] = "wait"  # those of the model's features are soon compiled unoptimised
    done = subprocess.run([sys.executable, "-c", ALONE], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_a_programs_first_schedule_warns_of_an_untested_version(cpu, monkeypatch):
    mj = oracle.named_model("pendulum_double_hinge")
    asked = []
    monkeypatch.setattr(warp_internals, "warn_if_untested", lambda: asked.append(True))
    Engine(mj, oracle.rollout_states(mj, 1))
    assert asked and fence.CPU.endswith("executor.cpu")
