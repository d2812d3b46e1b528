"""Rollouts: one digest for any number of shards and workers, which is that of the worlds simulated at once."""

import json
import shutil
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulated_workers import SimulatedPool
from newtonlite.core.errors import ModelError, StateError
from newtonlite.envs import Environment, tasks
from newtonlite.envs.control_signal import Drive, ranges
from newtonlite.mjwarp import load, make_data, put_model, step
from newtonlite.scale import rollout as rollouts
from newtonlite.scale.compile_model import compiled
from newtonlite.scale.digest import extend, first_links, of_links
from newtonlite.scale.rollout import CHUNK, Rollout, make_pool, steps_of_chunk
from newtonlite.scale.wire import pack
from newtonlite.scale.worker import Worker

BALLS = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 0.12"><freejoint/><geom size="0.1"/>
    <body pos="0.25 0 0"><joint name="hinge" axis="0 1 0"/><geom size="0.1"/></body></body>
</worldbody><actuator><motor joint="hinge" ctrlrange="-1 1" ctrllimited="true"/></actuator></mujoco>"""


@pytest.fixture(scope="module")
def patch():
    """Rollouts whose workers answer within this process; options of their pool."""
    options: dict = {}

    def make(backend, job, workers, device=None, threads=None, address=None):
        return SimulatedPool(job, workers, partial(Worker, device="cpu", threads=1), **options)

    with pytest.MonkeyPatch.context() as patching:
        patching.setattr(rollouts, "make_pool", make)
        patching.setattr(rollouts, "in_process", lambda module, settings: compiled(settings["file"]))
        yield options


@pytest.fixture
def pools(patch):
    """The same, as if new."""
    patch.clear()
    return patch


@pytest.fixture(scope="module")
def balls(tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "balls.xml"
    file.write_text(BALLS)
    return file


def trajectories(file, worlds, steps, control):
    """Rows of all worlds, simulated at once."""
    mj = load(file)
    m = put_model(mj, device="cpu")
    d = make_data(m, worlds, threads=1)
    drive = Drive(control, *ranges(mj), 0.01, seed=3, device="cpu")
    rows = []
    for _ in range(steps):
        drive.write(d.ctrl)
        step(m, d)
        rows.append(np.concatenate([d.qpos.numpy(), d.qvel.numpy(), d.ctrl.numpy()], axis=1))
    return np.array(rows)


@pytest.mark.parametrize("control", ["random", "ou"])
def test_the_digest_is_that_of_all_worlds_at_once(pools, balls, control):
    links = first_links(7)
    extend(links, trajectories(balls, 7, 72, control))
    for shards in (1, 3, 7):
        job = Rollout.of_model(balls, 7, 72, seed=3, control=control, chunk=16, workers=2, shards=shards)
        assert job.run()["sha256"] == of_links(links), shards


def test_chunks_of_a_model_follow_from_the_job(pools, balls):
    assert steps_of_chunk(256, 12_000, 76) == 256 and steps_of_chunk(256, 500, 76) == 48
    assert steps_of_chunk(4096, 12_000, 76) == CHUNK and steps_of_chunk(2, 16, 1) == CHUNK
    job = Rollout.of_model(balls, 3, 1000, workers=2)
    assert job.spec["chunk"] == 112
    assert job.run()["sha256"] == Rollout.of_model(balls, 3, 1000, chunk=16).run()["sha256"]


def test_figures_of_all_shards_are_added_up(pools, balls):
    figures = Rollout.of_model(balls, 5, 40, chunk=16, workers=2, nconmax=1).run()
    assert figures["overflows"] > 0 and figures["chunks"] == 2 * 3
    alone = Rollout.of_model(balls, 5, 40, chunk=16, nconmax=1).run()
    names = ("overflows", "bad_worlds", "ncon_max", "nefc_max", "sha256")
    assert [figures[n] for n in names] == [alone[n] for n in names]


@pytest.mark.parametrize("task, cuts", [("humanoid", (1, 2, 3, 5)), ("quadruped_velocity", (1, 3))])
def test_worlds_of_a_task_do_not_depend_on_shards(pools, task, cuts):
    """With resets, and noise, pushes and masses of their own where the task has them; workers die."""
    pools.update(deaths=(3, 5), seed=1)
    changes = ("episode_length=12",)
    found = set()
    for shards in cuts:
        job = Rollout.of_task(task, 5, 48, seed=11, changes=changes, chunk=16, workers=2, shards=shards)
        figures = job.run()
        assert figures["episodes"] >= 5 * 3 and figures["lost_workers"] == 2
        found.add(figures["sha256"])
    assert len(found) == 1


def test_rows_of_a_task_are_what_its_environment_gives(pools, tmp_path):
    job = Rollout.of_task(
        "cartpole", 3, 20, seed=5, actions="zero", chunk=16, workers=2, folder=tmp_path, keep_rows=True
    )
    job.run()
    rows = job.journal.rows()
    env = Environment(tasks.load("cartpole"), 3, seed=5, device="cpu")
    for t in range(20):
        env.step(np.zeros((3, env.actions.count), np.float32))
        seen = next(iter(env.observations.values())).numpy()
        assert (rows[t, :, : seen.shape[1]] == seen).all()
        assert (rows[t, :, -3] == env.reward.numpy()).all()
        if env.terminations.done.numpy().any():
            env.reset(env.terminations.done)
    links = first_links(3)
    extend(links, rows)
    assert of_links(links) == job.sha256


@pytest.fixture(scope="module")
def stopped_once(patch, balls, tmp_path_factory):
    """A folder of a job that was stopped after some chunks, and the digest it leads to."""
    patch.clear()
    options = {"chunk": 16, "workers": 2, "shards": 3}
    whole = Rollout.of_model(balls, 6, 96, **options).run()["sha256"]
    folder = tmp_path_factory.mktemp("job")

    def stop(scheduler):
        if scheduler.share_done > 0.6:
            raise KeyboardInterrupt

    job = Rollout.of_model(balls, 6, 96, **options, folder=folder, keep_rows=True)
    job.scheduler.orders = [type(o)({**o.head, "checkpoint": True}) for o in job.scheduler.orders]
    with pytest.raises(KeyboardInterrupt):
        job.run(stop)
    return folder, whole


@pytest.fixture
def stopped(pools, balls, stopped_once, tmp_path):
    """The model, and a folder of its own."""
    folder, whole = stopped_once
    return balls, Path(shutil.copytree(folder, tmp_path / "job")), whole


def again(balls, folder, **options):
    return Rollout.of_model(
        balls, 6, 96, **{"chunk": 16, "workers": 1, "folder": folder, "resume": True, "keep_rows": True, **options}
    )


def test_a_job_goes_on_from_its_folder(stopped):
    balls, folder, whole = stopped
    job = again(balls, folder)
    assert len(job.parts) == 3 and sum(s.delivered for s in job.parts) >= 8
    figures = job.run()
    assert figures["sha256"] == whole and figures["chunks"] == 18
    links = first_links(6)
    extend(links, job.journal.rows())
    assert of_links(links) == whole


def test_a_job_that_is_done_is_not_done_again(stopped):
    balls, folder, whole = stopped
    again(balls, folder).run()
    job = again(balls, folder)
    assert job.run()["sha256"] == whole and not job.pool.started


def test_a_damaged_checkpoint_is_refused_by_name(stopped):
    balls, folder, _ = stopped
    file = sorted(folder.glob("*.checkpoint"))[1]
    data = bytearray(file.read_bytes())
    for change in (len(data) // 2, 200, 9):
        data[change] ^= 1
        file.write_bytes(data)
        with pytest.raises(StateError, match=rf"{file.name}: is damaged"):
            again(balls, folder)
        data[change] ^= 1
    file.write_bytes(data[:-5])
    with pytest.raises(StateError, match=rf"{file.name}: is damaged"):
        again(balls, folder)


def test_a_checkpoint_of_another_shard_is_refused(stopped):
    balls, folder, _ = stopped
    a, b, *_ = sorted(folder.glob("*.checkpoint"))
    a.write_bytes(b.read_bytes())
    with pytest.raises(StateError, match=rf"{a.name}: is no checkpoint of shard 0 of this job"):
        again(balls, folder)


@pytest.mark.parametrize("change", [{"seed": 9}, {"control": "ou"}, {"chunk": 32}])
def test_another_job_does_not_go_on_from_a_folder(stopped, change):
    balls, folder, _ = stopped
    name, value = next(iter(change.items()))
    with pytest.raises(StateError, match=f"is another job: {name} was .* now it is {value!r}"):
        again(balls, folder, **change)


def test_a_folder_with_a_job_is_not_written_over(stopped):
    balls, folder, _ = stopped
    with pytest.raises(StateError, match="there is a job already; resume it"):
        again(balls, folder, resume=False)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "newtonlite scale job", "job": 1}', "[" * 100_000])
def test_a_description_that_is_none_is_refused(stopped, text):
    balls, folder, _ = stopped
    (folder / "job.json").write_text(text)
    with pytest.raises(StateError, match=r"job\.json: is"):
        again(balls, folder)


@pytest.mark.parametrize("edges", ["[0, 6, 4]", "[0, 2]", "[]", "7", "[0, 2.0, 6]", "[1, 6]"])
def test_shards_that_are_none_are_refused(stopped, edges):
    balls, folder, _ = stopped
    page = json.loads((folder / "job.json").read_text())
    (folder / "job.json").write_text(json.dumps({**page, "shards": json.loads(edges)}))
    with pytest.raises(StateError, match=r"job\.json: shards"):
        again(balls, folder)


def test_a_job_that_other_machines_began_says_so(stopped):
    balls, folder, _ = stopped
    page = json.loads((folder / "job.json").read_text())
    page["fingerprints"][0]["processor"] = "another"
    (folder / "job.json").write_text(json.dumps(page))
    with pytest.warns(UserWarning, match="is refused"), pytest.raises(StateError, match="every worker was refused"):
        again(balls, folder).run()
    assert again(balls, folder, mixed="mark").run()["mixed"]


@pytest.mark.parametrize(
    "options, text",
    [
        ({"worlds": 0}, "worlds=0"),
        ({"steps": -1}, "steps=-1"),
        ({"chunk": 17}, "chunk=17: expected a multiple of 16"),
        ({"shards": 9}, "shards=9: expected 1 to 4"),
        ({"keep_rows": True}, "keep_rows: trajectories need a folder"),
    ],
)
def test_sizes_that_cannot_be_are_refused(pools, balls, options, text):
    with pytest.raises(StateError, match=text):
        Rollout.of_model(balls, **{"worlds": 4, "steps": 40, **options})


def test_a_backend_that_there_is_not_is_refused():
    with pytest.raises(ModelError, match="backend='slurm': expected one of local, ray"):
        make_pool("slurm", b"", 1)


def test_a_checkpoint_of_many_humanoids_is_small():
    """256 humanoids: at most 1 MB and 50 ms of CPU time."""
    spec = {"kind": "task", "task": "humanoid", "changes": [], "seed": 0, "actions": "random", "job": "x"}
    worker = Worker(pack(spec), "cpu", 1)
    shard = worker.kind(spec, None, 0, 256, device="cpu", threads=1)
    shard.advance({"steps": 2}, {})
    times = []
    for _ in range(5):
        start = time.process_time()
        blob = worker.checkpoint(shard, 0, 1)
        times.append(time.process_time() - start)
    assert len(blob) <= 1_000_000 and min(times) <= 0.05
