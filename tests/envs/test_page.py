"""The page docs/learning.md: its robot, its task and its Python run as written; docs/terms.md is up to date."""

import re
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks import terms_page
from newtonlite.envs import (
    BuiltinMotorActuator,
    CommandTerm,
    Environment,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    mdp,
    tasks,
)
from tests.house.project import ROOT
from tests.tolerance import tolerance

PAGE = (ROOT / "docs" / "learning.md").read_text()


def block(kind: str, which: int = 0) -> str:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.S)[which]


@pytest.fixture
def file(tmp_path):
    (tmp_path / "balancer.xml").write_text(block("xml"))
    (tmp_path / "balancer.py").write_text(block("python"))
    return tmp_path / "balancer.py"


def test_the_pages_task_runs(file):
    env = Environment(tasks.load(str(file)), 4, seed=0)
    for _ in range(20):
        env.step(np.zeros((4, 2), np.float32))
    assert env.observations["policy"].shape == (4, 14)
    assert np.isfinite(env.reward.numpy()).all()


def test_the_pages_task_is_trained_and_played_by_the_command(file, tmp_path, capsys):
    pytest.importorskip("torch", reason="learning needs the extra learn")
    from newtonlite.cli.main import main
    from newtonlite.learn.runner import load_task

    folder, events = tmp_path / "run", ["--tensorboard"] if find_spec("tensorboard") else []
    assert (
        main(
            [
                "train",
                str(file),
                "--out",
                str(folder),
                "--worlds",
                "8",
                "--iterations",
                "2",
                "--epochs",
                "1",
                "--hidden",
                "8",
                "--set",
                "episode_length=40",
            ]
        )
        == 0
    )
    assert {"settings.json", "curves.csv", "checkpoint.pt"} <= {f.name for f in folder.iterdir()}
    pictures = [tmp_path / "strip.png", tmp_path / "film.gif"]
    given = ["--plot", str(pictures[0])] + (["--video", str(pictures[1])] if find_spec("imageio") else [])
    assert main(["play", str(folder), "--episodes", "2"]) == 2
    assert "--task FILE.py" in capsys.readouterr().err
    assert main(["play", str(folder), "--task", str(file), "--episodes", "2", *given]) == 0
    assert "of 2 episodes" in capsys.readouterr().out
    assert all(file.stat().st_size > 1000 for file in pictures[: len(given) // 2])
    assert main(["train", str(file), "--out", str(folder), "--resume", "--iterations", "3", *events]) == 0
    assert not events or list(folder.glob("events.out.tfevents.*"))
    assert load_task(folder, str(file)).episode_length == 40
    assert len((folder / "curves.csv").read_text().splitlines()) == 4
    assert main(["envs", str(file)]) == 0
    said = capsys.readouterr().out
    assert "observations, policy: 14" in said
    assert re.search(
        r"after 0\.\d+ s of zero actions: root from 0\.100 m to 0\..*; the episode ends: (fell|time_out)", said
    ), said


def test_the_pages_python_runs():
    pytest.importorskip("gymnasium", reason="VectorEnv needs the extra envs")
    exec(compile(block("python", 2), "docs/learning.md", "exec"), {})


BARE = """<mujoco><worldbody><body name="trunk"><geom type="box" size="0.1 0.1 0.05"/>
  <body><joint name="left_hip_joint" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.15" size="0.02"/>
    <body pos="0 0 -0.15"><joint name="left_knee_joint" axis="0 1 0"/><geom name="foot_left" type="capsule" fromto="0 0 0 0 0 -0.15" size="0.02"/></body></body>
</body></worldbody></mujoco>"""


def test_the_pages_robot_without_actuators_runs(tmp_path):
    (tmp_path / "robot.xml").write_text(BARE)
    made: dict = {}
    exec(compile(block("python", 1), "docs/learning.md", "exec"), made)
    parts = {**made["parts"], "model": tmp_path / "robot.xml"}
    rest = {"q": ObservationTerm(mdp.joint_pos_rel), "feet": ObservationTerm(mdp.foot_contact, {"sensor_name": "feet"})}
    slip = {"sensor_name": "feet", "velocities": "foot_vel_.*"}
    rewards = {"slip": RewardTerm(mdp.feet_slip, -1.0, slip)}
    env = Environment(Task(**parts, observations={"policy": ObservationGroup(rest)}, rewards=rewards), 2, seed=0)
    env.step(np.zeros((2, 2), np.float32))
    assert env.observations["policy"].shape == (2, 3)
    assert env.sim.names("sensor") == ["feet_foot_left", "foot_vel_foot_left"]
    assert env.sim.start_qpos[[2, 7, 8]].tolist() == [0.3, 0.6, -1.2]


def test_the_pages_terms_of_ones_own_run():
    made: dict = {"np": np}
    exec(compile(block("python", 2), "docs/learning.md", "exec"), made)
    goal = CommandTerm(
        mdp.UniformGoalCommand, {"resampling_time_range": (1.0, 1.0), "ranges": ((0.1, 0.2), (0.0, 0.1), (0.5, 0.6))}
    )
    task = Task(
        model=BARE.replace("<body pos", '<body name="gripper" pos'),
        **{"actuators": {"legs": BuiltinMotorActuator()}, "keep": ("xpos",), "commands": {"goal": goal}},
        actions={"legs": mdp.JointEffortAction()},
        observations={"policy": ObservationGroup({"hand": ObservationTerm(made["hand"])})},
        rewards={"near": RewardTerm(made["near"], 1.0, {"std": 0.1})},
    )
    env = Environment(task, 2, seed=0)
    env.step(np.zeros((2, 2), np.float32))
    off = env.command("goal").numpy() - env.observations["policy"].numpy()
    assert np.allclose(env.reward.numpy(), np.exp(-np.square(off).sum(axis=1) / 0.01), rtol=tolerance("parameter"))


def test_the_page_names_every_field_of_a_task():
    table = PAGE.split("## Fields of a task")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`(\w+)`", " ".join(rows)))
    assert {
        "model",
        "decimation",
        "episode_length",
        "actions",
        "observations",
        "rewards",
        "terminations",
        "events",
        "commands",
    } <= named
    assert named <= set(Task.__dataclass_fields__)


def test_the_list_of_terms_is_up_to_date():
    assert terms_page.PAGE.read_text() == terms_page.page()
