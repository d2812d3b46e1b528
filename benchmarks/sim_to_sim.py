"""Policies trained here in MuJoCo's physics: the same task, with every physics step taken by MuJoCo C.

    python -m benchmarks sim_to_sim runs/learning/arm_reach_1 ...

Observations, rewards and ends are the task's terms, of states that MuJoCo has reached; controls are the policy's mean
actions. Worlds begin as they do here, seed by seed, so the returns of one world can be compared. Tasks that randomise
parameters of the model are refused: MuJoCo has one model. Adds lines to benchmarks/results/learning.jsonl and writes
docs/learning_results.md.
"""

import argparse
import json
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.learning import EPISODES, PAGE, RESULTS, page
from newtonlite.core.errors import ModelError
from newtonlite.envs.environment import Environment
from newtonlite.envs.mdp.dr import fields_of
from newtonlite.envs.simulation import OUTSIDE
from newtonlite.exporters.mjcf import save_mjcf

STATE, GIVEN = ("qpos", "qvel", "act"), ("ctrl", "qfrc_applied", "xfrc_applied")


class MujocoStep:
    """Physics steps of an environment's worlds, taken by MuJoCo C. States are kept in double precision as long as
    nobody but MuJoCo changes them.
    """

    def __init__(self, env: Environment):
        import mujoco

        self.mujoco, self.sim, self.kept = mujoco, env.sim, ("sensordata", *env.task.keep)
        with TemporaryDirectory() as folder:
            self.model = mujoco.MjModel.from_xml_path(str(save_mjcf(env.sim.compiled, Path(folder) / "task.xml")))
        self.worlds = [mujoco.MjData(self.model) for _ in range(env.num_worlds)]
        self.put: dict = {}

    def __call__(self, count: int, mask) -> None:
        """``count`` steps of every world."""
        self.take()
        self.advance(count - 1)
        self.give()
        self.sim.forward(mask)
        self.advance(1)
        self.give()
        self.show()

    def take(self) -> None:
        """States that a reset or an event has set, and the controls."""
        for name in STATE + GIVEN:
            rows = getattr(self.sim.data, name).numpy()
            for i, data in enumerate(self.worlds):
                if name in GIVEN or name not in self.put or not np.array_equal(rows[i], self.put[name][i]):
                    getattr(data, name)[:] = rows[i]

    def advance(self, count: int) -> None:
        """Take steps."""
        for data in self.worlds:
            for _ in range(count):
                self.mujoco.mj_step(self.model, data)

    def give(self) -> None:
        """Put MuJoCo's states into the environment."""
        for name in STATE:
            array = getattr(self.sim.data, name)
            rows = np.stack([getattr(data, name) for data in self.worlds]).astype(np.float32)
            self.put[name] = rows
            if rows.size:
                array.assign(rows)

    def show(self) -> None:
        """Put what terms read beside the state into the environment, as MuJoCo's last step has left it."""
        for data in self.worlds if OUTSIDE & set(self.kept) else ():
            self.mujoco.mj_rnePostConstraint(self.model, data)
        for name in self.kept:
            array = getattr(self.sim.data, name)
            if array.size:
                rows = np.stack([getattr(data, name) for data in self.worlds])
                array.assign(rows.reshape(array.numpy().shape).astype(np.float32))


def returns_in_mujoco(policy, task, episodes: int = EPISODES, seed: int = 12345) -> np.ndarray:
    """Returns of a policy in MuJoCo's physics, world by world as ``newtonlite.learn.evaluate.returns`` has them. ModelError
    for a task that randomises the model.
    """

    if fields := fields_of(task.events):
        raise ModelError(f"sim_to_sim: the task randomises {', '.join(sorted(fields))}; take these events out")
    from newtonlite.learn import evaluate

    return evaluate.returns(policy, task, episodes, seed, stepper=MujocoStep)


def main() -> None:
    """Evaluate runs."""
    from newtonlite.learn.evaluate import returns
    from newtonlite.learn.runner import load_policy, load_task

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, help="folders of newtonlite train")
    parser.add_argument("--episodes", type=int, default=EPISODES)
    given = parser.parse_args()
    for folder in given.folders:
        policy = load_policy(folder)[0]
        ours = returns(policy, load_task(folder), given.episodes)
        theirs = returns_in_mujoco(policy, load_task(folder), given.episodes)
        row = {"run": folder.name, "date": date.today().isoformat(), "episodes": given.episodes}
        row |= {"ours": float(ours.mean()), "mujoco": float(theirs.mean())}
        row |= {"one": float(np.median(np.abs(theirs - ours) / np.abs(ours)))}
        print(json.dumps(row), flush=True)
        with open(RESULTS, "a") as file:
            file.write(json.dumps(row) + "\n")
        PAGE.write_text(page())


if __name__ == "__main__":
    main()
