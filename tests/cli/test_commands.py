"""Each command does what it says, on little work."""

import json
import re

import pytest

from newtonlite.cli.main import main
from newtonlite.core import warp_internals
from tests.tolerance import tolerance


def call(argv, capsys, code=0):
    """Standard output of a command."""
    assert main(argv) == code
    return capsys.readouterr().out


def test_rollout_tells_how_it_went(device, capsys):
    argv = ["rollout", "humanoid", "--nworld", "6", "--nstep", "40", "--device", device]
    reported = json.loads(call([*argv, "--json"], capsys))
    assert (reported["worlds"], reported["steps"], reported["model"]) == (6, 40, "humanoid")
    assert reported["overflows"] == reported["bad_worlds"] == 0
    assert reported["ncon_max"] >= 8  # two feet of four corners
    assert reported["steps_per_second"] > 0
    line = call(argv, capsys)
    assert line.count("\n") == 1 and "6 worlds, 40 steps" in line and "0 overflows, 0 bad worlds" in line


@pytest.mark.parametrize("model, control", [("quadruped", "ou"), ("box_stack", "random")])
def test_every_packaged_model_rolls_out(model, control, device, capsys):
    reported = json.loads(
        call(
            ["rollout", model, "--worlds", "3", "--steps", "30", "--control", control, "--device", device, "--json"],
            capsys,
        )
    )
    assert reported["bad_worlds"] == reported["overflows"] == 0


CROWDED = ["rollout", "humanoid", "--worlds", "2", "--steps", "5", "--nconmax", "3", "--control", "zero", "--json"]
"""Contacts with less room than the first state needs, which is made unless it is to be an error."""


@pytest.mark.parametrize("overflow", ["warn", "grow"])
def test_room_is_made_for_the_first_state(overflow, device, capsys, recwarn):
    assert main([*CROWDED, "--device", device, "--overflow", overflow]) == 0
    reported = capsys.readouterr()
    figures = json.loads(reported.out)
    assert figures["overflows"] == 0 and figures["ncon_max"] == 8
    assert "nconmax is changed from 3 to 8" in reported.err + "".join(str(w.message) for w in recwarn)


def test_too_little_room_stops_the_rollout_where_asked(capsys):
    assert main([*CROWDED, "--device", "cpu", "--overflow", "raise"]) == 2
    assert "newtonlite rollout: 2 of 2 worlds had more contacts" in capsys.readouterr().err


def test_demo_writes_a_picture_and_its_figures(tmp_path, device, capsys):
    line = call(["demo", "--worlds", "3", "--steps", "20", "--out", str(tmp_path), "--device", device], capsys)
    figures = json.loads((tmp_path / "demo.json").read_text())
    assert figures["worlds"] == 3 and figures["real_time_factor"] > 0
    assert (tmp_path / "demo.png").stat().st_size > 100_000
    for word in ("3 worlds", "20 steps", "steps/s", "x real time", "overflows", "bad worlds", "contacts"):
        assert word in line


def test_inspect_lists_what_the_file_holds(capsys):
    reported = json.loads(call(["inspect", "quadruped", "--json"], capsys))
    assert reported["sizes"] == {
        "nbody": 14,
        "njnt": 13,
        "nq": 19,
        "nv": 18,
        "nu": 12,
        "ngeom": 19,
        "nsite": 0,
        "ntendon": 0,
        "neq": 0,
        "nkey": 1,
    }
    assert reported["integrator"] == "implicitfast" and reported["cone"] == "pyramidal"
    assert round(reported["mass"], 2) == 12.16
    page = call(["inspect", "quadruped"], capsys)
    assert "knee_hind_left" in page and "-2.5 .. -0.4" in page and "pairs of geoms may touch" in page


def test_doctor_names_versions_devices_and_what_is_missing(capsys):
    reported = json.loads(call(["doctor", "--json"], capsys))
    assert reported["missing"] == [] and reported["packages"]["warp-lang"]
    assert any(name.startswith("cpu") for name in reported["devices"])
    assert str(reported["kernel_cache"]) in call(["doctor"], capsys)
    assert reported["warp_internals"] == warp_internals.state() and reported["warp_internals"].startswith(("on", "off"))
    assert set(reported["steps"].values()) == {"right"}


def test_doctor_says_what_a_wrong_step_is(monkeypatch, capsys):
    monkeypatch.setattr(
        "newtonlite.cli.doctor.devices",
        lambda: {"devices": ["cuda:9: none"], "kernel_cache": "", "packaged_kernels": None, "warp_internals": "on"},
    )
    assert main(["doctor"]) == 1
    assert re.search(r"^step        on cuda:9: \w+: .*cuda:9", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    "argv",
    [["envs"], ["envs", "cartpole"], ["convert", "cartpole", "OUT.xml"], ["view", "cartpole", "--picture", "OUT.png"]],
    ids=" ".join,
)
def test_commands_end_with_json(argv, tmp_path, capsys):
    argv = [str(tmp_path / a) if a.startswith("OUT") else a for a in argv]
    (line,) = call([*argv, "--json"], capsys).splitlines()
    assert json.loads(line)


@pytest.mark.parametrize("mode", ["mjw", "spread"])
def test_bench_races_the_engine(mode, device, capsys):
    argv = ["bench", "humanoid", "--worlds", "8", "--steps", "3", "--rounds", "2", "--mode", mode, "--device", device]
    reported = json.loads(call([*argv, "--json"], capsys))
    (ours,) = reported["results"]
    assert ours["name"] == "newtonlite" and not ours["failed"] and len(ours["rounds"]) == 2
    assert reported["mode"] == mode and reported["machine"]


def test_a_race_with_overflow_is_failed(device, capsys):
    argv = [
        "bench",
        "humanoid",
        "--worlds",
        "4",
        "--steps",
        "2",
        "--rounds",
        "1",
        "--mode",
        "mjw",
        "--nconmax",
        "2",
        "--device",
        device,
    ]
    assert "FAILED" in call(argv, capsys, code=1)


def test_bench_compares_with_an_opponent_that_is_installed(device, capsys):
    pytest.importorskip("mujoco", reason="no mujoco: pip install 'newtonlite[bench]'")
    argv = [
        "bench",
        "humanoid",
        "--worlds",
        "8",
        "--steps",
        "2",
        "--rounds",
        "2",
        "--mode",
        "spread",
        "--device",
        device,
    ]
    reported = json.loads(call([*argv, "--against", "mujoco", "--json"], capsys))
    ours, theirs = reported["results"]
    assert (ours["name"], theirs["name"]) == ("newtonlite", "mujoco")
    assert theirs["ratio"]["wall"] == pytest.approx(ours["steps_per_second"] / theirs["steps_per_second"])
    assert ours["qacc_error_max"] < tolerance("qacc")


def test_warmup_says_what_an_archive_lacks(tmp_path, capsys):
    assert main(["warmup", "--archive", str(tmp_path / "gpu.zip")]) == 2
    assert "name the models" in capsys.readouterr().err
    assert main(["warmup", "--take", str(tmp_path / "none.zip")]) == 2
    assert "none.zip" in capsys.readouterr().err
