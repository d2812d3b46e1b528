"""Trees sleep and wake when MuJoCo's do, stand still bit for bit while they sleep, and all else goes on as there."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import specialize
from tests import oracle
from tests.harness.sleep_lockstep import Pair
from tests.harness.sleep_scenes import FLOATING, FLOOR, OPTION, WAKING, box, scene, slider
from tests.tolerance import tolerance

FOLDERS = ("mujoco_test/engine/sleep", "mujoco_model/sleep")
FILES = {"contact": 700, "contactpair": 600, "tendon": 500, "sensor": 900, "mocap": 60, "static": 5, "dominos": 560}
"""Models of MuJoCo's own tests and the steps they run; other files there have flexes, or thousands of dofs."""


def check(course):
    assert not course.differ, course.differ[0]
    assert not course.moved, course.moved
    assert course.qpos <= tolerance("next") and course.qvel <= tolerance("sleeper"), (course.qpos, course.qvel)


@pytest.mark.parametrize("name", FILES)
def test_models_of_mujoco_sleep_and_wake_at_the_same_steps(assets, device, name):
    path = next(p for p in (assets / "mjcf" / f / f"{name}.xml" for f in FOLDERS) if p.is_file())
    course = Pair(oracle.compile_xml(path), device, nconmax=600).run(FILES[name])
    check(course)
    if name not in ("mocap", "static"):
        assert course.slept.any() and course.woke.any()


@pytest.mark.parametrize("cause", WAKING)
def test_what_wakes_a_tree(device, cause):
    text, poke, woken = WAKING[cause]
    course = Pair(oracle.compile_xml(text), device).run(120, poke)
    check(course)
    assert course.woke.tolist() == woken


@pytest.mark.parametrize("policy", ["auto", "never", "allowed", "init"])
def test_policies_of_a_tree_with_an_actuator(device, policy):
    free = slider("a", f'sleep="{policy}"')
    model = oracle.compile_xml(
        scene(free, FLOATING, '<actuator><general joint="a" dyntype="filter" dynprm="1"/></actuator>')
    )
    pair = Pair(model, device)
    course = pair.run(30, lambda step, data: data.ctrl.__setitem__(0, float(step > 15)))
    check(course)
    assert course.slept.all() == (policy in ("allowed", "init"))
    np.testing.assert_allclose(pair.d.act.numpy()[0], pair.data.act, atol=tolerance("next"))


def test_trees_that_start_asleep_hang_in_the_air_until_touched(device):
    init = 'sleep="init"'
    course = Pair(
        oracle.compile_xml(
            scene(FLOOR + box("0 0 .1", init) + box("0 0 .29", init) + box("0 3 .5", init) + box("0 3.05 .9"))
        ),
        device,
    ).run(200)
    check(course)
    assert (np.array(course.asleep[0])[:3] == [1, 0, 2]).all() and course.woke.tolist() == [0, 0, 1, 0]


def test_islands_of_which_some_do_not_start_asleep_wake(device):
    init = 'sleep="init"'
    course = Pair(
        oracle.compile_xml(scene(FLOOR + box("0 0 .1", init) + box("0 0 .29") + box("3 0 .5", init))), device
    ).run(12)
    check(course)
    assert course.slept.tolist() == [False, False, True]


def test_a_tree_that_starts_asleep_wakes_where_it_was_moved(device):
    model = oracle.compile_xml(scene(FLOOR + box("0 0 .5", 'sleep="init"')))
    course = Pair(model, device).run(5, lambda step, data: data.qpos.__setitem__(2, 0.7) if step == 0 else None)
    check(course)
    assert not course.slept.any()


@pytest.mark.parametrize(
    "option", ['integrator="implicit"', 'integrator="implicitfast"', 'solver="PGS"', 'solver="CG"', 'cone="elliptic"']
)
def test_sleep_under_integrators_and_solvers(device, option):
    text = scene(FLOOR + box("0 0 .0995") + box("1 0 .12"), OPTION.replace("<option", f"<option {option}"))
    check(Pair(oracle.compile_xml(text), device).run(100))


def test_without_islands_only_a_world_without_constraints_falls_asleep(device):
    option = OPTION.replace('sleep="enable"', 'sleep="enable" island="disable"')
    course = Pair(oracle.compile_xml(scene(FLOOR + box("0 0 .0995"), option)), device).run(60)
    check(course)
    assert not course.slept.any()
    course = Pair(
        oracle.compile_xml(scene(slider("a"), option.replace("<option", '<option gravity="0 0 0"'))), device
    ).run(30)
    check(course)
    assert course.slept.all()


def test_friction_and_limits_have_no_rows_while_a_tree_sleeps(device):
    """Dry friction keeps its rows in order when the first of two trees sleeps; speeds are those of a world at rest when
    it falls asleep.
    """
    joints = '<body><joint damping="1" frictionloss=".01"/><geom size=".1" pos="0 .1 0"/><site name="s" pos="0 0 .1"/></body>'
    limited = '<body sleep="never"><joint damping="2" frictionloss=".1" range="-9 -1" limited="true"/><geom size=".1" contype="0" conaffinity="0"/></body>'
    text = scene(
        joints + limited,
        FLOATING.replace("<option", '<option sleep_tolerance="1"'),
        '<sensor><accelerometer site="s"/><gyro site="s"/></sensor>',
    )
    course = Pair(oracle.compile_xml(text), device).run(
        40, lambda step, data: data.qvel.__setitem__(0, 0.5) if step == 0 else None
    )
    check(course)
    assert course.slept.tolist() == [True, False] and all(a == b for a, b in course.nefc)
    for want, got in course.sensors:
        np.testing.assert_allclose(got, want, atol=tolerance("sleeper"))


def test_sensors_keep_their_last_value_while_all_they_watch_sleeps(assets, device):
    """Sensors of MuJoCo's own scene, once all lies still: contacts among sleepers are no longer counted, all else is
    held.
    """
    pair = Pair(oracle.compile_xml(assets / "mjcf" / "mujoco_test/engine/sleep/sensor.xml"), device)
    course = pair.run(900)
    check(course)
    want, got = course.sensors[-1]
    assert course.asleep_last.all()
    np.testing.assert_allclose(got, want, atol=tolerance("sleeper") * np.abs(want).max())


def test_a_sleeping_scene_does_not_move_for_a_thousand_steps(device):
    pair = Pair(oracle.compile_xml(WAKING["nothing"][0]), device)
    pair.run(80)
    before = pair.d.qpos.numpy().copy()
    pair.schedule.step(1000)
    assert (
        pair.d.qpos.numpy().tobytes() == before.tobytes()
        and pair.d.nefc.numpy()[0] == 0
        and pair.d.ncon.numpy()[0] == 0
    )


def test_a_scene_without_sleep_is_stepped_by_the_same_kernels():
    """Nothing of sleep is left in the step of a model that does not ask for it."""
    folded = (("nsleep", 0),)
    names = {s.key.split(".")[-1] for s in specialize.constant_fold(pipeline.STEP, folded)}
    assert not names & {"wake", "wake_tendon", "filter_asleep_pairs", "wake_collision", "sleep_islands"}
