"""Gangs: worlds side by side have the bits that they have one by one, whatever the joints, parameters and neighbours."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.executor import plan, specialize
from newtonlite.solvers.mujoco.executor.cpu import kernel_chain
from newtonlite.solvers.mujoco.executor.cpu.gang import GANG_SIZE
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_same

JOINTS = """<mujoco><option timestep="0.004" integrator="{integrator}"/><worldbody>
<geom type="plane" size="1 1 .1"/>
<body name="base" pos="0 0 .4"><freejoint name="base"/><geom type="box" size=".1 .2 .05"/><site pos=".1 0 0" euler="10 20 30"/>
<body pos=".2 0 0" euler="0 30 0"><joint name="ball" type="ball" stiffness="2" pos=".02 0 .01"/><geom type="capsule" size=".03 .1"/>
<body pos="0 0 .2" gravcomp=".5"><joint name="hinge" axis="1 2 0" pos="0 .03 0" armature=".01" damping=".2"/>
<joint name="slide" type="slide" axis="0 0 1" stiffness="40" springref=".1" actuatorfrcrange="-1 2"/>
<geom type="sphere" size=".05"/></body></body>
<body pos="-.2 0 0" gravcomp="1"><joint name="y" axis="0 1 0" actuatorgravcomp="true"/><joint name="x" axis="1 0 0"/>
<geom type="capsule" size=".03 .1" pos="0 0 -.1"/></body></body>
<body name="target" mocap="true" pos="1 0 1" quat=".9 .1 0 .3"><geom type="sphere" size=".1"/></body>
</worldbody><actuator>
<motor joint="hinge" gear=".3" ctrlrange="-.5 .5"/><position joint="slide" kp="20" kv="1" forcerange="-3 3"/>
<velocity joint="y" kv=".3" ctrlrange="-1 1"/><general joint="x" gainprm=".5 .1 -.05" gaintype="affine" biasprm=".1 -.2 -.03" biastype="affine"/>
<motor joint="ball" gear=".1 .05 .02"/><motor jointinparent="ball" gear="0 .03 .01"/><motor joint="base" gear="0 0 3 .01 0 0"/>
</actuator></mujoco>"""
WORLDS = 2 * GANG_SIZE + 3


def engine(mj, states, gangs: bool, monkeypatch, **options) -> Engine:
    """Worlds in gangs, or one by one."""
    with monkeypatch.context() as patched:
        patched.setattr(specialize, "enabled", True)
        patched.setenv("NEWTONLITE_KERNELS", "wait")
        if not gangs:
            patched.setattr(kernel_chain, "_in_gangs", in_turn(kernel_chain._in_gangs))
        made = Engine(mj, states, **options)
        assert (kernel_chain.GANGS in uses(made)) == gangs
        return made


def in_turn(in_gangs):
    """Rounds of the same stages in the same order, without gangs."""
    return lambda stages, together, level, gangs: [
        ([(part, kernel_chain.EVERY) for part, use in named if use != kernel_chain.GANGS], together)
        for named, together in in_gangs(stages, together, level, gangs)
        if [use for _, use in named] != [kernel_chain.GANGS]
    ]


def uses(made: Engine) -> set:
    (chain,) = made.schedule.programs["step"]
    return {use for kernels, _ in chain.rounds for _, use in kernels}


def states_of(mj) -> oracle.States:
    states = oracle.rollout_states(mj, WORLDS)
    states.qpos[3, -1] = 1e5  # a sine of the C library's
    states.qpos[5, 3:7] *= 3.0  # not of unit length
    states.qpos[6, 3:7] = 0.0
    states.qvel[GANG_SIZE + 1, 2] = np.nan  # a world that is reset
    states.ctrl[7, 2] = np.nan  # no control
    return states


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_worlds_of_a_gang_have_the_bits_of_worlds_alone(integrator, device, monkeypatch):
    if device != "cpu":
        pytest.skip("gangs are for the CPU")
    mj = oracle.compile_xml(JOINTS.format(integrator=integrator))
    states = states_of(mj)
    sides = [engine(mj, states, gangs, monkeypatch, scratch="per_world").step(10).arrays() for gangs in (True, False)]
    assert len(np.unique(sides[0]["qpos"], axis=0)) == WORLDS
    for name in sides[0]:
        assert_same(sides[0][name], sides[1][name], name)


def test_parameters_of_worlds_are_their_own(device, monkeypatch):
    if device != "cpu":
        pytest.skip("gangs are for the CPU")
    mj = oracle.compile_xml(JOINTS.format(integrator="Euler"))
    states, rng = states_of(mj), np.random.default_rng(3)
    changes = {
        "body_mass": np.outer(rng.uniform(0.5, 2.0, WORLDS), mj.body_mass),
        "body_ipos": mj.body_ipos + rng.normal(0.0, 0.02, (WORLDS, mj.nbody, 3)),
        "jnt_pos": mj.jnt_pos * rng.integers(0, 2, (WORLDS, 1, 1)),
        "opt_gravity": rng.normal(0.0, 5.0, (WORLDS, 3)),
        "jnt_stiffness": mj.jnt_stiffness * rng.integers(0, 2, (WORLDS, mj.njnt)),
        "dof_damping": mj.dof_damping * rng.uniform(0.0, 2.0, (WORLDS, mj.nv)),
        "actuator_gear": mj.actuator_gear * rng.uniform(0.0, 2.0, (WORLDS, 1, 1)),
    }
    sides = []
    for gangs in (True, False):
        made = engine(mj, states, gangs, monkeypatch)
        for name, values in changes.items():
            made.m.set(name, values)
        sides.append(made.step(10).arrays())
    for name in ("qpos", "qvel", "qacc"):
        assert_same(sides[0][name], sides[1][name], name)


def test_worlds_do_not_depend_on_how_many_there_are(device, monkeypatch):
    if device != "cpu":
        pytest.skip("gangs are for the CPU")
    mj = oracle.compile_xml(JOINTS.format(integrator="Euler"))
    states = states_of(mj)
    whole = engine(mj, states, True, monkeypatch, threads=2).step(10).arrays()
    few = engine(mj, states[:5], True, monkeypatch).step(10).arrays()
    for name in ("qpos", "qvel", "qacc"):
        assert_same(whole[name][:5], few[name], name)


PLAIN = tuple((name, 0) for name in (*kernel_chain.GANG_FORCES_LACK, "nsleep"))


@pytest.mark.parametrize(
    ("folded", "nv", "matrix", "forces"),
    [
        (PLAIN, 10, True, True),
        (PLAIN, kernel_chain.GANG_MATRIX_DOFS + 1, False, True),
        (tuple(pair for pair in PLAIN if pair[0] != "ntendon"), 10, True, False),
    ],
)
def test_forces_are_in_gangs_where_nothing_comes_between(folded, nv, matrix, forces):
    found = kernel_chain._gang_stages([(pipeline.STEP, False)], folded, nv)
    assert found == (plan.GANG + matrix * plan.GANG_MATRIX, forces * plan.GANG_FORCES)


def no_stage(m, d, world, lane, nlane):
    """A stage of somebody else."""


def test_stages_of_others_keep_forces_out_of_gangs():
    rounds = [((*pipeline.STEP, no_stage), False)]
    assert kernel_chain._gang_stages(rounds, PLAIN, 10)[1] == ()
    assert kernel_chain._gang_stages(rounds, PLAIN[:-1], 10) == ((), ())  # trees may sleep
