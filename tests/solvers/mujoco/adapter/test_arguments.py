"""Arguments of SolverMuJoCo: which contradict each other, or a model, when a solver is made."""

import pytest

from newtonlite import JointTargetMode, ModelBuilder, ModelError, NewtonWarning
from tests.harness.engine_scenes import add_lopsided, builder
from tests.harness.newton_scenes import solver


def ball(mode=JointTargetMode.NONE):
    """One floating body."""
    b = builder()
    add_lopsided(b)
    b.joint_target_mode[0] = int(mode)
    return b.finalize(device="cpu")


TOGETHER = {
    "sleeping in words": ({"enable_sleeping": "yes"}, TypeError, "True, False or None"),
    "sleeping and the other backend": ({"enable_sleeping": True, "use_mujoco_cpu": True}, ValueError, "use_mujoco_cpu"),
    "sleeping and given contacts": (
        {"enable_sleeping": True, "use_mujoco_contacts": False},
        ValueError,
        "use_mujoco_contacts=False",
    ),
    "sleeping and cg": ({"enable_sleeping": True, "solver": "cg"}, ValueError, "solver='newton'"),
    "the other backend and given contacts": (
        {"use_mujoco_cpu": True, "use_mujoco_contacts": False},
        ValueError,
        "use_mujoco_cpu",
    ),
    "room for what is awake, and no sleep": ({"nvmax": 6}, ValueError, "without sleeping"),
    "too little room": ({"nvmax": 5, "enable_sleeping": True}, ValueError, "at least the 6"),
    "more room than there is": ({"nvmax": 7, "enable_sleeping": True}, ValueError, "at most the model's 6"),
    "half a row": ({"njmax_nnz": 1.5}, TypeError, "njmax_nnz=1.5"),
    "no solver's number": ({"solver": 99}, ValueError, "solver=99"),
    "no cone's number": ({"cone": 2}, ValueError, "cone=2"),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_n_098_arguments_that_contradict_each_other_are_refused(name):
    arguments, error, text = TOGETHER[name]
    with pytest.raises(error, match=text) as caught:
        solver(ball(), **arguments)
    assert isinstance(caught.value, ModelError)


def test_n_098_sleeping_needs_islands():
    b = builder()
    b.add_mjcf(
        "<mujoco><option><flag island='disable'/></option><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    )
    with pytest.raises(ModelError, match="the flag island"):
        solver(b.finalize(device="cpu"), enable_sleeping=True)


def test_n_043_drives_of_free_joints_warn():
    with pytest.warns(NewtonWarning, match="free joint '.*' makes no actuator"):
        made = solver(ball(JointTargetMode.POSITION))
    assert made.mj_model.nu == 0


def test_n_110_a_kinematic_link_below_the_root_is_found_by_finalize():
    b = ModelBuilder()
    links = [b.add_link(label="root", mass=1.0), b.add_link(label="tip", mass=1.0, is_kinematic=True)]
    b.add_articulation([b.add_joint_fixed(-1, links[0]), b.add_joint_fixed(links[0], links[1])])
    with pytest.raises(ModelError, match="body 'tip': only the root"):
        b.finalize(device="cpu")
