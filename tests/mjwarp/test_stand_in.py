"""Stand-in: ``mujoco_warp`` is ``newtonlite.mjwarp`` while asked for, says what it lacks, and is given back."""

import importlib
import subprocess
import sys

import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.mjwarp import __main__ as command
from newtonlite.mjwarp import types
from newtonlite.mjwarp.stand_in import StandIn

ASK = """import sys
import mujoco_warp as mjw
from mujoco_warp._src.types import vec5
print(mjw.__version__, sys.argv[1:], __name__, mjw.step.__module__)
"""


@pytest.fixture
def free_name(monkeypatch):
    """Nobody has imported MuJoCo Warp."""
    for name in [n for n in sys.modules if n.partition(".")[0] == "mujoco_warp"]:
        monkeypatch.delitem(sys.modules, name)
    before = list(sys.meta_path)
    yield
    sys.meta_path[:] = before
    for name in [n for n in sys.modules if n.partition(".")[0] == "mujoco_warp"]:
        del sys.modules[name]


def test_the_name_is_this_packages_until_it_is_given_back(free_name):
    before = list(sys.meta_path)
    with mjw.stand_in() as standing:
        found = importlib.import_module("mujoco_warp")
        assert found.step is mjw.step and found.Model is mjw.Model and "newtonlite" in found.__version__
        assert importlib.import_module("mujoco_warp._src.types").vec5 is types.vec5
        assert mjw.stand_in() is standing
    assert sys.meta_path == before and "mujoco_warp" not in sys.modules
    assert not isinstance(importlib.util.find_spec("mujoco_warp"), StandIn)
    assert found.step is mjw.step  # programs keep what they have
    standing.undo()


def test_every_name_that_is_there_is_found_and_what_is_not_is_said(free_name):
    with mjw.stand_in():
        found = importlib.import_module("mujoco_warp")
        assert {name for name in mjw.__all__ if not hasattr(found, name)} == set()
        assert set(mjw.__all__) <= set(dir(found))
        with pytest.raises(AttributeError, match=r"'nxn_broadphase': newtonlite\.mjwarp in the place.*docs/mjwarp\.md"):
            _ = found.nxn_broadphase
        with pytest.raises(ImportError, match=r"newtonlite\.mjwarp"):
            exec("from mujoco_warp import nxn_broadphase")
        for missing in ("mujoco_warp._src.collision_driver", "mujoco_warp.viewer"):
            with pytest.raises(
                ModuleNotFoundError, match=r"newtonlite\.mjwarp is in the place of mujoco_warp"
            ) as raised:
                importlib.import_module(missing)
            assert raised.value.name == missing


def test_a_name_that_is_taken_is_not_taken_over(free_name, monkeypatch):
    other = type(sys)("mujoco_warp")
    other.__file__ = "elsewhere.py"
    monkeypatch.setitem(sys.modules, "mujoco_warp", other)
    with pytest.raises(StateError, match=r"imported already, from elsewhere\.py"):
        mjw.stand_in()
    assert sys.modules["mujoco_warp"] is other


def test_a_script_and_a_module_run_on_it(tmp_path):
    (tmp_path / "asking.py").write_text(ASK)
    for how in (["asking.py"], ["-m", "asking"]):
        made = subprocess.run(
            [sys.executable, "-m", "newtonlite.mjwarp", *how, "--seed", "1"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=300,
        )
        assert made.returncode == 0, made.stderr
        assert "+newtonlite" in made.stdout and "['--seed', '1'] __main__ newtonlite." in made.stdout


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["-m"], 2), (["--help"], 0), (["no_such.py"], 2)])
def test_the_command_says_how_it_is_called(arguments, status, capsys):
    assert command.main(arguments) == status
    said = capsys.readouterr()
    assert "-m MODULE" in said.out + said.err
