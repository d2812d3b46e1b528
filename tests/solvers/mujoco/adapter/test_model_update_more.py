"""Row N-102, the rest: what sleeping, sliding bodies and simulated ranges depend on, and programs that no kernel of a GPU
was made for.
"""

from dataclasses import replace

import numpy as np
import pytest

from newtonlite.core.enums import ModelFlags
from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor.backend import Recipe
from newtonlite.solvers.mujoco.executor.plan import without_flexes
from newtonlite.solvers.mujoco.executor.specialize import constant_fold, features
from tests.harness.engine_scenes import builder
from tests.harness.newton_scenes import arm, solver, step
from tests.tolerance import assert_close, assert_same

WEIGHED = ("dof_invweight0", "body_invweight0")


def scene(text: str, device, worlds: int = 2):
    """Copies of an MJCF model."""
    one, all_ = builder(), builder()
    one.add_mjcf(f"<mujoco>{text}</mujoco>")
    all_.replicate(one, worlds)
    return all_.finalize(device=device)


def test_n_102_speeds_to_fall_asleep_by_follow_the_sizes_of_bodies(device):
    model = scene(
        '<worldbody><body><joint axis="0 1 0"/><geom size=".1 .2" type="capsule" pos="0 0 .3"/><body pos="0 0 .6"><joint type="ball"/><geom size=".1"/></body></body>'
        '<body pos="2 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body></worldbody>',
        device,
    )
    s = solver(model, enable_sleeping=True)
    before = s.mjw_model.dof_length.numpy().copy()
    bodies = model.body_com.numpy()
    bodies[0] += [0.0, 0.1, 0.2]
    model.body_com.assign(bodies)
    s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    sizes = model.shape_scale.numpy()
    sizes[2] *= 2.0
    model.shape_scale.assign(sizes)
    s.notify_model_changed(ModelFlags.SHAPE_PROPERTIES)
    got, want = (x.mjw_model.dof_length.numpy() for x in (s, solver(model, enable_sleeping=True)))
    assert_close(got, want, "reference")
    assert_same(got[1], before)
    assert (np.abs(got[0] - before) > 1e-3).sum() == 1 + 3, "the hinge and the free body's turning dofs"


def test_n_102_a_body_that_comes_to_slide_only_is_weighed_as_one(device):
    model = scene(
        '<worldbody><body><joint type="slide" axis="0 0 1" armature=".5"/><geom size=".1" pos=".1 0 0"/></body></worldbody>',
        device,
    )
    s = solver(model)
    for slides, coms in (
        ([1, 0], [[0, 0, 0], [0.1, 0, 0]]),
        ([1, 1], [[0, 0, 0]] * 2),
        ([0, 1], [[0, 0, 0.1], [0, 0, 0]]),
    ):
        model.body_com.assign(coms)
        s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
        fresh = solver(model)
        for one in (s, fresh):
            assert_same(np.broadcast_to(one.mjw_model.body_slider.numpy()[:, 1], 2), np.int32(slides))
        for name in WEIGHED:
            got, want = np.broadcast_arrays(*(x.mjw_model.arrays[name].numpy() for x in (s, fresh)))
            assert_close(got, want, "reference", what=name)


def test_n_102_each_world_decides_for_itself_whether_a_body_slides_only(device):
    """By where its axes, its centre of mass, and tendons with armature are: worlds are weighed as models of their own."""
    text = (
        '<worldbody><body><joint name="x" type="slide" axis="0 0 1" armature=".5"/><geom type="box" size=".1 .2 .3"/></body>'
        '<body pos="1 0 0"><joint name="y" type="slide" axis="0 0 1" armature="2"/><geom type="box" size=".3 .2 .1"/></body></worldbody>'
        '<tendon><fixed armature="3"><joint joint="y" coef="1"/></fixed></tendon>'
    )
    model, alone = scene(text, device, 3), [scene(text, device, 1) for _ in range(3)]
    for many in (model, *alone):
        axis, weight = many.joint_axis.numpy(), many.mujoco.tendon_armature.numpy()
        for k in range(3):
            worlds = range(3) if many is model else [alone.index(many)]
            if k in worlds:
                row = k if many is model else 0
                axis[2 * row] = [(0, 0, 1), (0, 0.6, 0.8), (0, 1, 0)][k]
                weight[row] = [3.0, 0.0, 3.0][k]
        many.joint_axis.assign(axis)
        many.mujoco.tendon_armature.assign(weight)
    together, apart = solver(model), [solver(one) for one in alone]
    assert_same(together.mjw_model.body_slider.numpy(), np.int32([[0, 1, 0], [0, 0, 1], [0, 1, 0]]))
    for name in WEIGHED:
        assert_same(
            together.mjw_model.arrays[name].numpy(),
            np.concatenate([one.mjw_model.arrays[name].numpy() for one in apart]),
        )


def test_n_102_an_authored_mean_inertia_scales_no_tolerance(device):
    """As in MuJoCo 4.0: it is kept, and the solver goes by the computed one, in worlds whose masses changed and in
    others.
    """
    body = '<worldbody><body><joint axis="0 1 0"/><geom size=".1" pos="0 0 -.5"/></body></worldbody>'
    authored, plain = scene(f'<statistic meaninertia="1e6"/>{body}', device), scene(body, device)
    first, second = solver(authored), solver(plain)
    assert first.mj_model.stat.meaninertia == 1e6 and second.mj_model.stat.meaninertia < 10.0
    assert_same(first.mjw_model.stat_meaninertia.numpy(), second.mjw_model.stat_meaninertia.numpy())
    for one in (first, second):
        one.model.body_mass.assign(one.model.body_mass.numpy() * [1.0, 3.0])
        one.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    assert_same(first.mjw_model.stat_meaninertia.numpy(), second.mjw_model.stat_meaninertia.numpy())
    assert first.mj_model.stat.meaninertia == 1e6 and np.diff(first.mjw_model.stat_meaninertia.numpy()).item() > 1.0


def test_n_102_simulated_ranges_of_lengths_stay_and_that_is_said(device):
    model = scene(
        '<worldbody><body><joint name="j" axis="0 1 0" limited="true" range="-60 60" damping="1"/><geom size=".1" pos="0 0 -.5"/></body></worldbody>'
        '<actuator><muscle joint="j"/></actuator>',
        device,
        1,
    )
    s = solver(model)
    before = s.mjw_model.actuator_lengthrange.numpy().copy()
    s.notify_model_changed(ModelFlags.ALL)
    model.joint_limit_upper.assign([0.5])
    with pytest.warns(NewtonWarning, match="mujoco.actuator_lengthrange: was simulated.*make a new solver"):
        s.notify_model_changed(ModelFlags.JOINT_DOF_PROPERTIES)
    assert_same(s.mjw_model.actuator_lengthrange.numpy(), before)
    assert solver(model).mjw_model.actuator_lengthrange.numpy()[0, 0, 1] < before[0, 0, 1] - 0.3


@pytest.mark.parametrize(
    "name", ["SMOOTH", "ISLANDS", "COLLIDE", "CAMERA", "RAY", "INVERSE", "SET_CONST", "MODEL_UPDATE", "SPRING_LENGTHS"]
)
def test_programs_keep_all_their_stages_on_a_gpu(name, device):
    """A stage that belongs to no fused kernel is not left out."""
    s = solver(arm().finalize(device=device))
    schedule, stages = s.schedule, getattr(pipeline, name)
    schedule.backend.spread = replace(schedule.backend.spread, mode="gpu")
    found = schedule._program("all", Recipe(lambda integrator: (stages,)))
    kept = tuple(stage for kernel in found for stage in kernel.stages)
    assert set(without_flexes(kept)) == set(without_flexes(constant_fold(stages, features(s.mjw_model))))


def test_n_102_a_change_wakes_what_sleeps_in_its_world(device):
    """Trees that fell asleep on the ground move again where something changed; options concern all worlds."""
    model = scene(
        '<worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .1"><freejoint/><geom size=".1"/></body></worldbody>',
        device,
    )
    s, state = solver(model, enable_sleeping=True, sleep_tolerance=1.0), model.state()
    step(s, state, steps=30, dt=0.01)
    assert s.mjw_data.ntree_awake.numpy().tolist() == [0, 0]
    mass = model.body_mass.numpy()
    model.body_mass.assign(mass * [1.0, 2.0])
    s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    assert s.mjw_data.ntree_awake.numpy().tolist() == [0, 1]
    s.notify_model_changed(ModelFlags.MODEL_PROPERTIES)
    assert s.mjw_data.ntree_awake.numpy().tolist() == [1, 1]


def test_n_102_friction_follows_flags_of_forces_alone(device):
    """Flags of inertia publish armature; friction that is new waits for a flag of its own."""
    model = scene('<worldbody><body><joint axis="0 1 0"/><geom size=".1"/></body></worldbody>', device)
    s = solver(model)
    model.joint_friction.fill_(0.7)
    model.joint_armature.fill_(1.5)
    for flag, friction in (
        (ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES, 0.0),
        (ModelFlags.JOINT_DOF_FORCE_PROPERTIES, 0.7),
    ):
        s.notify_model_changed(flag)
        assert_close(s.mjw_model.dof_armature.numpy(), [[1.5], [1.5]], "force")
        assert_close(s.mjw_model.dof_frictionloss.numpy(), [[friction], [friction]], "force")
