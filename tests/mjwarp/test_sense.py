"""Forces on bodies, momenta, cameras and rays under MuJoCo Warp's names, in models whose sensors ask for none of them."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from tests import oracle
from tests.tolerance import assert_close

WORLDS = 2
FUNCTIONS = {
    "rne_postconstraint": ({"cacc": "qacc", "cfrc_ext": "qacc", "cfrc_int": "qacc"}, "mj_rnePostConstraint"),
    "subtree_vel": ({"subtree_linvel": "velocity", "subtree_angmom": "velocity"}, "mj_subtreeVel"),
    "camlight": (dict.fromkeys(["cam_xpos", "cam_xmat", "light_xpos", "light_xdir"], "kinematics"), "mj_camlight"),
}


@pytest.fixture(scope="module")
def pair(device):
    """A host model whose robot stands on the ground, its forwarded data, and both on the device."""
    mj = oracle.named_model("humanoid")
    data = oracle.forward(mj, oracle.rollout_states(mj, 1, seed=5))
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.put_data(mj, data, nworld=WORLDS)
        mjw.forward(m, d)
    return mj, data, m, d


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_compute_what_mujocos_do(name, pair):
    mj, data, m, d = pair
    arrays, function = FUNCTIONS[name]
    for _ in range(2):  # a second call changes nothing
        getattr(mjw, name)(m, d)
        getattr(oracle.mujoco, function)(mj, data)
        for array, quantity in arrays.items():
            got = getattr(d, array).numpy()
            want = np.broadcast_to(np.array(getattr(data, array)).reshape(got.shape[1:]), got.shape)
            assert_close(got, want, quantity, 1.0, array)


def test_rays(pair):
    mj, data, m, d = pair
    pnt, vec = (
        wp.array([[[2.0, 0.1, 1.0], [0.0, 0.0, 3.0]]], dtype=wp.vec3, device=m.device),
        wp.array([[[-1.0, 0.0, 0.0], [0.0, 0.0, -2.0]]], dtype=wp.vec3, device=m.device),
    )
    dist, geom, normal = mjw.ray(m, d, pnt, vec)
    assert dist.shape == geom.shape == normal.shape == (WORLDS, 2)
    states = oracle.States(data.qpos[None], data.qvel[None], data.qacc_warmstart[None], data.ctrl[None])
    want, geoms, _ = oracle.rays(mj, states, pnt.numpy(), vec.numpy())
    assert (geom.numpy() == geoms).all()
    assert_close(dist.numpy(), np.repeat(want, WORLDS, 0), "contact")
