"""Arrays in MuJoCo Warp's layout, and stages called one by one on what ``put_data`` gave: those of MuJoCo."""

import dataclasses

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.mjwarp import host, island_lists, sparsity
from newtonlite.mjwarp.layout import LAYOUTS
from newtonlite.models import FOLDER
from tests import oracle
from tests.tolerance import assert_close

WORLDS = 2
HUMANOID = FOLDER / "humanoid.xml"
# trees with branches, a ball, strings over geoms and pulleys, actuators of several transmissions, contacts
SCENE = """<mujoco><option gravity="0 0 -9.81"/>
<worldbody>
  <geom type="plane" size="9 9 .1"/><site name="anchor" pos="0 0 1.5"/>
  <body name="trunk" pos="0 0 .6"><freejoint/><geom name="trunk" size=".1"/><site name="trunk" pos=".1 0 0"/>
    <body pos=".3 0 0"><joint name="hinge" axis="0 1 0" damping=".1" range="-1 1"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
      <site name="tip" pos=".3 0 0"/>
      <body pos=".3 0 0"><joint name="ball" type="ball"/><geom size=".06" pos=".1 0 0"/></body></body>
    <body pos="-.3 0 0"><joint name="slide" type="slide" axis="1 0 1" frictionloss=".2"/><geom type="box" size=".05 .06 .07"/></body></body>
  <body name="free" pos="1 0 .09"><freejoint/><geom size=".1"/><site name="free"/></body>
  <body name="post" pos=".5 .4 .5"><geom name="post" type="cylinder" size=".1 .3"/><site name="side" pos="0 .2 0"/></body>
</worldbody>
<tendon>
  <spatial name="string" stiffness="3" springlength=".2"><site site="anchor"/><site site="trunk"/><pulley divisor="2"/><site site="tip"/>
    <geom geom="post" sidesite="side"/><site site="free"/></spatial>
  <fixed name="sum" frictionloss=".1"><joint joint="hinge" coef="1.5"/><joint joint="slide" coef="-2"/></fixed>
</tendon>
<equality><connect body1="trunk" body2="free" anchor=".5 0 0" active="true" solref=".1 1"/></equality>
<actuator>
  <motor joint="ball" gear="1 .5 0"/><motor jointinparent="ball" gear="1 .5 .2"/><position joint="slide" kp="3"/>
  <motor tendon="string"/><motor tendon="sum" gear="2"/><motor site="tip" refsite="anchor" gear="1 0 0 0 1 0"/>
</actuator></mujoco>"""


@pytest.fixture(scope="module")
def scene():
    """The model, and MuJoCo's data on its way."""
    mj = oracle.compile_xml(SCENE)
    states = oracle.rollout_states(mj, 3, seed=2)
    return mj, oracle.forward(mj, states, 2)


@pytest.fixture(scope="module")
def put(scene):
    """Model and data on the CPU that the tests share, with what MuJoCo had computed."""
    m = mjw.put_model(scene[0], device="cpu")
    return m, mjw.put_data(*scene, nworld=WORLDS, device="cpu")


def assert_is_mujocos(d, mjd, *names, quantity: str = "mjwarp"):
    """Every world's arrays of these names are those of MuJoCo."""
    for name in names:
        want = np.asarray(getattr(mjd, name), float)
        for row in getattr(d, name).numpy():
            assert_close(row.reshape(1, -1), want.reshape(1, -1), quantity, floor=1.0, what=name)


@pytest.mark.parametrize("name", sorted(LAYOUTS.keys() - {*island_lists.LISTS, *island_lists.AWAKE, "qH", "qHLD"}))
def test_arrays_that_were_put_are_mujocos(scene, put, name):
    mjd, (_, d) = scene[1], put
    if name.startswith("moment_") or name == "actuator_moment":
        return  # MuJoCo leaves out entries that are 0: compared as a whole matrix below
    assert_is_mujocos(d, mjd, name)


def test_moments_are_mujocos(scene, put):
    mj, mjd = scene
    m, d = put
    mjw.transmission(m, d)
    structure = [getattr(d, f"moment_{name}").numpy()[1] for name in sparsity.Pattern._fields]
    got = sparsity.dense(d.actuator_moment.numpy()[1], sparsity.Pattern(*structure), mj.nv)
    assert_close(got.reshape(1, -1), oracle.dense_moment(mj, mjd).reshape(1, -1), "mjwarp", floor=1.0)


STAGES = {
    "kinematics": "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat",
    "com_pos": "subtree_com cinert cdof",
    "crb": "crb M",
    "tendon": "ten_length ten_J wrap_xpos wrap_obj ten_wrapadr ten_wrapnum",
    "factor_m": "qLD qLDiagInv",
    "transmission": "actuator_length",
    "com_vel": "cvel cdof_dot",
    "rne": "qfrc_bias",
    "fwd_velocity": "cvel qfrc_bias qfrc_passive ten_velocity actuator_velocity",
    "passive": "qfrc_passive qfrc_spring qfrc_damper",
    "fwd_actuation": "actuator_force qfrc_actuator",
    "fwd_acceleration": "qfrc_smooth qacc_smooth",
    "solve": "qacc qfrc_constraint",
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_alone_leaves_what_mujocos_does(scene, stage):
    mj, mjd = scene
    m, d = mjw.put_model(mj, device="cpu"), mjw.put_data(mj, mjd, nworld=WORLDS, device="cpu")
    names = STAGES[stage].split()
    for name in names:
        array = getattr(d, name)
        array.fill_(wp.inf if array.dtype is not wp.int32 and array.dtype is not wp.vec2i else -7)
    getattr(mjw, stage)(m, d)
    quantity = "next" if stage == "solve" else "mjwarp"
    assert_is_mujocos(d, mjd, *names, quantity=quantity)


def test_constraint_rows_that_were_put_are_mujocos(scene, put):
    mj, mjd = scene
    _, d = put
    assert mjd.nefc > 8 and mjd.ncon > 0
    efc = {name: getattr(d.efc, name).numpy()[1, : mjd.nefc] for name in ("J", "D", "aref", "type", "id")}
    assert_close(efc["J"].reshape(1, -1), oracle.dense_jacobian(mj, mjd).reshape(1, -1), "mjwarp", floor=1.0)
    for name in ("D", "aref"):
        assert_close(efc[name][None], getattr(mjd, f"efc_{name}")[None], "mjwarp", floor=1.0, what=name)
    for name in ("type", "id"):
        assert efc[name].tolist() == getattr(mjd, f"efc_{name}").tolist(), name
    contact = d.contact
    assert contact.geom.numpy()[: mjd.ncon].tolist() == mjd.contact.geom.tolist()
    assert contact.efc_address.numpy()[: mjd.ncon, 0].tolist() == mjd.contact.efc_address.tolist()
    assert (contact.flex.numpy()[: mjd.ncon] == -1).all()


def test_constraint_rows_made_from_put_data_are_mujocos(scene):
    mj, mjd = scene
    m, d = mjw.put_model(mj, device="cpu"), mjw.put_data(mj, mjd, nworld=WORLDS, device="cpu")
    mjw.make_constraint(m, d)
    for name in ("pos", "margin", "D", "aref", "vel", "frictionloss"):
        got = getattr(d.efc, name).numpy()[1, : mjd.nefc]
        assert_close(got[None], getattr(mjd, f"efc_{name}")[None], "mjwarp", floor=1.0, what=name)


def test_host_data_comes_back_as_it_was_put(scene, put):
    mj, mjd = scene
    result = oracle.empty_data(mj)
    mjw.get_data_into(result, mj, put[1], 1)
    for name in ("M", "qLD", "ten_J", "wrap_xpos", "cinert", "crb", "cdof_dot", "efc_J", "efc_aref", "qacc_smooth"):
        got, want = (np.asarray(getattr(data, name), float).reshape(1, -1) for data in (result, mjd))
        assert_close(got, want, "mjwarp", floor=1.0, what=name)


def test_arrays_that_are_made_cannot_be_assigned(put):
    with pytest.raises(StateError, match="cdof_dot: made from other arrays"):
        put[1].cdof_dot = 0.0


@pytest.mark.parametrize("name", ["slide_friction_loss", "humanoid"])
def test_states_of_rows_say_how_forces_follow(name):
    mj = oracle.named_model(name)
    mjd = oracle.forward(mj, oracle.rollout_states(mj, 2, seed=4), 1)
    _, d = mjw.put_model(mj, device="cpu"), mjw.put_data(mj, mjd, device="cpu")
    # MuJoCo's efc_state is that of an earlier iteration in some rows: what its forces say is not
    force, bound, kind = (np.asarray(getattr(mjd, f"efc_{name}")) for name in ("force", "frictionloss", "type"))
    friction = np.where(force >= bound, 2, np.where(force <= -bound, 3, 1))
    want = np.where(kind == 0, 1, np.where(kind <= 2, friction, np.where(force > 0, 1, 0)))
    assert mjd.nefc > 0
    assert d.efc.state.numpy()[0, : mjd.nefc].tolist() == want.tolist()


def test_states_on_cones_are_mujocos():
    mj = oracle.small_model("elliptic_sliding_box")
    mjd = oracle.forward(mj, oracle.rollout_states(mj, 2, seed=4), 1)
    d = mjw.put_data(mj, mjd, device="cpu")
    assert 4 in mjd.efc_state
    assert d.efc.state.numpy()[0, : mjd.nefc].tolist() == mjd.efc_state.tolist()


def test_what_is_written_into_contacts_makes_the_rows(scene):
    mj, mjd = scene
    m, d = mjw.put_model(mj, device="cpu"), mjw.put_data(mj, mjd, nworld=WORLDS, device="cpu")
    margin = d.contact.includemargin
    margin.assign(margin.numpy() + 0.01)
    mjw.make_constraint(m, d)
    first = d.contact.efc_address.numpy()[0, 0]
    assert d.efc.margin.numpy()[0, first] == pytest.approx(mjd.contact.includemargin[0] + 0.01)
    assert d.efc.margin.numpy()[0, 0] == mjd.efc_margin[0]


def test_inertia_pattern_of_a_model_of_ones_own_is_mujocos():
    mj, names = oracle.named_model("humanoid"), sparsity.Pattern._fields
    ours = sparsity.inertia(mjw.load(HUMANOID))
    assert [getattr(ours, n).tolist() for n in names] == [getattr(mj, f"M_{n}").tolist() for n in names]


def test_smooth_acceleration_is_left_alone_where_the_option_says_so(scene):
    mj, mjd = scene
    m, d = mjw.put_model(mj, device="cpu"), mjw.put_data(mj, mjd, device="cpu")
    m.opt.run_qacc_smooth = False
    d.qacc_smooth.fill_(-5.0)
    mjw.forward(m, d)
    assert (d.qacc_smooth.numpy() == -5.0).all()
    m.opt.run_qacc_smooth = True
    mjw.forward(m, d)
    assert_is_mujocos(d, mjd, "qacc_smooth")


def test_the_second_half_of_a_step_is_mujocos_for_rk4():
    mj = oracle.small_model("pendulum_double_hinge")
    mj.opt.integrator = 1
    states = oracle.rollout_states(mj, 2)
    m, d = mjw.put_model(mj, device="cpu"), mjw.make_data(mj, 2, device="cpu")
    euler = oracle.small_model("pendulum_double_hinge")
    for name in ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied"):
        if hasattr(states, name) and getattr(d, name).size:
            setattr(d, name, getattr(states, name))
    mjw.step1(m, d)
    mjw.step2(m, d)
    assert_close(d.qvel.numpy(), oracle.step(euler, states).qvel, "next", floor=1.0)


def test_sensors_of_accelerations_can_be_read_again(scene):
    mj = oracle.small_model("sensors_of_motion")
    mjd = oracle.forward(mj, oracle.rollout_states(mj, 2), 1)
    m, d = mjw.put_model(mj, device="cpu"), mjw.put_data(mj, mjd, device="cpu")
    for _ in range(2):
        mjw.sensor_acc(m, d)
        assert_is_mujocos(d, mjd, "sensordata")
    d.cacc.zero_()
    mjw.sensor_acc(m, d, skip_rne_postconstraint=True)
    assert not d.cacc.numpy().any()


def test_awake_things_are_counted_by_world():
    """Two floating trees, one of them asleep in the second world, and a static body; without sleep all are awake."""
    scene = """<mujoco><option><flag sleep="{}"/></option><worldbody><body><geom size=".1" contype="0" conaffinity="0"/></body>
    <body><freejoint/><geom size=".1"/></body><body pos="1 0 0"><joint/><geom size=".1"/><body><joint/><geom size=".1"/></body></body></worldbody></mujoco>"""
    names = ("ntree_awake", "nbody_awake", "nv_awake")
    for sleep, last in (("enable", (1, 3, 6)), ("disable", (2, 5, 8))):
        m = mjw.put_model(host.MjModel.from_xml_string(scene.format(sleep)))
        d = mjw.make_data(host.MjModel.from_xml_string(scene.format(sleep)), nworld=2)
        assert [getattr(d, name).numpy().tolist() for name in names] == [[2, 2], [5, 5], [8, 8]]
        if sleep == "enable":
            asleep = d.tree_asleep.numpy()
            asleep[1, 1] = 1
            d.tree_asleep.assign(asleep)
        assert tuple(int(getattr(d, name).numpy()[1]) for name in names) == last
        assert m.ntree == 2


def test_rows_without_room_are_counted(device):
    mj = oracle.compile_xml("""<mujoco><worldbody><geom type="plane" size="9 9 .1"/>
      <body pos="0 0 .09"><freejoint/><geom size=".1"/></body>
      <body pos="1 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, njmax=5, device=device)
    mjw.fwd_position(m, d)
    want = oracle.empty_data(mj)
    oracle.forward_into(mj, want)
    assert d.nefc.numpy()[0] == want.nefc == 8 > d.njmax
    assert d.overflow.numpy()[0] > 0


def test_contacts_and_rows_list_their_fields(device):
    mj = oracle.compile_xml("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    m, d = mjw.put_model(mj, device=device), mjw.make_data(mj, device=device)
    mjw.forward(m, d)
    for part in (d.contact, d.efc):
        for field in dataclasses.fields(part):
            assert isinstance(getattr(part, field.name), wp.array), field.name


DRIVEN = """<mujoco><option integrator="discrete" timestep=".005"/><worldbody><site name="wall" pos="0 0 1.4"/>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" stiffness="40" damping="2"/><geom type="capsule" size=".05 .2" pos=".2 0 0"/>
  <body pos=".4 0 0"><joint name="b" axis="0 1 0" damping="1"/><geom type="capsule" size=".05 .2" pos=".2 0 0"/><site name="tip"/></body>
  </body></worldbody>
  <tendon><fixed name="loose"><joint joint="a" coef="1"/></fixed>
  <spatial name="string" stiffness="30" damping="3"><site site="wall"/><site site="tip"/></spatial></tendon>
  <actuator><motor joint="a"/><position joint="b" kp="50" kv="4"/><position tendon="string" kp="20"/></actuator></mujoco>"""


def test_the_effective_inertia_is_listed_by_what_makes_it(device):
    """Weights of all tendons and actuators, those without any too, and what a step changes of forces, by what changes it."""
    mj = oracle.compile_xml(DRIVEN)
    mjd = oracle.forward(mj, oracle.rollout_states(mj, 2, seed=3), 1)
    m, put = mjw.put_model(mj, device=device), mjw.put_data(mj, mjd, nworld=WORLDS, device=device)
    stepped = mjw.make_data(m, WORLDS, device=device)
    for name in ("qpos", "qvel", "ctrl"):
        getattr(stepped, name).assign(np.tile(getattr(mjd, name), (WORLDS, 1)).astype(np.float32))
    mjw.forward(m, stepped)
    assert mjd.nefmA == 2 and mjd.nefmT == 1 and np.abs(mjd.efm_c).max() > 0 and np.abs(mjd.efm_ca).max() > 0
    weights = {"efm_as": np.zeros(mj.nactuator), "efm_ts": np.zeros(mj.ntendon)}
    weights["efm_as"][mjd.efm_aid[:2]] = mjd.efm_as[:2]
    weights["efm_ts"][mjd.efm_tid[:1]] = mjd.efm_ts[:1]
    for d in (put, stepped):
        for name, want in weights.items():
            for row in getattr(d, name).numpy():
                assert_close(row[None], want[None], "mjwarp", what=name)
        for name in ("efm_c", "efm_ca", "efm_diag", "qHDiagInv"):
            assert_close(getattr(d, name).numpy()[1][None], getattr(mjd, name)[None], "mjwarp", what=name)
        # where M has entries, and its factor, which MuJoCo keeps in place
        own = sparsity.inertia(mj)
        whole = mjd.M + mjd.efm_fluid
        whole[own.rowadr + own.rownnz - 1] = mjd.M[own.rowadr + own.rownnz - 1] + mjd.efm_sdiag
        for name, want in (("qH", whole), ("qHLD", mjd.qH)):
            assert_close(getattr(d, name).numpy()[1][None], want[None], "mjwarp", what=name)
    result = oracle.empty_data(mj)
    mjw.get_data_into(result, mj, stepped, 1)
    for name in ("qH", "qHDiagInv"):
        assert_close(getattr(result, name)[None], getattr(mjd, name)[None], "mjwarp", what=name)
