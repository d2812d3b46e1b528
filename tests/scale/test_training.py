"""Training over workers: weights depend on the job alone."""

import shutil
from functools import partial

import pytest

torch = pytest.importorskip("torch", reason="learning needs the extra learn")

from benchmarks.simulated_workers import SimulatedPool
from newtonlite.core.errors import ModelError
from newtonlite.learn.runner import Runner, load_policy
from newtonlite.scale import training
from newtonlite.scale.tiles import TILE, by_tiles
from newtonlite.scale.training import ScaledRunner
from newtonlite.scale.worker import Worker

SMALL = {"worlds": 10, "steps": 8, "iterations": 5, "epochs": 2, "hidden": (16,), "target_kl": 0.02}
SMALL |= {"normalise_rewards": True, "save_every": 2}


@pytest.fixture(scope="module")
def patch():
    """Workers answer within this process; options of their pool."""
    options: dict = {}

    def make(backend, job, workers, device=None, threads=None, address=None):
        return SimulatedPool(job, workers, partial(Worker, device="cpu", threads=1), **options)

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(training, "make_pool", make)
        yield options


@pytest.fixture
def pools(patch):
    """The same, as if new."""
    patch.clear()
    return patch


def weights(runner):
    return runner.ppo.policy.state_dict()


def curves(runner) -> str:
    """Rows of the curves, without times."""
    return repr([{k: v for k, v in row.items() if "second" not in k} for row in runner.rows])


def same(a, b) -> bool:
    return all(torch.equal(a[name], b[name]) for name in a)


@pytest.fixture(scope="module")
def alone(patch, tmp_path_factory):
    patch.clear()
    runner = ScaledRunner("cartpole", tmp_path_factory.mktemp("alone"), workers=1, **SMALL)
    runner.train()
    return runner


def test_weights_do_not_depend_on_the_number_of_workers(pools, alone, tmp_path):
    pools.update(deaths=(7, 15, 16), seed=3)
    for workers, shards in ((2, None), (3, 5)):
        runner = ScaledRunner("cartpole", tmp_path / f"{workers}", workers=workers, shards=shards, **SMALL)
        runner.train()
        assert runner.workers.scheduler.lost
        assert same(weights(runner), weights(alone))
        assert curves(runner) == curves(alone)
        assert runner.recent == alone.recent


def test_a_run_goes_on_with_another_number_of_workers(pools, alone, tmp_path):
    ScaledRunner("cartpole", tmp_path / "run", workers=3, **{**SMALL, "iterations": 3}).train()
    rest = ScaledRunner("cartpole", tmp_path / "run", workers=2, resume=True, iterations=5)
    rest.train()
    assert same(weights(rest), weights(alone))


def test_its_checkpoint_is_that_of_one_process(pools, alone, tmp_path):
    policy, name, settings = load_policy(alone.folder)
    assert name == "cartpole" and settings.iterations == 5
    assert same(policy.state_dict(), weights(alone))
    folder = shutil.copytree(alone.folder, tmp_path / "run")
    rest = Runner("cartpole", folder, resume=True, iterations=6)
    rest.train()
    assert rest.rows[-1]["iteration"] == 6


def test_it_learns_as_one_process_does(pools, alone, tmp_path):
    """The same noise in the same worlds: networks alone add in another order."""
    runner = Runner("cartpole", tmp_path / "one", **SMALL)
    runner.train()
    assert runner.rows[0]["kl"] == pytest.approx(alone.rows[0]["kl"])
    assert len(runner.rows) == len(alone.rows) and runner.steps == alone.steps


def test_a_task_without_a_name_is_refused(tmp_path):
    from newtonlite.envs import tasks

    with pytest.raises(ModelError, match="a packaged task's name, or FILE.py"):
        ScaledRunner(tasks.load("cartpole"), tmp_path)


@pytest.mark.parametrize("width", [(5, 7), (348, 256)])
def test_a_network_gives_a_world_the_same_bits_in_any_part(width):
    g = torch.Generator().manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(*width), torch.nn.ELU(), torch.nn.Linear(width[1], 3), torch.nn.Tanh())
    rows = torch.randn(3 * TILE - 20, width[0], generator=g)
    give = lambda part: (net(part), part.sum(-1))
    with torch.no_grad():
        whole = by_tiles(give, 0, rows)
        for a, b in ((0, 1), (1, 100), (60, 70), (100, len(rows)), (64, 128)):
            for all_of_them, some in zip(whole, by_tiles(give, a, rows[a:b])):
                assert torch.equal(all_of_them[a:b], some)
