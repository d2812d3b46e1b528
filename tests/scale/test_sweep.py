"""Sweeps and populations: trials are runs of their own, whoever does them."""

import sys
from functools import partial

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="learning needs the extra learn")

from benchmarks.simulated_workers import SimulatedPool
from newtonlite.core.errors import ModelError, StateError
from newtonlite.learn.runner import Runner
from newtonlite.scale import sweep
from newtonlite.scale.sweep import Population, Sweep, combinations
from newtonlite.scale.worker import Worker

SMALL = {"worlds": 6, "steps": 8, "epochs": 1, "hidden": (8,)}
SIZE = {"iterations": 4, "chunk": 2, "settings": SMALL, "changes": ("episode_length=5",)}


@pytest.fixture
def pools(monkeypatch):
    """Workers answer within this process; options of their pool."""
    options: dict = {}

    def make(backend, job, workers, device=None, threads=None, address=None):
        return SimulatedPool(job, workers, partial(Worker, device="cpu", threads=1), **options)

    monkeypatch.setattr(sweep, "make_pool", make)
    return options


def test_trials_are_all_combinations():
    trials = combinations({"learning_rate": [1e-3, 1e-4], "rewards.x.weight": [1, 2.5]}, seeds=2)
    assert len(trials) == 8
    assert trials[3] == {
        "label": "learning_rate=0.001, rewards.x.weight=2.5, seed=2",
        "changes": ["rewards.x.weight=2.5"],
        "settings": {"seed": 2, "learning_rate": 1e-3},
    }


def test_without_the_extra_its_name_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "newtonlite.learn.ppo", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"newtonlite\[learn\]"):
        combinations({"learning_rate": [1e-3]})


def test_a_setting_may_be_given_by_the_name_that_it_had_before():
    assert combinations({"rate": [1e-3]}) == combinations({"learning_rate": [1e-3]})


@pytest.mark.parametrize(
    "vary, text", [({"rat": [1]}, "'rat' is no setting"), ({"learning_rate": []}, "expected a list")]
)
def test_what_cannot_vary_is_refused(vary, text):
    with pytest.raises(ModelError, match=text):
        combinations(vary)


def test_a_trial_is_the_run_that_it_would_be_alone(pools, tmp_path):
    pools.update(deaths=(6,), seed=2)
    trials = combinations({"learning_rate": [1e-3, 1e-2]}, first_seed=5)
    job = Sweep("cartpole", trials, **SIZE, folder=tmp_path / "sweep", workers=2)
    results = job.run()
    assert job.scheduler.lost == 1
    alone = Runner(
        "cartpole", tmp_path / "run", changes=SIZE["changes"], **SMALL, iterations=4, learning_rate=1e-2, seed=5
    )
    last = alone.train()
    own = next(r for r in results if r["label"] == "learning_rate=0.01")
    assert [own[name] for name in ("iteration", "loss", "kl")] == [last[name] for name in ("iteration", "loss", "kl")]
    assert (tmp_path / "sweep" / "curves.csv").read_text().count("\n") == 1 + 2 * 4
    with pytest.raises(StateError, match="there is a job already"):
        Sweep("cartpole", trials, **SIZE, folder=tmp_path / "sweep")
    again = Sweep("cartpole", trials, **SIZE, folder=tmp_path / "sweep", resume=True)
    assert repr(again.run()) == repr(results)


def test_a_population_does_not_depend_on_workers(pools):
    trials = combinations({"learning_rate": [1e-4, 1e-3, 3e-3, 1e-2]})
    found = []
    for workers, deaths in ((1, ()), (3, (7, 12))):
        pools.update(deaths=deaths, seed=workers)
        job = Population("cartpole", trials, **{**SIZE, "iterations": 6}, workers=workers, seed=1)
        found.append((repr(job.run()), job.lineage))
    assert found[0] == found[1]
    assert len(job.lineage) == 2 and all(len(set(parents)) == 3 for parents in job.lineage)
    assert np.isfinite([row["return"] for row in job.results()]).all()


def test_settings_that_a_population_cannot_change_are_refused(pools):
    with pytest.raises(ModelError, match="mutable: .*'hidden'"):
        Population("cartpole", combinations({}), **SIZE, mutable=("hidden",))
