"""Arguments and host models that no function can make sense of are refused by name, as MuJoCo Warp refuses them."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import CapacityError, ModelError, StateError
from newtonlite.core.mujoco import MjtEnableBit, MjtIntegrator
from tests import oracle, oracle_functions
from tests.tolerance import assert_close

FILE = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
  <body pos="1 0 1"><joint name="h" damping=".3"/><geom size=".1" pos=".1 0 0"/></body></worldbody>
  <actuator><position joint="h" kp="5"/></actuator><keyframe><key qpos="0 0 1 1 0 0 0 .3"/></keyframe></mujoco>"""


def host(**options):
    """The model with options that its file cannot say."""
    found = oracle.compile_xml(FILE)
    for name, value in options.items():
        setattr(found.opt, name, value)
    return found


def at_rest(mj):
    """MuJoCo's data with one contact."""
    data = at_rest_of(mj)
    assert data.ncon == 1
    return data


def at_rest_of(mj):
    """MuJoCo's data of a model, computed once."""
    data = oracle_functions.empty_data(mj)
    oracle_functions.forward_into(mj, data)
    return data


@pytest.mark.parametrize(
    "options, what",
    [
        ({"integrator": 99}, "integrators that are not known \\(number 99\\)"),
        ({"solver": 99}, "solvers that are not known"),
        ({"cone": 99}, "friction cones that are not known"),
        ({"disableflags": 1 << 27}, "flags that are not known"),
        ({"enableflags": 1 << 27}, "flags that are not known"),
    ],
)
def test_options_that_nothing_has_are_refused(options, what):
    with pytest.raises(ModelError, match=what):
        mjw.put_model(host(**options), device="cpu")


def test_sleep_policies_that_nothing_has_are_refused():
    mj = host(enableflags=int(MjtEnableBit.SLEEP))
    mj.tree_sleep_policy[0] = 9
    with pytest.raises(ModelError, match="sleep policies that are not known"):
        mjw.put_model(mj, device="cpu")


def test_data_is_refused_capacities_that_it_would_not_fit():
    mj = host()
    data = at_rest(mj)
    for name, most in (("naconmax", 1), ("nconmax", 0), ("njmax", 1)):
        with pytest.raises(CapacityError, match=f"{name}={most}"):
            mjw.put_data(mj, data, nworld=2, device="cpu", **{name: most})
    with pytest.raises(StateError, match="nvmax \\(100\\) must be in"):
        mjw.put_data(mj, data, nvmax=100, device="cpu")


def test_keyframes_are_whole_numbers(device):
    mj = host()
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, nworld=2, device=device)
    for key in (0.5, True, None):
        with pytest.raises(StateError, match="key must be an int or a wp.array"):
            mjw.reset_data_keyframe(m, d, key)
    mjw.reset_data_keyframe(m, d, np.int64(0))
    assert_close(d.qpos.numpy(), np.tile(mj.key_qpos, (2, 1)), "authored")


def test_accelerations_are_inverse_dynamics_own(device):
    mj = host()
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, device=device)
    mjw.rne(m, d, flg_acc=False)
    with pytest.raises(StateError, match="inverse gives the forces"):
        mjw.rne(m, d, flg_acc=True)


def test_discrete_time_goes_on_from_the_accelerations_of_forward(device):
    """``forward`` and ``discrete`` are a step of that integrator; other models have no accelerations of its kind."""
    mj = host(integrator=int(MjtIntegrator.DISCRETE))
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, nworld=2, device=device)
    whole = mjw.make_data(mj, nworld=2, device=device)
    for data in (d, whole):
        data.qvel = np.tile(np.linspace(-1.0, 1.0, mj.nv), (2, 1)).astype(np.float32)
        data.ctrl = np.full((2, 1), 0.4, np.float32)
    for _ in range(3):
        mjw.forward(m, d)
        mjw.discrete(m, d)
        mjw.step(m, whole)
    assert_close(d.qpos.numpy(), whole.qpos.numpy(), "trajectory", floor=1.0)
    assert_close(d.qvel.numpy(), whole.qvel.numpy(), "trajectory", floor=1.0)
    assert d.time.numpy() == pytest.approx(whole.time.numpy()) and d.time.numpy()[0] > 0
    with pytest.raises(StateError, match="put it with discrete"):
        mjw.discrete(mjw.put_model(host(), device=device), d)


def test_rows_are_taken_where_the_host_has_room_for_more():
    """An equality of a tendon that the state does not move has no row, though MuJoCo made room for it."""
    mj = oracle.compile_xml("""<mujoco><worldbody><site name="w"/><body pos="0 0 1"><joint name="j"/><geom size=".1"/>
        <site name="s" pos=".2 0 0"/></body></worldbody><tendon><spatial name="t" range="0 1"><site site="w"/>
        <site site="s"/></spatial><fixed name="f" frictionloss=".1"><joint joint="j" coef="2"/></fixed></tendon>
        <equality><tendon tendon1="f"/></equality></mujoco>""")
    data = at_rest_of(mj)
    assert len(data.efc_J) > data.nefc * mj.nv
    d = mjw.put_data(mj, data, nworld=2)
    assert_close(d.efc.J.numpy()[:, : data.nefc, 0], [data.efc_J[: data.nefc]] * 2, "compiled")


def test_data_of_the_host_bring_their_iterations():
    mj = host()
    data = at_rest(mj)
    assert data.solver_niter[0] > 0
    assert mjw.put_data(mj, data, nworld=2).solver_niter.numpy().tolist() == [data.solver_niter[0]] * 2
