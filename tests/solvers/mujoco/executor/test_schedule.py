"""The schedule: what it runs, in which order, how often; warm starts; parameters changed between steps."""

import numpy as np
import pytest
import warp as wp

from conformance.stages import name_of, written
from newtonlite.core.mujoco import MjtIntegrator
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.adapter.programs import COAST, PULL, PUSH
from newtonlite.solvers.mujoco.executor import plan, specialize
from newtonlite.solvers.mujoco.executor.ahead_of_time import step_kernels
from newtonlite.solvers.mujoco.executor.plan import gpu_kernels
from newtonlite.solvers.mujoco.executor.views import fields_used
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.quick_kernels import fold_quickly
from tests.oracle import States
from tests.tolerance import assert_close, assert_same

WORLDS = 24
STATE = ("qpos", "qvel", "qacc_warmstart", "time")


@pytest.fixture(scope="module")
def case():
    mj = oracle.named_model("humanoid")
    return mj, oracle.rollout_states(mj, WORLDS)


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("soft", [False, True])
def test_the_gpu_kernels_run_every_stage_of_a_step_once(sleeping, soft):
    fused = [stage.key for stages in plan.TABLES[sleeping, soft].values() for stage in stages]
    step = [s.key for s in pipeline.STEP if soft or s not in plan.FLEXES]
    assert sorted(key for key in fused if key in step) == sorted(step)
    assert not [s.key for s in plan.FLEXES if not soft and s.key in fused]


IDLE = {
    (False, True): ("wake_collision", "sleep_islands", "filter_asleep_pairs"),
    (False, False): ("wake_collision", "sleep_islands", "filter_asleep_pairs"),
}
"""Stages that do nothing where no tree may sleep, and one that does nothing on a GPU."""
OF_ONE_LAUNCH = ("team_f", "team_i")
"""Scratch of sums and scans, which no stage finds from another one."""
APART = {
    ("sensor_pos", "convex_distance_sensors"): {"sensordata"},
    ("enclosed_sensors", "convex_distance_sensors"): {"sensordata"},
    ("rangefinders", "convex_distance_sensors"): {"sensordata"},
}
"""Stages that each write places of their own of an array."""
AT_END = ("couple_flexes", "keep_apart")
"""Rows behind those of the model, which are gone again when sensors look."""


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("soft", [False, True])
def test_no_stage_of_the_gpu_runs_before_one_whose_results_it_needs(sleeping, soft):
    """Nor before one that reads what it overwrites: stages of a kernel that comes earlier than the step has them."""
    gpu = [s for stages in plan.TABLES[sleeping, soft].values() for s in stages]
    idle = (*IDLE.get((sleeping, soft), ()), "list_islands")
    order = [s for s in pipeline.STEP if s in gpu and name_of(s) not in idle]
    found = {}
    for i, stage in enumerate(order):
        for later in order[i + 1 :]:
            names = name_of(stage), name_of(later)
            if gpu.index(later) > gpu.index(stage) or (names[0].startswith("sensor_") and names[1] in AT_END):
                continue
            met = (written(stage)[0] & fields_used(later)) | (written(later)[0] & fields_used(stage))
            fields = {f for owner, f in met if owner == "d"} - {*OF_ONE_LAUNCH} - APART.get(names, set())
            if fields:
                found[names] = sorted(fields)
    assert found == {}


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("integrator", [MjtIntegrator.EULER, MjtIntegrator.RK4])
def test_a_solvers_gpu_step_pushes_first_and_pulls_last(integrator, sleeping, soft):
    kernels = gpu_kernels(pipeline.step_groups(integrator), PUSH, PULL, sleeping, soft)
    stages = [s for _, part in kernels for s in part]
    assert (stages[: len(PUSH)], stages[-len(PULL) :]) == ([*PUSH], [*PULL])
    assert all(stages.count(s) == 1 for s in (*PUSH, *PULL))


def test_the_gpu_steps_of_a_solver_share_the_kernels_of_equal_packs():
    groups = pipeline.step_groups(MjtIntegrator.EULER)
    step, coast = (dict(gpu_kernels(groups, first, PULL, False)) for first in (PUSH, COAST))
    assert [k for k in step if step[k] != coast[k]] == ["step_motion"]


def test_convex_pairs_of_four_worlds_share_a_warp():
    mj = oracle.named_model("heap_of_convex_shapes")
    for team, convex in ((32, 8), (64, 64)):
        lanes = {k.name: (k.nlane, k.block) for k in step_kernels(mj, nlane=team)}
        assert lanes.pop("step_convex") == (convex, team)
        assert set(lanes.values()) == {(team, team)}


CLOTH = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><flexcomp name="f" type="grid" dim="2" count="3 3 1"
  spacing=".05 .05 .05" mass=".4" radius=".01"><edge equality="true"/></flexcomp></worldbody></mujoco>"""


def test_kernels_of_soft_models_have_the_registers_that_rows_of_flexes_need(monkeypatch):
    """Those of rigid ones are folded to few, which hides waiting and spills kilobytes where there are flexes."""
    monkeypatch.setattr(specialize, "enabled", True)
    rigid, soft = (
        {k.name.removeprefix("step_"): k.kernel.options["launch_bounds"][1] for k in step_kernels(mj)}
        for mj in (oracle.named_model("box_stack_three"), oracle.compile_xml(CLOTH))
    )
    assert {name: rigid[name] for name in plan.FOLDED_BLOCKS if name in rigid} == plan.FOLDED_BLOCKS
    assert all(soft[name] == plan.BLOCKS[name] for name in ("contact", "constraint", "dual", "primal"))
    assert (soft["motion"], soft["integrate"]) == (rigid["motion"], rigid["integrate"])


def test_every_stage_has_one_line_saying_what_it_computes():
    for stage in pipeline.STEP:
        assert stage.func.__doc__, stage.key


def test_many_steps_at_once_are_single_steps_in_a_row(case, device):
    mj, states = case
    at_once, one_by_one = Engine(mj, states, device), Engine(mj, states, device)
    at_once.schedule.step(7)
    for _ in range(7):
        one_by_one.schedule.step()
    for name in STATE:
        assert_same(at_once.read(name), one_by_one.read(name), name)


def test_no_steps_change_nothing(case, device):
    mj, states = case
    engine = Engine(mj, states, device)
    engine.schedule.step(0)
    assert_same(engine.read("qpos"), states.qpos.astype(np.float32))


def test_forward_leaves_the_state_and_gives_the_acceleration_of_the_step(case, device):
    mj, states = case
    engine, stepped = Engine(mj, states, device, mode="staged").forward(), Engine(mj, states, device).step()
    assert_same(engine.read("qacc"), stepped.read("qacc"))
    for name in STATE:
        given = getattr(states, name)
        start = given.astype(np.float32) if given.size else np.zeros(WORLDS, np.float32)
        assert_same(engine.read(name), start, name)


@pytest.mark.parametrize(
    "name, quick",
    [
        ("pendulum_double_hinge", True),
        *(pytest.param(name, False, marks=pytest.mark.nightly) for name in ("pendulum_double_hinge", "humanoid")),
    ],
)
def test_the_packs_of_the_gpu_run_on_the_cpu_too(name, quick, device, monkeypatch):
    if device != "cpu":
        pytest.skip("they are what a GPU runs anyway")
    monkeypatch.setattr(specialize, "enabled", name != "humanoid")
    if quick:
        fold_quickly(monkeypatch)
    mj = oracle.named_model(name)
    states = oracle.rollout_states(mj, WORLDS)
    fused = Engine(mj, states, device).step(5)
    for way in ({"scratch": "per_world"}, {}, {"wave": 5}, {"wave": 7, "threads": 2}):
        several = Engine(mj, states, device, mode="gpu", **way).step(5)
        for name in STATE:
            assert_same(several.read(name), fused.read(name), f"{name} {way}")


@pytest.mark.parametrize("size", [0.0, 10.0, 1e3])
def test_a_stale_warm_start_does_not_move_the_solution(size, case, device):
    """The problem is convex: where the search starts changes how long it takes, not where it ends."""
    mj, states = case
    rng = np.random.default_rng(0)
    stale = States(states.qpos, states.qvel, size * rng.standard_normal(states.qvel.shape), states.ctrl)
    assert_close(Engine(mj, stale, device).step().read("qacc"), oracle.step(mj, states).qacc, "qacc")


def test_time_adds_up(case, device):
    mj, states = case
    engine = Engine(mj, states, device).step(10)
    assert_close(engine.read("time"), np.full(WORLDS, 10 * mj.opt.timestep), "parameter")


def test_a_parameter_changed_between_steps_counts_from_the_next(case, device):
    mj, states = case
    engine = Engine(mj, states, device).step()
    engine.m.set("opt_gravity", np.array([0.0, 0.0, -1.62]))
    engine.load(states)
    engine.step()
    moon = oracle.named_model("humanoid")
    moon.opt.gravity[:] = 0.0, 0.0, -1.62
    assert_close(engine.read("qacc"), oracle.step(moon, states).qacc, "qacc")


def test_a_parameter_may_differ_from_world_to_world(case, device):
    mj, states = case
    engine = Engine(mj, states, device).step()
    damping = mj.dof_damping * np.linspace(0.5, 2.0, WORLDS)[:, None]
    engine.m.set("dof_damping", damping)
    engine.load(states)
    engine.step()
    for world in (0, 11, 23):
        own = oracle.named_model("humanoid")
        own.dof_damping[:] = damping[world]
        want = oracle.step(own, states[world])
        assert_close(engine.read("qacc")[world : world + 1], want.qacc, "qacc")
        assert_close(engine.read("qvel")[world : world + 1], want.qvel, "next")


@pytest.mark.parametrize("threads", [1, 3])
def test_a_per_world_parameter_follows_its_world_through_threads(threads, case, device):
    mj, states = case
    engine, plain = Engine(mj, states, device, threads=threads), Engine(mj, states, device)
    gravity = np.tile(mj.opt.gravity, (WORLDS, 1))
    gravity[7] = 0.0
    engine.m.set("opt_gravity", gravity)
    engine.step(3)
    plain.step(3)
    same = np.array([a.tobytes() == b.tobytes() for a, b in zip(engine.read("qvel"), plain.read("qvel"), strict=True)])
    assert list(np.flatnonzero(~same)) == [7]


def test_external_forces_act_as_in_mujoco(case, device):
    mj, states = case
    rng = np.random.default_rng(5)
    qfrc, xfrc = rng.standard_normal((WORLDS, mj.nv)), 20 * rng.standard_normal((WORLDS, mj.nbody, 6))
    xfrc[:, 0] = 0.0
    engine = Engine(mj, states, device)
    engine.write("qfrc_applied", qfrc)
    engine.d.xfrc_applied.assign(xfrc.astype(np.float32))
    want = oracle.step(mj, states, qfrc_applied=qfrc.astype(np.float32), xfrc_applied=xfrc.astype(np.float32))
    assert_close(engine.step().read("qacc"), want.qacc, "qacc")


def test_a_step_allocates_compiles_and_waits_for_nothing(case, device, monkeypatch):
    """After the first, a step is launches recorded before: it can be captured into a CUDA graph."""
    mj, states = case
    engine, plain = Engine(mj, states, device).step(), Engine(mj, states, device).step(3)

    def forbidden(*args, **kwargs):
        raise AssertionError("a step must not do this")

    with monkeypatch.context() as patch:
        for name in ("empty", "zeros", "full", "clone", "launch", "load_module", "synchronize", "synchronize_device"):
            patch.setattr(wp, name, forbidden)
        for name in ("__init__", "numpy", "assign", "zero_"):
            patch.setattr(wp.array, name, forbidden)
        engine.schedule.step(2)
    assert_same(engine.read("qpos"), plain.read("qpos"))
