"""``mjwarp-testspeed``: its options, its output."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp

from newtonlite.cli.main import main
from newtonlite.cli.testspeed import PARTS, replayed, table

SHORT = ["testspeed", "box_stack", "--nworld", "4", "--nstep", "6", "--device", "cpu"]


def measured(capsys, *options: str) -> dict:
    """What the command prints as JSON."""
    assert main([*SHORT, "--format", "json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_step_is_measured_with_overrides(capsys):
    result = measured(capsys, "-o", "opt.timestep=0.001", "--override", "opt.solver=cg", "--measure_alloc", "--memory")
    assert (result["function"], result["nworld"], result["nstep"], result["converged_worlds"]) == ("step", 4, 6, 4)
    assert result["realtime_factor"] == pytest.approx(0.001 * result["steps_per_second"])
    assert len(result["nacon"]) == 6 and result["nacon"][0][3] > 0
    assert result["memory"]["total"] > 0


def test_a_part_of_a_step_is_measured(capsys):
    assert measured(capsys, "--function", "kinematics")["function"] == "kinematics"
    assert "rungekutta4" not in PARTS


def test_people_get_a_summary(capsys):
    assert main([*SHORT, "--measure_solver", "--num_buckets", "2"]) == 0
    text = capsys.readouterr().out
    assert "Total steps per second" in text and "solver_niter" in text
    assert main([*SHORT, "--format", "short"]) == 0
    assert capsys.readouterr().out.startswith("box_stack step ")


def test_controls_of_a_file_are_replayed(capsys, tmp_path):
    file = tmp_path / "controls.npz"
    np.savez(file, ctrl=np.zeros((3, 0)), times=[0.0, 0.004, 0.01], qvel=np.full((1, 48), 0.1))
    short = [word for word in SHORT if word not in ("--nstep", "6")]
    assert (
        main([*short, "--format", "json", "--replay", str(file), "--info", "--nvmax", "3", "-o", "opt.timestep=0.002"])
        == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert (result["nstep"], result["sizes"]["nv"]) == (8, 48)
    np.savez(file, ctrl=np.zeros((3, 2)), times=[0.0, 1.0, 2.0])
    assert main([*short, "--replay", str(file)]) == 2
    assert "ctrl has shape (3, 2); give [nstep, 0]" in capsys.readouterr().err


def test_controls_of_a_file_are_held_until_the_next(tmp_path):
    file = tmp_path / "controls.npz"
    np.savez(file, ctrl=[[1.0], [2.0], [3.0]], times=[0.0, 0.03, 0.04])
    data = SimpleNamespace(ctrl=np.zeros((2, 1)))
    assert replayed(file, data, 0.01).ravel().tolist() == [1, 1, 1, 2, 3]


def test_compiled_kernels_are_removed_where_that_is_asked_for(capsys, monkeypatch):
    removed = []
    monkeypatch.setattr(wp, "clear_kernel_cache", lambda: removed.append(True))
    measured(capsys, "--clear_warp_cache")
    assert removed == [True]


def test_worlds_that_do_not_fit_are_an_error(capsys):
    assert main([*SHORT, "--nconmax", "1"]) == 1
    assert "did not fit" in capsys.readouterr().out


def test_bad_overrides_are_told(capsys):
    assert main([*SHORT, "-o", "opt.cones=1"]) == 2
    assert "opt.cones: there is no such field" in capsys.readouterr().err


def test_tables_have_a_row_for_each_part():
    assert table([1, 2, 3, 4], 2) == [[1.5, 0.5, 1.0, 2.0], [3.5, 0.5, 3.0, 4.0]]
