"""Fields with MuJoCo Warp's element types: flags, matrices and long vectors that share their numbers with the engine."""

import numpy as np
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.mjwarp import types
from newtonlite.mjwarp.typed_views import FLAGS
from tests import oracle
from tests.tolerance import assert_close

XML = """<mujoco><worldbody><camera name="c" euler="20 30 40"/>
<body name="a" pos="0 0 1"><joint name="x"/><geom size=".1"/></body>
<body name="b" pos="0 1 1"><joint name="y" range="-1 1"/><geom size=".1"/></body></worldbody>
<equality><connect body1="a" body2="b" anchor="0 0 0"/><joint joint1="x" joint2="y" polycoef="0 2 0 0 0" active="false"/></equality>
<actuator><motor joint="x" ctrllimited="true" ctrlrange="-1 1"/><motor joint="y"/></actuator></mujoco>"""


@wp.kernel
def switch_off(active: wp.array2d[wp.bool]):
    world, k = wp.tid()
    active[world, k] = False


def test_flags_are_bools_with_the_hosts_values(device):
    host = oracle.compile_xml(XML)
    m = mjw.put_model(host, device=device)
    for name in FLAGS[1:]:
        assert getattr(m, name).dtype is wp.bool, name
        np.testing.assert_array_equal(getattr(m, name).numpy(), getattr(host, name).astype(bool).ravel(), err_msg=name)
    assert m.eq_active0.shape == (2,)


def test_what_a_kernel_writes_into_a_flag_counts(device):
    host = oracle.compile_xml(XML)
    m = mjw.put_model(host, device=device)
    d = mjw.make_data(m, nworld=2)
    assert d.eq_active.numpy().tolist() == [[True, False]] * 2
    mjw.forward(m, d)
    assert d.ne.numpy().tolist() == [3, 3]
    wp.launch(switch_off, (1, 2), [d.eq_active], device=d.eq_active.device)
    mjw.forward(m, d)
    assert d.ne.numpy().tolist() == [0, 3]
    d.eq_active = wp.array([[True, True], [False, True]], dtype=bool, device=d.eq_active.device)
    mjw.forward(m, d)
    assert d.ne.numpy().tolist() == [4, 1]


def test_frames_of_cameras_are_matrices(device):
    host = oracle.compile_xml(XML)
    m = mjw.put_model(host, device=device)
    assert m.cam_mat0.dtype is wp.mat33 and m.cam_mat0.shape == (1, 1)
    assert_close(m.cam_mat0.numpy()[0], host.cam_mat0.reshape(-1, 3, 3), "parameter")
    m.cam_mat0 = np.stack([np.eye(3), 2 * np.eye(3)])[:, None]
    assert m.cam_mat0.shape == (2, 1) and m.cam_mat0.numpy()[1, 0, 2, 2] == 2.0


def test_numbers_of_equalities_are_vectors_that_may_differ_by_world(device):
    host = oracle.compile_xml(XML)
    m = mjw.put_model(host, device=device)
    assert m.eq_data.shape == (1, 2) and m.eq_data.dtype is types.vec12f
    rows = np.repeat(m.eq_data.numpy(), 2, axis=0)
    given = wp.array(rows, dtype=types.vec12f, device=device)
    m.eq_data, m.eq_active0 = given, np.array([False, True])
    d = mjw.make_data(m, nworld=2)
    d.qpos = np.array([[0.0, 0.5], [0.0, 0.5]])
    rows[1, 1, :2] = 1.0, 0.0  # x = 1 in the second world, written after it was given
    given.assign(rows)
    mjw.forward(m, d)
    assert_close(d.efc.pos.numpy()[:, 0], [-1.0, -1.0], "kinematics")
    rows[1, 1, :2] = 0.25, 0.0
    given.assign(rows)
    mjw.forward(m, d)
    assert_close(d.efc.pos.numpy()[:, 0], [-1.0, -0.25], "kinematics")


def test_fields_of_flexes_and_switches_have_no_axis_of_worlds(device):
    host = oracle.compile_xml(
        """<mujoco><worldbody><flexcomp name="f" type="grid" count="4 1 1" spacing=".1 .1 .1" dim="1" radius=".01">
        <edge stiffness="3" damping=".1"/></flexcomp></worldbody></mujoco>"""
    )
    m = mjw.put_model(host, device=device)
    for name in ("flex_radius", "flex_vert", "flex_edgestiffness", "flex_margin", "flexedge_length0", "flex_friction"):
        value = getattr(m, name).numpy()
        assert_close(value, getattr(host, name).reshape(value.shape), "parameter", what=name)
        assert getattr(m, name).shape[0] == len(getattr(host, name))
