"""Programs written for MuJoCo Warp: the same calls, judged by MuJoCo."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import CapacityError, ModelError, NewtonWarning, StateError
from tests import oracle
from tests.tolerance import tolerance

WORLDS = 3


@pytest.fixture(scope="module")
def host():
    """The humanoid on the ground, forwarded by MuJoCo."""
    mj = oracle.named_model("humanoid")
    return mj, oracle.forward(mj, oracle.rollout_states(mj, 1, seed=5))


@pytest.fixture
def device_pair(host, device):
    with wp.ScopedDevice(device):
        m = mjw.put_model(host[0])
        d = mjw.put_data(*host, nworld=WORLDS)
        mjw.forward(m, d)
        return m, d


def near(actual, expected, quantity="mjwarp"):
    """Assert that nothing is off by more than the quantity's tolerance of the largest number, or of 1."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=tolerance(quantity) * max(1.0, np.abs(expected).max(initial=0.0))
    )


def test_forward_gives_mujocos_acceleration_in_every_world(host, device_pair):
    for row in device_pair[1].qacc.numpy():
        near(row, host[1].qacc)


def test_arrays_have_no_pad(device_pair):
    m, d = device_pair
    assert d.qvel.shape == d.qacc.shape == (WORLDS, m.nv)
    assert d.efc.J.shape == (WORLDS, d.njmax, m.nv)
    assert d.qpos.numpy().shape == (WORLDS, m.nq)


def test_contacts_are_listed_one_after_the_other(host, device_pair):
    m, d = device_pair
    ncon = host[1].ncon
    assert d.nacon.numpy()[0] == WORLDS * ncon
    contact = d.contact
    assert contact.worldid.numpy()[: WORLDS * ncon].tolist() == [w for w in range(WORLDS) for _ in range(ncon)]
    near(contact.dist.numpy()[ncon : 2 * ncon], host[1].contact.dist)
    assert contact.geom.numpy()[:ncon].tolist() == host[1].contact.geom.tolist()


@pytest.mark.parametrize("name", ["humanoid", "elliptic_condim_1_3_4_6"])
@pytest.mark.parametrize("world_frame", [False, True])
def test_contact_forces(name, world_frame, device):
    mj = oracle.named_model(name)
    mjd = oracle.forward(mj, oracle.rollout_states(mj, 1, seed=8))
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.put_data(mj, mjd, nworld=2)
        mjw.forward(m, d)
        ids = wp.array(np.arange(d.nacon.numpy()[0]), dtype=int)
        force = wp.zeros(len(ids), dtype=wp.spatial_vector)
        mjw.contact_force(m, d, ids, world_frame, force)
    expected = np.array([oracle.contact_force(mj, mjd, c, world_frame) for c in range(mjd.ncon)])
    assert mjd.ncon > 0
    near(force.numpy(), np.concatenate([expected, expected]))


def test_jacobian_of_a_point(host, device_pair):
    mj, mjd = host
    m, d = device_pair
    point = mjd.xpos[7] + [0.1, 0.0, 0.2]
    jacp, jacr = (wp.zeros((WORLDS, 3, m.nv), dtype=float, device=m.device) for _ in range(2))
    points = wp.array(np.tile(point, (WORLDS, 1)), dtype=wp.vec3, device=m.device)
    mjw.jac(m, d, jacp, jacr, points, wp.full(WORLDS, 7, dtype=int, device=m.device))
    expected = oracle.point_jacobian(mj, mjd, point, 7)
    near(jacp.numpy()[2], expected[0], "kinematics")
    near(jacr.numpy()[1], expected[1], "kinematics")


def test_jacobian_of_the_wrong_shape_is_refused(device_pair):
    m, d = device_pair
    with pytest.raises(StateError, match="jacp: expected shape"):
        mjw.jac(m, d, wp.zeros((WORLDS, 3, 1)), None, wp.zeros(WORLDS, dtype=wp.vec3), wp.zeros(WORLDS, dtype=int))


def test_products_with_the_inertia_and_its_inverse(host, device_pair):
    m, d = device_pair
    vector = np.random.default_rng(0).standard_normal((WORLDS, m.nv))
    x, y, back = (wp.zeros((WORLDS, m.nv), dtype=float, device=m.device) for _ in range(3))
    y.assign(vector)
    before = d.qacc_smooth.numpy()
    mjw.solve_m(m, d, x, y)
    mjw.mul_m(m, d, back, x)
    near(back.numpy(), vector)
    near(x.numpy()[0], np.linalg.solve(oracle.dense_mass_matrix(*host), vector[0]), "constant")
    np.testing.assert_array_equal(d.qacc_smooth.numpy(), before)


def test_applied_forces_on_dofs(host, device_pair):
    mj, mjd = host
    m, d = device_pair
    force = np.random.default_rng(1).standard_normal((WORLDS, m.nbody, 6))
    force[:, 0] = 0.0
    d.xfrc_applied.assign(force)
    total = wp.ones((WORLDS, m.nv), dtype=float, device=m.device)
    mjw.xfrc_accumulate(m, d, total)
    near(total.numpy()[1], 1.0 + oracle.applied_force(mj, mjd, force[1]))


@pytest.mark.parametrize("sig", [mjw.State.PHYSICS, mjw.State.FULLPHYSICS, mjw.State.USER, mjw.State.INTEGRATION])
def test_states_are_those_of_mujoco_and_come_back(host, device_pair, sig):
    mj, mjd = host
    m, d = device_pair
    expected = oracle.get_state(mj, mjd, int(sig & ~mjw.State.WARMSTART))
    state = wp.zeros((WORLDS, expected.size), dtype=float, device=m.device)
    mjw.get_state(m, d, state, int(sig & ~mjw.State.WARMSTART))
    near(state.numpy()[1], expected, "kinematics")
    mjw.step(m, d)
    mjw.set_state(
        m, d, state, int(sig & ~mjw.State.WARMSTART), wp.array([False, True, False], dtype=bool, device=m.device)
    )
    again = wp.zeros_like(state)
    mjw.get_state(m, d, again, int(sig & ~mjw.State.WARMSTART))
    np.testing.assert_array_equal(again.numpy()[1], state.numpy()[1])
    if sig & mjw.State.QPOS:
        assert not np.array_equal(again.numpy()[0], state.numpy()[0])


def test_equal_integration_state_gives_an_equal_step(device_pair):
    m, d = device_pair
    size = oracle.state_size(m.source, int(mjw.State.INTEGRATION))
    state, one, two = (wp.zeros((WORLDS, size), dtype=float, device=m.device) for _ in range(3))
    mjw.get_state(m, d, state, int(mjw.State.INTEGRATION))
    mjw.step(m, d)
    mjw.get_state(m, d, one, int(mjw.State.INTEGRATION))
    mjw.step(m, d)
    mjw.set_state(m, d, state, int(mjw.State.INTEGRATION))
    mjw.step(m, d)
    mjw.get_state(m, d, two, int(mjw.State.INTEGRATION))
    np.testing.assert_array_equal(one.numpy(), two.numpy())


@pytest.mark.parametrize("sig", [-1, 1 << 15])
def test_unknown_parts_of_a_state_are_refused(device_pair, sig):
    m, d = device_pair
    with pytest.raises(StateError, match="sig="):
        mjw.get_state(m, d, wp.zeros((WORLDS, 300)), sig)


def test_a_host_data_gets_one_world(host, device_pair):
    mj, mjd = host
    m, d = device_pair
    result = oracle.empty_data(mj)
    mjw.get_data_into(result, mj, d, 1)
    assert (result.ncon, result.nefc) == (mjd.ncon, mjd.nefc)
    for name in ("qpos", "qvel", "xpos", "geom_xmat", "qacc", "efc_force", "efc_pos", "cvel", "qfrc_bias"):
        near(getattr(result, name), getattr(mjd, name))
    near(result.contact.frame, mjd.contact.frame)
    with pytest.raises(StateError, match="world_id=3"):
        mjw.get_data_into(result, mj, d, 3)


def test_rows_are_zero_where_nothing_moves(device):
    """Balls that touch others than in the call before: nothing is left of it in the Jacobian, which the engine reads
    only in part.
    """
    balls = "".join('<body><freejoint/><geom size=".1" condim="1"/></body>' for _ in range(9))
    mj = oracle.compile_xml(
        f'<mujoco><option jacobian="dense" gravity="0 0 0"/><worldbody>{balls}</worldbody></mujoco>'
    )
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.make_data(mj)
        for order in ([0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 4, 8, 3, 7, 2, 6, 1, 5]):  # neighbours touch
            host = oracle.empty_data(mj)
            host.qpos.reshape(9, 7)[order, 0] = 0.19 * np.arange(9)
            oracle.call(mj, host, "mj_forward")
            d.qpos.assign(host.qpos[None].astype(np.float32))
            mjw.forward(m, d)
            assert host.nefc == 8
            near(d.efc.J.numpy()[0, :8], host.efc_J.reshape(8, mj.nv))


def test_rows_have_mujocos_types(host, device_pair):
    mjd = host[1]
    assert device_pair[1].efc.type.numpy()[2, : mjd.nefc].tolist() == mjd.efc_type.tolist()


def test_reset_by_mask_and_keyframe(host, device_pair):
    mj, _ = host
    m, d = device_pair
    kept = d.qpos.numpy()[1]
    mjw.reset_data(m, d, wp.array([True, False, True], dtype=bool, device=m.device))
    near(d.qpos.numpy()[[0, 2]], [mj.qpos0, mj.qpos0], "kinematics")
    np.testing.assert_array_equal(d.qpos.numpy()[1], kept)
    assert not d.qvel.numpy()[[0, 2]].any()
    mjw.reset_data_keyframe(m, d, 1)
    near(d.qpos.numpy(), np.tile(mj.key_qpos[1], (WORLDS, 1)), "kinematics")
    mjw.reset_data_keyframe(m, d, wp.array([0, -1, 1], dtype=int, device=m.device))
    near(d.qpos.numpy(), mj.key_qpos[[0, 1, 1]], "kinematics")
    d.qacc_warmstart.fill_(3.0)
    mjw.reset_data_keyframe(m, d, wp.array([1, mj.nkey, -1], dtype=int, device=m.device))
    assert d.qacc_warmstart.numpy()[:, 0].tolist() == [0.0, 3.0, 3.0]
    with pytest.raises(StateError, match="keyframes"):
        mjw.reset_data_keyframe(m, d, mj.nkey)


def test_parts_of_a_step_make_the_step(host, device):
    mj, mjd = host
    with wp.ScopedDevice(device):
        m, whole, halves, parts = mjw.put_model(mj), *(mjw.put_data(mj, mjd) for _ in range(3))
        mjw.step(m, whole)
        mjw.step1(m, halves)
        mjw.step2(m, halves)
        for part in (
            mjw.fwd_position,
            mjw.collision,
            mjw.fwd_velocity,
            mjw.fwd_actuation,
            mjw.make_constraint,
            mjw.solve,
        ):
            part(m, parts)
    np.testing.assert_array_equal(halves.qpos.numpy(), whole.qpos.numpy())
    np.testing.assert_array_equal(parts.qacc.numpy(), whole.qacc.numpy())


def test_options_and_parameters_can_be_set(host, device):
    mj, _ = host
    with wp.ScopedDevice(device):
        m = mjw.put_model(mj, batch_sizes={"body_mass": 2})
        d = mjw.make_data(mj, nworld=2)
        heavy = np.stack([mj.body_mass, 2 * mj.body_mass])
        m.body_mass = wp.array(heavy, dtype=float)
        m.opt.timestep = wp.array([0.001], dtype=float)
        m.opt.iterations = 7
        mjw.step(m, d)
    assert m.opt.iterations == 7
    near(d.time.numpy(), [0.001, 0.001], "kinematics")
    assert d.M.numpy()[1, 0] > 1.5 * d.M.numpy()[0, 0]


def test_structure_cannot_be_set(device_pair):
    with pytest.raises(ModelError, match="structure"):
        device_pair[0].geom_type = 3


def test_assigning_to_a_field_of_the_data_copies_the_numbers(device_pair):
    m, d = device_pair
    before = d.qvel
    d.qvel = wp.full((WORLDS, m.nv), 2.0, dtype=float, device=m.device)
    d.xfrc_applied = np.ones((WORLDS, m.nbody, 6))
    assert d.qvel is before
    assert (before.numpy() == 2.0).all() and (d.xfrc_applied.numpy() == 1.0).all()
    with pytest.raises(StateError, match="qpos: expected shape"):
        d.qpos = 0
    with pytest.raises(StateError, match="qLDiagInv: made from other arrays"):
        d.qLDiagInv = d.qLDiagInv


def test_data_of_another_model_is_refused(device_pair, device):
    other = mjw.put_model(oracle.named_model("pendulum_double_hinge"), device=device)
    with pytest.raises(StateError, match="other"):
        mjw.step(other, device_pair[1])


def test_capacities(host, device):
    mj, mjd = host
    assert mjw.make_data(mj, nworld=4, naconmax=10, device=device).naconmax == 12
    with pytest.raises(CapacityError, match="nconmax=1"):
        mjw.put_data(mj, mjd, nconmax=1, device=device)
    for sizes in ({"nvmax": mj.nv + 1}, {"nccdmax": -1}, {"njmax": -1}, {"nworld": 0}):
        with pytest.raises(ValueError, match=next(iter(sizes))):  # as MuJoCo Warp has it
            mjw.make_data(mj, device=device, **sizes)


def test_a_file_is_loaded_without_a_builder(host, device):
    compiled = mjw.load(oracle.HUMANOID)
    m, d = mjw.put_model(compiled, device=device), mjw.make_data(compiled, 2, device=device)
    mjw.step(m, d)
    assert (m.nq, m.nv, m.nu) == (host[0].nq, host[0].nv, host[0].nu)
    assert np.isfinite(d.qpos.numpy()).all()


def test_fast_scratch_refuses_what_it_does_not_keep(host, device):
    if wp.get_device(device).is_cuda:
        pytest.skip("a GPU keeps everything")
    m, d = mjw.put_model(host[0], device=device), mjw.make_data(host[0], 2, scratch="shared", device=device)
    mjw.step(m, d)
    with pytest.raises(StateError, match="per_world"):
        _ = d.xpos


def test_constants_follow_masses_of_each_world(host, device):
    mj, _ = host
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj, batch_sizes={"body_mass": 2}), mjw.make_data(mj, nworld=2)
        m.body_mass = np.stack([mj.body_mass, 2 * mj.body_mass])
        mjw.set_const(m, d)
    near(m.body_subtreemass.numpy()[:, 0], [mj.body_mass.sum(), 2 * mj.body_mass.sum()])
    near(m.dof_invweight0.numpy()[0], mj.dof_invweight0)
    assert (m.dof_invweight0.numpy()[1] < m.dof_invweight0.numpy()[0]).all()


def test_momenta_energies_and_forces_between_bodies_on_demand(host, device_pair):
    mj, mjd = host
    m, d = device_pair
    mjw.subtree_vel(m, d)
    mjw.energy_pos(m, d)
    mjw.rne_postconstraint(m, d)
    expected = oracle.on_demand(mj, mjd)
    near(d.subtree_angmom.numpy()[1], expected["subtree_angmom"])
    near(d.energy.numpy()[2], expected["energy"])
    near(d.cfrc_int.numpy()[0], expected["cfrc_int"])
    near(d.cacc.numpy()[0], expected["cacc"])


def test_inverse_dynamics(host, device_pair):
    mj, mjd = host
    m, d = device_pair
    mjw.inverse(m, d)
    near(d.qfrc_inverse.numpy()[1], oracle.inverse_force(mj, mjd), "constant")


def test_rays(host, device_pair):
    mj, mjd = host
    m, d = device_pair
    points = np.array([[[0.0, 0.0, 3.0], [2.0, 2.0, 1.0]]], np.float32)
    directions = np.array([[[0.01, 0.02, -1.0], [0.0, 0.0, -2.0]]], np.float32)
    dist, geom, normal = mjw.ray(m, d, points, directions)
    assert dist.shape == (WORLDS, 2)
    for r in range(2):
        expected = oracle.ray(mj, mjd, points[0, r], directions[0, r])
        near(dist.numpy()[1, r], expected[0])
        assert geom.numpy()[1, r] == expected[1]
    out = [wp.zeros((WORLDS, 2), dtype=kind, device=m.device) for kind in (float, int, wp.vec3)]
    mjw.rays(m, d, points, directions, None, True, wp.full(2, -1, dtype=int, device=m.device), *out)
    for filled, returned in zip(out, (dist, geom, normal)):
        np.testing.assert_array_equal(filled.numpy(), returned.numpy())


def test_user_data_is_state(device):
    mj = oracle.compile_xml(
        '<mujoco><size nuserdata="3"/><worldbody><body><joint/><geom size=".1"/></body></worldbody></mujoco>'
    )
    mjd = oracle.empty_data(mj)
    mjd.userdata[:] = [1.5, 2.5, 3.5]
    with wp.ScopedDevice(device):
        m, d, other = mjw.put_model(mj), mjw.put_data(mj, mjd, nworld=2), mjw.make_data(mj, 2)
        state = wp.zeros((2, oracle.state_size(mj, int(mjw.State.INTEGRATION))), dtype=float)
        mjw.get_state(m, d, state, int(mjw.State.INTEGRATION))
        mjw.set_state(m, other, state, int(mjw.State.INTEGRATION))
        result = oracle.empty_data(mj)
        mjw.get_data_into(result, mj, other, 1)
        assert result.userdata.tolist() == [1.5, 2.5, 3.5]
        mjw.reset_data(m, other, wp.array([True, False], dtype=bool))
        assert other.userdata.numpy().tolist() == [[0.0, 0.0, 0.0], [1.5, 2.5, 3.5]]


def test_small_friction_is_told(device):
    text = '<mujoco><worldbody><geom type="plane" size="1 1 1" friction="0"/></worldbody></mujoco>'
    with pytest.warns(NewtonWarning, match=r"friction below 1e-05 counts as 1e-05: geom 0 \(0\)"):
        mjw.put_model(oracle.compile_xml(text), device=device)


def test_rays_pass_what_becomes_transparent():
    mj = oracle.compile_xml(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><geom size=".1" pos="0 0 1"/></worldbody></mujoco>'
    )
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, 2, device="cpu")
    down = [wp.array([[wp.vec3(*v)]], dtype=wp.vec3, device="cpu") for v in ((0.0, 0.0, 3.0), (0.0, 0.0, -1.0))]
    mjw.kinematics(m, d)
    for alpha, hit in (((1, 1), 1), ((1, 0), 0), ((0, 0), -1), ((0, 1), 1)):
        m.geom_rgba = np.array([[[1.0, 1.0, 1.0, a] for a in alpha]])
        assert mjw.ray(m, d, *down)[1].numpy().tolist() == [[hit], [hit]]
    with pytest.raises(ModelError, match="transparent in some worlds only"):
        m.geom_rgba = np.array([[[1.0, 1.0, 1.0, a]] * 2 for a in (0, 1)])


def test_worlds_that_share_a_model_agree_on_its_constants():
    mj = oracle.compile_xml("""<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/><body pos="0 0 1"><joint type="ball"/>
        <geom type="capsule" size=".1 .3"/></body><body pos="0 1 0"><joint/><geom size=".1"/></body></body></worldbody></mujoco>""")
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, 256, device="cpu")
    for mass in (3.0, 1.0, 5.0):
        mj.body_mass[1:] = mass
        m.body_mass = np.array(mj.body_mass)[None]
        mjw.set_const(m, d)
        oracle.set_const(mj)
        for name in ("body_subtreemass", "dof_invweight0", "body_invweight0"):
            near(getattr(m, name).numpy()[0], getattr(mj, name), "constant")


def test_constants_set_later_include_anchors_and_no_contacts(device):
    mj = oracle.small_model("equality_connect")
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, 2, device=device)
    anchors = m.eq_data.numpy()
    anchors[:, :, :3] += 0.1
    m.eq_data.assign(anchors)
    mj.eq_data[:, :3] += 0.1
    mjw.set_const(m, d)
    oracle.set_const(mj)
    near(m.eq_data.numpy()[0, :, 3:6], mj.eq_data[:, 3:6], "kinematics")
    with pytest.warns(DeprecationWarning, match="set_const_0 is deprecated"):
        mjw.set_const_0(m, d)
