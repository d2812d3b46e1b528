"""Every packaged task: it runs, its numbers are finite, worlds with a seed are the same bits, and random control makes
no world go bad.
"""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.envs import Environment, Task, tasks

STEPS = 15


def run(name: str, seeds: list, watched: list) -> list:
    env = Environment(tasks.load(name), len(seeds), seed=0)
    env.reset(seed=seeds)
    rng = np.random.default_rng(0)
    low, high = (np.nan_to_num(np.array(b), posinf=1.0, neginf=-1.0) for b in (env.actions.low, env.actions.high))
    found = []
    for _ in range(STEPS):
        env.step(np.tile(rng.uniform(low, high), (len(seeds), 1)).astype(np.float32))
        found += [a.numpy()[watched].copy() for a in (*env.observations.values(), env.reward, env.terminations.done)]
        if env.terminations.done.numpy().any():
            env.reset(env.terminations.done)
    assert not env.terminations.counts.numpy().any()
    return found


@pytest.mark.parametrize("name", tasks.names())
def test_a_task_runs_and_its_worlds_depend_on_their_seeds_alone(name):
    pair, crowd = run(name, [7, 8], [0, 1]), run(name, [1, 8, 2, 7, 3], [3, 1])
    assert all(np.isfinite(a).all() for a in pair)
    assert all(np.array_equal(a, b) for a, b in zip(pair, crowd, strict=True))
    assert not np.array_equal(pair[0][0], pair[0][1])


def test_a_file_of_ones_own_is_a_task(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from newtonlite.envs import tasks\n\ndef task():\n    return tasks.load('cartpole')\n\ndef other():\n    return 3\n"
    )
    assert isinstance(tasks.load(str(file)), Task)
    with pytest.raises(ModelError, match="returned int, expected a newtonlite.envs.Task"):
        tasks.load(f"{file}:other")
    with pytest.raises(ModelError, match=r"has no function third\(\)"):
        tasks.load(f"{file}:third")
    with pytest.raises(ModelError, match="no such file"):
        tasks.load(str(tmp_path / "absent.py"))
    with pytest.raises(ModelError, match="no task is called 'chess'; there are: acrobot"):
        tasks.load("chess")
