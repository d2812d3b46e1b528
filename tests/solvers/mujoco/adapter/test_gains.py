"""Rows N-020 to N-033: stiffness and damping of limits and contacts."""

import numpy as np
import pytest

from newtonlite.core.enums import ModelFlags, SolrefMode
from newtonlite.sim.contacts import Contacts
from newtonlite.solvers.mujoco.bindings.gains import solref_from_gains
from newtonlite.solvers.mujoco.collision.pipeline import CollisionPipeline
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.engine_scenes import builder, pose
from tests.harness.newton_scenes import arm, resting, solver, step, weight
from tests.tolerance import assert_close

HINGE = """<mujoco><compiler angle="radian"/><worldbody><body><joint name="a" axis="0 1 0" range="-1 1" {}/>
<geom size=".1" pos="0 0 .1"/></body></worldbody></mujoco>"""


def hinge(attributes: str, device):
    """A model of one hinge from a file."""
    b = builder()
    b.add_mjcf(HINGE.format(attributes))
    return b.finalize(device=device)


def test_n_020_a_limit_yields_by_torque_over_stiffness(device):
    """Pressed against its limit by 1 N m, with ke = 50 N m/rad, a hinge settles 0.02 rad beyond it, whatever its
    inertia.
    """
    for scale in (1.0, 20.0):
        b = arm(limit_lower=-0.1, limit_upper=0.1, limit_ke=50.0, limit_kd=30.0 * np.sqrt(scale))
        b.body_mass[0] *= scale
        b.body_inertia[0] = b.body_inertia[0] * scale
        model = b.finalize(device=device)
        model.mujoco.solimplimit.assign([[0.95, 0.95, 0.001, 0.5, 2.0]])
        control = model.control()
        control.joint_f.assign([1.0])
        after = step(solver(model), model.state(), control, steps=4000, dt=0.004)
        assert_close(after.joint_q.numpy(), [0.12], "limit")


def test_n_020_the_limit_of_a_tendon_yields_by_force_over_stiffness(device):
    """A weight on a slide under gravity, held by a tendon's limit with ke = 500 N/m, settles weight / ke below it,
    whatever its mass.
    """
    for mass in (1.0, 8.0):
        b = builder()
        b.add_mjcf(f"""<mujoco><worldbody><body><joint name="s" type="slide" axis="0 0 1"/><geom size=".1" mass="{mass}"/></body></worldbody>
            <tendon><fixed range="-0.1 1" limited="true"><joint joint="s" coef="1"/></fixed></tendon></mujoco>""")
        model = b.finalize(device=device)
        for name, value in (
            ("limit_ke", 500.0 * mass),
            ("limit_kd", 60.0 * mass),
            ("solref_limit_mode", SolrefMode.FORCE_SPACE),
        ):
            getattr(model.mujoco, f"tendon_{name}").assign([value])
        model.mujoco.tendon_solimp_limit.assign([[0.95, 0.95, 0.001, 0.5, 2.0]])
        after = step(solver(model), model.state(), steps=1500, dt=0.004)
        assert_close(after.joint_q.numpy(), [-0.1 - 9.81 / 500.0], "limit")


def test_n_020_gains_of_tendons_count_only_where_their_mode_says_so(device):
    b = builder()
    b.add_mjcf("""<mujoco><worldbody><body><joint name="s" type="slide"/><geom size=".1"/></body></worldbody>
        <tendon><fixed range="0 1" solreflimit="0.05 0.7"><joint joint="s" coef="1"/></fixed></tendon></mujoco>""")
    model = b.finalize(device=device)
    model.mujoco.tendon_limit_ke.assign([500.0])
    model.mujoco.tendon_limit_kd.assign([60.0])
    assert_close(compile_model(model).tendon_solref_lim, [[0.05, 0.7]], "authored")
    model.mujoco.tendon_solref_limit_mode.assign([SolrefMode.FORCE_SPACE])
    m = compile_model(model)
    factor = m.tendon_invweight0[0] * (1.0 - m.tendon_solimp_lim[0, 1])
    assert_close(m.tendon_solref_lim, solref_from_gains(500.0, 60.0, factor)[None], "authored")


def test_n_021_gains_become_a_positive_time_constant_and_damping_ratio(device):
    m = compile_model(arm(limit_lower=-0.1, limit_upper=0.1, limit_ke=400.0, limit_kd=30.0).finalize(device=device))
    factor = m.dof_invweight0[0] * (1.0 - m.jnt_solimp[0, 1])
    k, b = 400.0 * factor, 30.0 * factor
    assert_close(m.jnt_solref, [[2.0 / b, b / (2.0 * np.sqrt(k))]], "authored")
    assert (m.jnt_solref > 0).all()


def test_n_022_limits_follow_masses_in_each_world(device):
    """After a change of mass and a notification every world's solref is that of a scene made with this mass."""
    one = arm(limit_lower=-0.1, limit_upper=0.1, limit_ke=400.0, limit_kd=30.0)
    b = builder(gravity=(0, 0, 0))
    b.replicate(one, 3)
    model = b.finalize(device=device)
    s = solver(model)
    scale = np.array([1.0, 4.0, 0.5], np.float32)
    model.body_mass.assign(model.body_mass.numpy() * scale)
    model.body_inertia.assign(model.body_inertia.numpy() * scale[:, None, None])
    s.notify_model_changed(ModelFlags.BODY_INERTIAL_PROPERTIES)
    got = s.mjw_model.jnt_solref.numpy()
    for world in range(3):
        alone = one.finalize(device=device)
        alone.body_mass.assign(alone.body_mass.numpy() * scale[world])
        alone.body_inertia.assign(alone.body_inertia.numpy() * scale[world])
        assert_close(got[world], compile_model(alone).jnt_solref, "authored", what=f"world {world}")


@pytest.mark.parametrize("gains", [(0.0, 10.0), (10.0, 0.0), (-1.0, 10.0), (10.0, -1.0)], ids=str)
def test_n_023_gains_that_are_not_positive_mean_the_default(device, gains):
    model = arm(limit_lower=-0.1, limit_upper=0.1).finalize(device=device)
    model.joint_limit_ke.assign([gains[0]])
    model.joint_limit_kd.assign([gains[1]])
    assert compile_model(model).jnt_solref.tolist() == [[0.02, 1.0]]


def test_n_024_an_authored_solreflimit_stays_as_it_is(device):
    model = hinge('solreflimit="0.05 0.7"', device)
    assert_close(compile_model(model).jnt_solref, [[0.05, 0.7]], "authored")
    model.joint_limit_ke.assign([1.0e5])
    assert_close(compile_model(model).jnt_solref, [[0.05, 0.7]], "authored")


def test_n_025_the_default_of_a_file_holds_until_the_gains_change(device):
    model = hinge("", device)
    assert compile_model(model).jnt_solref.tolist() == [[0.02, 1.0]]
    model.joint_limit_ke.assign(model.joint_limit_ke.numpy() * 2.0)
    m = compile_model(model)
    factor = m.dof_invweight0[0] * (1.0 - m.jnt_solimp[0, 1])
    want = solref_from_gains(model.joint_limit_ke.numpy(), model.joint_limit_kd.numpy(), factor)
    assert_close(m.jnt_solref, want, "authored")


def test_n_026_the_mode_tells_authored_zeros_from_silence(device):
    modes = {"": SolrefMode.MJCF_DEFAULT, 'solreflimit="0 0"': SolrefMode.RAW, 'solreflimit="0.02 1"': SolrefMode.RAW}
    for attributes, mode in modes.items():
        model = hinge(attributes, device)
        assert model.mujoco.solreflimit_mode.numpy().tolist() == [mode], attributes
    assert arm().finalize(device=device).mujoco.solreflimit_mode.numpy().tolist() == [SolrefMode.FORCE_SPACE]
    assert compile_model(hinge('solreflimit="0 0"', device)).jnt_solref.tolist() == [[0.0, 0.0]]


def test_n_030_contacts_yield_by_weight_over_stiffness(device):
    """In force space, on the caller's contacts, balls of different mass sink by their weight over ke of the mixed
    gains.
    """
    for density, kd in ((500.0, 800.0), (4000.0, 2300.0)):
        b = resting(density=density, ke=4000.0, kd=kd)
        model = b.finalize(device=device)
        model.mujoco.solref_mode.fill_(SolrefMode.FORCE_SPACE)
        model.mujoco.condim.fill_(1)
        model.mujoco.geom_solimp.assign(np.tile([0.95, 0.95, 0.001, 0.5, 2.0], (2, 1)))
        s = solver(model, use_mujoco_contacts=False)
        state, contacts = model.state(), one_contact(model)
        for _ in range(2500):
            s.step(state, state, None, contacts, 0.002)
        sunk = 0.1 - state.body_q.numpy()[0, 2]
        assert_close([sunk], [weight(model) / 4000.0], "limit", what=str(density))


@pytest.mark.parametrize(("condim", "impratio"), [(3, 1.0), (3, 4.0), (6, 2.0)])
@pytest.mark.parametrize("own", [0.0, 3000.0], ids=["of shapes", "of the row"])
def test_n_030_pyramids_yield_as_other_contacts_do(device, condim, impratio, own):
    """All edges of a pyramid together press with ke [N/m], the shapes' or the row's own."""
    model = resting(density=500.0, ke=4000.0, kd=500.0, mu=0.8).finalize(device=device)
    model.mujoco.solref_mode.fill_(SolrefMode.FORCE_SPACE)
    model.mujoco.condim.fill_(condim)
    model.mujoco.geom_solimp.assign(np.tile([0.5, 0.5, 0.001, 0.5, 2.0], (2, 1)))
    s = solver(model, use_mujoco_contacts=False, cone="pyramidal", impratio=impratio)
    state, contacts = model.state(), one_contact(model, per_contact_shape_properties=own > 0.0)
    if own:
        contacts.rigid_contact_stiffness.fill_(own)
        contacts.rigid_contact_damping.fill_(500.0)
    for _ in range(400):
        s.step(state, state, None, contacts, 0.002)
    sunk = 0.1 - state.body_q.numpy()[0, 2]
    assert_close([sunk], [weight(model) / (own or 4000.0)], "limit")


def one_contact(model, **options):
    """The ball's lowest point against the ground, as a caller would list it."""
    contacts = Contacts(10, device=model.device, **options)
    contacts.rigid_contact_count.assign([1])
    rows = contacts.rigid_contact_max
    for name, first in {"shape0": 0, "shape1": 1}.items():
        getattr(contacts, f"rigid_contact_{name}").assign([first] + [-1] * (rows - 1))
    points = np.zeros((rows, 3), np.float32)
    contacts.rigid_contact_point0.assign(points)
    contacts.rigid_contact_point1.assign(points)
    margin = np.zeros(rows, np.float32)
    margin[0] = 0.1  # the point is the ball's centre, its surface is a radius away
    contacts.rigid_contact_margin1.assign(margin)
    normal = np.zeros((rows, 3), np.float32)
    normal[:, 2] = 1.0
    contacts.rigid_contact_normal.assign(normal)
    return contacts


def test_n_031_the_modes_of_shapes(device):
    """By default gains are MuJoCo's own convention; RAW forwards the author's numbers; files that say nothing keep
    MuJoCo's.
    """
    model = resting(ke=400.0, kd=20.0).finalize(device=device)
    assert model.mujoco.solref_mode.numpy().tolist() == [SolrefMode.MJCF_DEFAULT] * 2
    legacy = [2.0 / 20.0, 20.0 / (2.0 * np.sqrt(400.0))]
    assert_close(compile_model(model).geom_solref, [legacy, legacy], "authored")
    model.mujoco.solref_mode.assign([SolrefMode.RAW, SolrefMode.MJCF_DEFAULT])
    model.mujoco.solref.assign([[0.3, 0.4], [0.0, 0.0]])
    assert_close(compile_model(model).geom_solref, [[0.3, 0.4], legacy], "authored")
    b = builder()
    b.add_mjcf('<mujoco><worldbody><geom size="1"/><geom size="2" solref="0.05 0.6"/></worldbody></mujoco>')
    assert_close(compile_model(b.finalize(device=device)).geom_solref, [[0.02, 1.0], [0.05, 0.6]], "authored")


def test_n_032_the_legacy_conversion():
    assert_close(solref_from_gains(100.0, 10.0), [0.2, 0.5], "compiled")
    assert_close(
        solref_from_gains(np.array([2500.0, 0.0]), np.array([100.0, 5.0])), [[0.02, 1.0], [0.02, 1.0]], "compiled"
    )


def test_n_033_with_the_engines_own_contacts_gains_are_not_scaled(device):
    b = resting(ke=400.0, kd=20.0)
    body = b.add_body(xform=pose(1, 0, 1))
    b.add_shape_sphere(body, radius=0.3)
    model = b.finalize(device=device)
    model.mujoco.solref_mode.fill_(SolrefMode.FORCE_SPACE)
    s = solver(model)
    assert_close(s.mj_model.geom_solref[:2], [[0.1, 0.5]] * 2, "authored")
    step(s, model.state())
    assert s.mjw_data.ncon.numpy().tolist() == [1]
    assert_close(s.mjw_data.contact_solref.numpy()[:, 0], [[0.1, 0.5]], "authored")


def slip(device, kf: float, cone: str = "elliptic", velocity: float = 0.1) -> float:
    """Deceleration [m/s^2] in one step of a ball of 2 kg that does not turn, and whose contact with the floor, a pipeline's,
    slips.
    """
    b = builder()
    b.default_shape_cfg.kf, b.default_shape_cfg.mu, b.default_shape_cfg.density = kf, 5.0, 0.0
    b.add_ground_plane()
    b.add_shape_sphere(b.add_body(xform=pose(0.0, 0.0, 0.19), mass=2.0, inertia=1e4 * np.eye(3)), radius=0.2)
    model = b.finalize(device=device)
    state, pipeline = model.state(), CollisionPipeline(model)
    state.joint_qd.assign([velocity, 0.0, 0.0, 0.0, 0.0, 0.0])
    contacts = pipeline.contacts()
    pipeline.collide(state, contacts)
    after = model.state()
    solver(model, use_mujoco_contacts=False, cone=cone).step(state, after, None, contacts, 1e-4)
    return (velocity - float(after.joint_qd.numpy()[0])) / 1e-4


def test_friction_of_given_contacts_is_damped_by_kf():
    """A slip far inside the cone meets the force kf v; none without damping, and a pyramid has its edges' own."""
    for kf in (20.0, 80.0):
        assert_close(slip("cpu", kf), kf * 0.1 / 2.0, "limit")
    assert_close(slip("cpu", 0.0), 0.0, "limit", floor=1.0)
    assert slip("cpu", 0.0, "pyramidal") > 1.0
