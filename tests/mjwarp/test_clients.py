"""Programs that others wrote, on this engine without a change to them: each runs where it is installed (docs/clients.md).

Programs that make a ``MjModel`` of their own and step it (environments of gymnasium) hand model and
data over; programs whose files count (robots, domains, tasks) are read here and compared with MuJoCo's compiler.
"""

import importlib
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from newtonlite import ModelBuilder, models
from newtonlite import mjwarp as mjw
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness.same_model import differences
from tests.tolerance import assert_close

DOMAINS = """acrobot ball_in_cup cartpole cheetah finger fish hopper humanoid humanoid_CMU pendulum point_mass reacher
    walker""".split()
FILES = {
    "gymnasium": "envs/mujoco/assets/*.xml",
    "robosuite": "models/assets/robots/*/robot.xml",
    "metaworld": "assets/sawyer_xyz/sawyer_[dp]*.xml",
    "gymnasium_robotics": "envs/assets/*/[mp]*.xml",
}
"""Model files that packages bring."""
CONVERTER = os.environ.get("NEWTONLITE_CONVERTER_PYTHON", "")
"""Interpreter of an environment with mujoco-usd-converter alone, whose OpenUSD does not go with ``usd-core``."""
CONVERT = "import sys; from mujoco_usd_converter import Converter; Converter().convert(*sys.argv[1:])"
KEPT = """body_mass body_inertia body_ipos body_pos dof_armature dof_damping jnt_type jnt_range jnt_stiffness qpos0 geom_type
    geom_pos actuator_gainprm actuator_biasprm actuator_ctrlrange actuator_gear""".split()
"""Fields of a compiled model that the converter's files hold."""


def needs(package: str):
    """A test that runs where a package is installed."""
    return pytest.mark.skipif(find_spec(package) is None, reason=f"needs {package}")


def folder(package: str) -> Path:
    """Where a package is installed; it is not imported."""
    return Path(find_spec(package).submodule_search_locations[0])


def oracles(path: Path):
    """MuJoCo's compiled model of a file; None for parts that MuJoCo does not compile by themselves."""
    try:
        return oracle.compile_xml(path)
    except ValueError:
        return None


@pytest.mark.parametrize("package", [pytest.param(name, marks=needs(name)) for name in FILES])
def test_model_files_compile_as_in_mujoco(package):
    read = 0
    for path in sorted(folder(package).glob(FILES[package])):
        want = oracles(path)
        if want is not None:
            read += 1
            assert not differences(want, mjw.load(path)), path.name
    assert read


@needs("dm_control")
@pytest.mark.parametrize("name", DOMAINS)
def test_domains_of_dm_control_compile_as_in_mujoco(name):
    text, assets = importlib.import_module(f"dm_control.suite.{name}").get_model_and_assets()
    text = text.decode() if isinstance(text, bytes) else text
    assert not differences(oracle.compile_xml(text, assets), mjw.load(text, assets))


def same_motion(model, data, control, step, qpos, steps: int = 5) -> None:
    """``step`` moves the program's own MuJoCo on by one step from ``data``; the engine, given model and data, goes along
    in two worlds.
    """
    m, d = mjw.put_model(model, device="cpu"), mjw.put_data(model, data, nworld=2, device="cpu")
    d.ctrl = np.tile(np.float32(control), (2, 1))
    for _ in range(steps):
        mjw.step(m, d)
        step()
    want = np.tile(qpos(), (2, 1))
    assert_close(d.qpos.numpy(), want, "trajectory", floor=1.0)


@needs("gymnasium")
@pytest.mark.parametrize("name", ["InvertedPendulum-v5", "Hopper-v5"])
def test_environments_of_gymnasium_move_as_their_own_mujoco_does(name):
    import gymnasium

    env = gymnasium.make(name).unwrapped
    env.reset(seed=1)
    control = np.full(env.model.nu, 0.3)
    same_motion(env.model, env.data, control, lambda: env.do_simulation(control, 1), lambda: env.data.qpos)


@pytest.mark.skipif(not CONVERTER, reason="needs an interpreter with mujoco-usd-converter, NEWTONLITE_CONVERTER_PYTHON")
@pytest.mark.parametrize("name", ["humanoid", "quadruped", "arm", "cartpole"])
def test_what_mujoco_usd_converter_writes_compiles_to_its_source(name, tmp_path):
    source = str(models.path(name))
    subprocess.run([CONVERTER, "-c", CONVERT, source, str(tmp_path)], check=True, capture_output=True)
    found = []
    for path, options in ((next(tmp_path.glob("*.usda")), {"joint_ordering": "authored"}), (source, {})):
        builder = ModelBuilder()
        SolverMuJoCo.register_custom_attributes(builder)
        add = builder.add_usd if options else builder.add_mjcf
        add(str(path), **options)
        found.append(compile_model(builder.finalize("cpu")))
    for field in KEPT:
        assert_close(
            getattr(found[0], field), np.asarray(getattr(found[1], field), float), "authored", floor=1.0, what=field
        )
