"""Graph capture: steps, resets and notifications recorded in a graph, the first ones too, do what they do outside of one."""

import functools

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite import mjwarp, models
from newtonlite.core import warp_internals
from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import StateError
from newtonlite.solvers import SolverMuJoCo
from tests.harness.contacts import contacts_of, found_contacts
from tests.harness.newton_scenes import arm
from tests.tolerance import assert_same

pytestmark = pytest.mark.skipif(
    not warp_internals.used(),
    reason="Warp's public interface cannot pause a recording (docs/reference/warp_contract.md)",
)
STATE = ("joint_q", "joint_qd", "body_q", "body_qd")


def humanoids(device, nworld: int = 5):
    """Humanoids that fall, each its own way."""
    robot = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(str(models.path("humanoid")))
    scene = newton.ModelBuilder()
    scene.replicate(robot, nworld)
    return scene.finalize(device=device)


def two_structures(device):
    """A chain of worlds whose rows do not lie evenly: one arm, two arms, one arm, one arm."""
    one, two = arm(), arm(arm())
    scene = newton.ModelBuilder()
    for part in (one, two, one, one):
        scene.add_world(part)
    return scene.finalize(device=device)


def moving(model):
    """A state in which every world has other velocities."""
    state = model.state()
    state.joint_qd.assign(np.random.default_rng(1).uniform(-1, 1, state.joint_qd.shape).astype(np.float32))
    return state


def assert_states(a, b):
    for name in STATE:
        assert_same(getattr(a, name).numpy(), getattr(b, name).numpy(), name)


def recorded(device, work) -> wp.Graph:
    """The graph of some work, which has not run yet, whatever the device does while it records."""
    with wp.ScopedCapture(device) as capture:
        work()
    return capture.graph


def rolled_out(model, solver, steps: int, dt: float = 0.004):
    """The moving state after some steps that are not recorded."""
    state, control = moving(model), model.control()
    for _ in range(steps):
        solver.step(state, state, control, None, dt)
    return state


@pytest.mark.parametrize("scene", [humanoids, two_structures])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_step_can_be_recorded(device, scene, threads):
    model = scene(device)
    solver, state, control = SolverMuJoCo(model, threads=threads), moving(model), model.control()
    graph = recorded(device, lambda: solver.step(state, state, control, None, 0.004))
    assert_states(state, moving(model))
    for _ in range(3):
        wp.capture_launch(graph)
    assert_states(state, rolled_out(model, SolverMuJoCo(model, threads=threads), 3))


def test_a_graph_keeps_its_time_step(device):
    model = humanoids(device)
    solver, state, control = SolverMuJoCo(model), moving(model), model.control()
    solver.step(state, state, control, None, 0.001)
    graph = recorded(device, lambda: solver.step(state, state, control, None, 0.004))
    for _ in range(2):
        solver.step(state, state, control, None, 0.001)
        wp.capture_launch(graph)
    wanted, plain = moving(model), SolverMuJoCo(model)
    for dt in (0.001, 0.001, 0.004, 0.001, 0.004):
        plain.step(wanted, wanted, control, None, dt)
    assert_states(state, wanted)


@pytest.mark.parametrize("scene", [humanoids, two_structures])
def test_the_first_reset_can_be_recorded(device, scene):
    model = scene(device)
    solver, state = SolverMuJoCo(model), moving(model)
    mask = wp.array(np.arange(model.world_count) % 2 == 0, dtype=wp.bool, device=device)
    graph = recorded(device, lambda: solver.reset(state, mask))
    assert_states(state, moving(model))
    wp.capture_launch(graph)
    wanted = moving(model)
    SolverMuJoCo(model).reset(wanted, mask)
    assert_states(state, wanted)


def test_the_first_notification_can_be_recorded(device):
    model = humanoids(device)
    solver, plain, old = SolverMuJoCo(model), SolverMuJoCo(model), SolverMuJoCo(model)
    graph = recorded(device, lambda: solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES))
    model.body_mass.assign(model.body_mass.numpy() * np.linspace(0.8, 1.2, model.body_count, dtype=np.float32))
    wp.capture_launch(graph)
    plain.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    followed = rolled_out(model, solver, 2)
    assert_states(followed, rolled_out(model, plain, 2))
    assert (followed.joint_q.numpy() != rolled_out(model, old, 2).joint_q.numpy()).any()


def test_a_first_notification_after_recorded_steps_says_what_to_do(device):
    model = humanoids(device)
    solver, state = SolverMuJoCo(model), moving(model)
    with wp.ScopedCapture(device):
        solver.step(state, state, model.control(), None, 0.004)
        with pytest.raises(StateError, match="call it once with these flags before"):
            solver.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)


def test_the_first_step_with_contacts_of_the_caller_can_be_recorded(device):
    model = humanoids(device)
    results = []
    for record in (True, False):
        solver = SolverMuJoCo(model, use_mujoco_contacts=False)
        state, control, contacts = moving(model), model.control(), contacts_of(model)
        found_contacts(model, state, contacts)
        work = lambda: solver.step(state, state, control, contacts, 0.004)  # noqa: B023
        replay = functools.partial(wp.capture_launch, recorded(device, work)) if record else work
        for _ in range(2):
            replay()
        results.append(state)
    assert_states(*results)


def test_the_first_observation_can_be_recorded(device):
    model = humanoids(device)
    seen = []
    for record in (True, False):
        solver, state, control = SolverMuJoCo(model), moving(model), model.control()
        wanted = solver.observables(("body_qdd",))
        work = lambda: solver.step(state, state, control, None, 0.004, observables=wanted)  # noqa: B023
        replay = functools.partial(wp.capture_launch, recorded(device, work)) if record else work
        replay()
        seen.append(wanted.body_qdd.numpy())
    assert_same(*seen)


def test_mujoco_warp_programs_record_their_first_step_and_reset(device):
    m = mjwarp.put_model(mjwarp.load(models.path("humanoid")), device=device)
    d, plain = mjwarp.make_data(m, nworld=4), mjwarp.make_data(m, nworld=4)
    step = recorded(device, lambda: mjwarp.step(m, d))
    mask = wp.array([1, 0, 0, 1], dtype=int, device=device)
    reset = recorded(device, lambda: mjwarp.reset_data(m, d, mask))
    for graph in (step, step, reset, step):
        wp.capture_launch(graph)
    for work in (mjwarp.step, mjwarp.step, lambda m, d: mjwarp.reset_data(m, d, mask), mjwarp.step):
        work(m, plain)
    for name in ("qpos", "qvel", "qacc_warmstart", "time"):
        assert_same(getattr(d, name).numpy(), getattr(plain, name).numpy(), name)
