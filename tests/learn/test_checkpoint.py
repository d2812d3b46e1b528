"""Checkpoints of somebody else: they run no code, and what is no checkpoint is refused with its path."""

import io
import os
import pickle
import zipfile

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs the extra learn")

from newtonlite.core.errors import StateError
from newtonlite.learn import checkpoint
from newtonlite.learn.runner import Runner, load_policy, load_task

SMALL = {"worlds": 4, "steps": 8, "iterations": 1, "epochs": 1, "hidden": (8,)}


class Evil:
    """Runs a command where it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of a run of one iteration."""
    folder = tmp_path_factory.mktemp("run")
    Runner("cartpole", folder, **SMALL).train()
    return folder


def changed(trained, place, change):
    """A folder with the same checkpoint after a change."""
    state = torch.load(trained / "checkpoint.pt", weights_only=True)
    change(state)
    torch.save(state, place / "checkpoint.pt")
    return place


@pytest.mark.parametrize("legacy", [False, True])
def test_no_code_of_a_checkpoint_runs(tmp_path, legacy):
    mark = tmp_path / "ran"
    torch.save(
        {"task": "cartpole", "x": Evil(mark)}, tmp_path / "checkpoint.pt", _use_new_zipfile_serialization=not legacy
    )
    for read in (load_policy, load_task, lambda folder: Runner("cartpole", folder, resume=True)):
        with pytest.raises(StateError, match=r"checkpoint\.pt"):
            read(tmp_path)
    (tmp_path / "checkpoint.pt").write_bytes(pickle.dumps(Evil(mark)))
    with pytest.raises(StateError, match=r"checkpoint\.pt"):
        load_task(tmp_path)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["evil.py", "evil.py:other", "../evil.py", "__init__", "os"])
def test_a_file_that_a_checkpoint_names_is_not_executed(trained, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mark = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    changed(trained, tmp_path, lambda state: state.update(task=name))
    with pytest.raises(StateError, match="executed only if you name it"):
        load_task(tmp_path)
    assert load_policy(tmp_path)[1] == name
    assert not mark.exists()


def test_a_file_that_the_caller_names_is_the_runs_own(trained, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from newtonlite.envs import tasks\ntask = lambda: tasks.load('cartpole')\n")

    def change(state):
        state.update(task=str(file), changes=["episode_length=7"])

    changed(trained, tmp_path, change)
    assert load_task(tmp_path, str(file)).episode_length == 7
    assert load_task(tmp_path, "cartpole").episode_length != 7  # another task than the run's


def poisoned(state):
    state["ppo"]["policy"]["actor.0.weight"][0, 0] = float("nan")


MALFORMED = {
    "no table": lambda s: s.clear(),
    "another entry": lambda s: s.update(more=1),
    "task of another type": lambda s: s.update(task=["cartpole"]),
    "steps that are text": lambda s: s.update(steps="7"),
    "seconds that are no number": lambda s: s.update(seconds=float("nan")),
    "changes that are no texts": lambda s: s.update(changes=[3]),
    "rows of other things": lambda s: s.update(rows=[{"a": [1]}]),
    "a weight that is not finite": poisoned,
    "a weight of another shape": lambda s: s["ppo"]["policy"].update({"actor.0.bias": torch.zeros(9)}),
    "a weight of another type": lambda s: s["ppo"]["policy"].update({"actor.0.bias": torch.zeros(8).double()}),
    "a weight that is text": lambda s: s["ppo"]["policy"].update({"actor.0.bias": "zeros"}),
    "a weight that lacks": lambda s: s["ppo"]["policy"].pop("actor.0.bias"),
    "a norm that is no vector": lambda s: s["ppo"]["policy"].update({"actor_norm.mean": torch.zeros(())}),
    "layers that fill the memory": lambda s: s["settings"].update(hidden=(10**9, 10**9)),
    "layers that are no numbers": lambda s: s["settings"].update(hidden=("a",)),
    "an unknown activation": lambda s: s["settings"].update(activation="exec"),
    "an unknown setting": lambda s: s["settings"].update(speed=1),
    "tables without end": lambda s: s.update(env=deep(50)),
    "a tensor longer than the file": lambda s: s["env"].update(seed=torch.zeros(1).expand(10**12)),
    "a tensor of zeros and places": lambda s: s["env"].update(seed=torch.zeros(4).to_sparse()),
}


def deep(n):
    found = {}
    for _ in range(n):
        found = {"a": found}
    return found


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_checkpoints_are_refused(trained, tmp_path, kind):
    changed(trained, tmp_path, MALFORMED[kind])
    with pytest.raises(StateError, match=r"checkpoint\.pt: "):
        load_policy(tmp_path)


RESUMED = {
    "worlds that fill the memory": lambda s: s["settings"].update(worlds=10**9),
    "positions that are no numbers": lambda s: s["env"]["data/qpos"].fill_(float("nan")),
    "a counter beyond its array": lambda s: s["env"]["data/ncon"].fill_(10**6),
    "a counter below zero": lambda s: s["env"]["step_count"].fill_(-5),
    "positions of another type": lambda s: s["env"].update({"data/qpos": s["env"]["data/qpos"].double()}),
    "a moment of another shape": lambda s: s["ppo"]["optimiser"]["state"][0].update(exp_avg=torch.zeros(3)),
    "no optimiser": lambda s: s["ppo"].update(optimiser={}),
    "a generator of three bytes": lambda s: s["ppo"].update(generator=torch.zeros(3, dtype=torch.uint8)),
    "a change that the task lacks": lambda s: s.update(changes=["rewards.nothing.weight=1"]),
    "a change of brackets without end": lambda s: s.update(changes=["rewards.nothing.weight=" + "[" * 9999]),
}


@pytest.mark.parametrize("kind", RESUMED)
def test_runs_do_not_go_on_from_malformed_checkpoints(trained, tmp_path, kind):
    changed(trained, tmp_path, RESUMED[kind])
    with pytest.raises(StateError, match=r"checkpoint\.pt: "):
        Runner("cartpole", tmp_path, resume=True)


def test_compressed_parts_and_other_files_are_refused(trained, tmp_path):
    with zipfile.ZipFile(trained / "checkpoint.pt") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    file = tmp_path / "checkpoint.pt"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(StateError, match="compressed"):
        checkpoint.load(file)
    whole = (trained / "checkpoint.pt").read_bytes()
    for data in (b"", b"PK", whole[: len(whole) // 2], whole[:-1], np.random.default_rng(0).bytes(5000)):
        file.write_bytes(data)
        with pytest.raises(StateError, match=r"checkpoint\.pt: "):
            checkpoint.load(file)
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(StateError, match=r"checkpoint\.pt: "):
        checkpoint.load(file)


def test_flipped_bytes_are_refused_or_read(trained, tmp_path):
    whole, file = (trained / "checkpoint.pt").read_bytes(), tmp_path / "checkpoint.pt"
    rng = np.random.default_rng(1)
    for _ in range(60):
        data = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            data[place] = rng.integers(0, 256)
        file.write_bytes(data)
        try:
            load_policy(tmp_path)
        except StateError as problem:
            assert "checkpoint.pt" in str(problem)


def test_what_is_written_is_tensors_and_plain_values(trained):
    found = torch.load(io.BytesIO((trained / "checkpoint.pt").read_bytes()), weights_only=True)
    assert set(found) == set(checkpoint.ENTRIES)
    assert all(isinstance(value, torch.Tensor) for value in found["env"].values())
