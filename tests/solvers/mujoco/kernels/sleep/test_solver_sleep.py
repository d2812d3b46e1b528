"""Sleep through files, builder, state and control: what a scene says of sleepers does not wake them, what it does to
them does.
"""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.solver import SolverMuJoCo
from tests import oracle
from tests.harness.sleep_scenes import FLOATING, FLOOR, OPTION, box, scene, slider
from tests.tolerance import assert_close

TURNED = 'euler="0 0 30"'
ARM = (
    '<body pos="3 1 1" euler="10 20 30" {sleep}><joint name="arm" ref="0.3" damping="20" stiffness="100" springref="0.3"/><geom size=".1"/>'
    '<body pos="0 .3 0"><joint type="ball" damping="10" stiffness="50"/><geom size=".1" contype="0" conaffinity="0"/></body></body>'
)
LYING = scene(
    FLOOR + box("0 0 .0995", TURNED) + box("1 .3 .0995") + ARM.format(sleep=""),
    OPTION.replace("<option", '<option sleep_tolerance=".002"'),
)


def model_of(text: str, device: str):
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text)
    return builder.finalize(device=device)


class Run:
    """A solver with its two states."""

    def __init__(self, text: str, device: str, **arguments):
        self.model = model_of(text, device)
        self.solver = SolverMuJoCo(self.model, **arguments)
        self.now, self.next, self.control = self.model.state(), self.model.state(), self.model.control()

    def step(self, count: int):
        for _ in range(count):
            self.solver.step(self.now, self.next, self.control, None, 0.002)
            self.now, self.next = self.next, self.now
        return self.solver.mjw_data.tree_asleep.numpy()[0] >= 0


def test_a_scene_falls_asleep_and_stands_bit_for_bit(device):
    """Boxes that lie turned, and an arm whose joints are turned and have a reference: positions make the round trip
    with round-off.
    """
    run = Run(LYING, device)
    assert run.step(900).all()
    before = run.now.joint_q.numpy().copy()
    assert (
        run.step(50).all()
        and run.now.joint_q.numpy().tobytes() == before.tobytes()
        and not run.now.joint_qd.numpy().any()
    )


@pytest.mark.parametrize("cause", ["joint_q", "joint_qd", "joint_f", "body_f"])
def test_what_a_scene_does_to_a_sleeper_wakes_it(device, cause):
    run = Run(scene(FLOOR + box("0 0 .0995", TURNED) + box("1 .3 .0995"), OPTION), device)
    assert run.step(120).all()
    owner = run.control if cause == "joint_f" else run.now
    values = getattr(owner, cause).numpy()
    values.reshape(-1)[0] += 0.01
    getattr(owner, cause).assign(values)
    assert run.step(1).tolist() == [False, True]


def test_sleeping_is_an_argument_of_the_solver(device):
    text = scene(FLOOR + box("0 0 .0995"), '<option gravity="0 0 -9.81"/>')
    assert not Run(text, device).solver.mjw_model.nsleep
    assert Run(text, device, enable_sleeping=True).step(120).all()
    assert not Run(scene(FLOOR + box("0 0 .0995")), device, enable_sleeping=False).solver.mjw_model.nsleep
    assert Run(scene(slider("a"), FLOATING), device, sleep_tolerance=0.25).solver.mj_model.opt.sleep_tolerance == 0.25


def test_reset_wakes_what_does_not_start_asleep(device):
    run = Run(scene(FLOOR + box("0 0 .0995") + box("0 3 .5", 'sleep="init"')), device)
    assert run.step(1).tolist() == [False, True]
    assert run.step(120).all()
    run.solver.reset(run.now)
    assert (run.solver.mjw_data.tree_asleep.numpy()[0] >= 0).tolist() == [False, True]
    assert run.step(1).tolist() == [False, True]


POLICIES = scene(
    slider("a", 'sleep="never"')
    + slider("b", 'sleep="allowed"')
    + slider("c", 'sleep="init"')
    + slider("d")
    + slider("e")
    + slider("f")
    + ARM.format(sleep=""),
    FLOATING,
    '<tendon><fixed name="soft" stiffness="1"><joint joint="e" coef="1"/><joint joint="f" coef="1"/></fixed></tendon><actuator><motor joint="d"/></actuator>',
)


def test_policies_and_lengths_are_compiled_as_mujoco_compiles_them(device):
    ours, theirs = compile_model(model_of(POLICIES, device)), oracle.compile_xml(POLICIES)
    assert ours.tree_sleep_policy.tolist() == theirs.tree_sleep_policy.tolist()
    assert_close(ours.dof_length, theirs.dof_length, "compiled")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (
            scene(
                f'<body>{ARM.format(sleep="")}<joint/><geom size=".1"/><body sleep="never"><joint/><geom size=".1"/></body></body>'
            ),
            "first body",
        ),
        (POLICIES.replace('name="e"', 'name="b2"').replace('joint="e"', 'joint="b"'), "soft"),
    ],
    ids=["inner body", "stiff tendon"],
)
def test_policies_that_cannot_be_are_refused_by_name(device, text, word):
    with pytest.raises(ModelError, match=word):
        compile_model(model_of(text, device))


def test_every_world_sleeps_by_itself(device):
    builder, robot = newton.ModelBuilder(), newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(robot)
    robot.add_mjcf(scene(FLOOR + box("0 0 .0995")))
    builder.replicate(robot, 3)
    model = builder.finalize(device=device)
    solver, now, after, control = SolverMuJoCo(model), model.state(), model.state(), model.control()
    speed = now.joint_qd.numpy()
    speed.reshape(3, -1)[1, 0] = 3.0
    now.joint_qd.assign(speed)
    for _ in range(120):
        solver.step(now, after, control, None, 0.002)
        now, after = after, now
    asleep = solver.mjw_data.tree_asleep.numpy()[:, 0] >= 0
    assert asleep.tolist() == [True, False, True]
    assert np.isfinite(now.joint_q.numpy()).all()


@pytest.mark.parametrize("change", ['solver="CG"', "island"])
def test_a_file_that_asks_for_sleep_with_cg_or_without_islands_goes_as_in_mujoco(change, device):
    text = (
        LYING.replace("<option", f"<option {change}")
        if "=" in change
        else LYING.replace("<flag", '<flag island="disable"')
    )
    mj = oracle.compile_xml(text)
    run, data = Run(text, device), oracle.mujoco.MjData(mj)
    for _ in range(900):
        oracle.mujoco.mj_step(mj, data)
    np.testing.assert_array_equal(run.step(900), data.tree_asleep >= 0)
