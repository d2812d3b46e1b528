"""Control laws against their equations, in NumPy, and in closed loops."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite import controllers
from newtonlite.core.errors import ModelError
from tests.tolerance import assert_close

COUNTS = (7, 8)
RNG = np.random.default_rng(7)


def near(got, want, quantity):
    """The whole of two arrays."""
    assert_close(np.ravel(got)[None], np.ravel(want)[None], quantity)


def put(struct, **values):
    """Write NumPy values into the arrays of a struct."""
    for name, value in values.items():
        target = getattr(struct, name)
        target.assign(np.asarray(value, np.float32).reshape(target.numpy().shape))


def rows(low=-1.0, high=1.0):
    return RNG.uniform(low, high, sum(COUNTS))


def parts(values):
    return np.split(values, np.cumsum(COUNTS)[:-1])


def padded(blocks, height):
    """[robots, height, widest] of blocks of different widths; a height of None is the width."""
    out = np.zeros((len(COUNTS), height or max(COUNTS), max(COUNTS)))
    for k, block in enumerate(blocks):
        out[k, : block.shape[0], : block.shape[1]] = block
    return out


def masses():
    """Positive definite matrices."""
    made = [RNG.uniform(-1, 1, (n, n)) for n in COUNTS]
    return [m @ m.T + np.eye(len(m)) for m in made]


def counts(device):
    return wp.array(COUNTS, dtype=int, device=device)


@pytest.mark.parametrize("inertial", [True, False])
def test_joint_impedance(device, inertial):
    kp, kd = 40.0, 5.0
    law = controllers.ControllerJointImpedanceModelFree(
        controlled_dofs_per_robot=counts(device),
        stiffness=kp,
        damping=kd,
        use_inertia_decoupling=inertial,
        has_qdd_feedforward=True,
        device=device,
    )
    given, out, mass = law.input(), law.output(), masses()
    names = ("joint_q", "joint_qd", "joint_q_des", "joint_qd_des", "joint_qdd", "gravity_force", "coriolis_force")
    v = {name: rows() for name in names}
    put(given, **v)
    if inertial:
        put(given, mass_matrix=padded(mass, None))
    law.step(inputs=given, outputs=out, dt=0.01)
    pull = v["joint_qdd"] + kp * (v["joint_q_des"] - v["joint_q"]) + kd * (v["joint_qd_des"] - v["joint_qd"])
    force = np.concatenate([m @ a for m, a in zip(mass, parts(pull), strict=True)]) if inertial else pull
    near(out.joint_f.numpy(), force + v["gravity_force"] + v["coriolis_force"], "task")


def test_operational_space(device):
    """Tool poses that differ by a shift alone, so that the error is the shift; with a posture in the null space."""
    kp, kd, kp0, kd0 = 30.0, 4.0, 7.0, 2.0
    law = controllers.ControllerOperationalSpaceModelFree(
        controlled_dofs_per_robot=counts(device),
        motion_stiffness=kp,
        motion_damping=kd,
        use_null_space_control=True,
        null_space_stiffness=kp0,
        null_space_damping=kd0,
        device=device,
    )
    given, out, mass = law.input(), law.output(), masses()
    jacobians = [RNG.uniform(-1, 1, (6, n)) for n in COUNTS]
    here, there = RNG.uniform(-1, 1, (2, 2, 3))
    twist, wanted = RNG.uniform(-1, 1, (2, 2, 6))
    still = np.tile([0.0, 0.0, 0.0, 1.0], (2, 1))
    v = {name: rows() for name in ("joint_q", "joint_qd", "joint_q_des_null", "joint_qd_des_null", "gravity_force")}
    put(given, tool_pose_world=np.hstack([here, still]), desired_tool_pose_operational=np.hstack([there, still]), **v)
    put(given, tool_twist_world=twist, desired_twist_operational=wanted)
    put(given, jacobian_tool_world=padded(jacobians, 6), mass_matrix=padded(mass, None))
    law.step(inputs=given, outputs=out, dt=0.01)
    error = np.hstack([there - here, np.zeros((2, 3))])
    posture = parts(kp0 * (v["joint_q_des_null"] - v["joint_q"]) + kd0 * (v["joint_qd_des_null"] - v["joint_qd"]))
    forces = []
    for k, (m, j) in enumerate(zip(mass, jacobians, strict=True)):
        inverse = np.linalg.inv(m)
        inertia = np.linalg.inv(j @ inverse @ j.T)
        free = np.eye(len(m)) - j.T @ inertia @ j @ inverse
        forces.append(j.T @ inertia @ (kp * error[k] + kd * (wanted[k] - twist[k])) + free @ m @ posture[k])
    near(out.joint_f.numpy(), np.concatenate(forces) + v["gravity_force"], "task")


@pytest.mark.parametrize("method", ["damped_least_squares", "transpose", "pseudoinverse"])
def test_differential_ik(device, method):
    kinds = controllers.DifferentialIKMethod
    kind = {"transpose": kinds.TRANSPOSE, "damped_least_squares": kinds.DAMPED_LEAST_SQUARES}.get(
        method
    ) or kinds.TRUNCATED_SVD
    options = {kinds.TRUNCATED_SVD: {"truncated_svd_threshold": 1e-4}}.get(kind, {})
    damping, bandwidth, dt = (0.1 if kind is kinds.DAMPED_LEAST_SQUARES else None), 3.0, 0.02
    law = controllers.ControllerDifferentialIKModelFree(
        controlled_dofs_per_robot=counts(device),
        bandwidth=bandwidth,
        damping=damping,
        ik_method=kind,
        device=device,
        **options,
    )
    given, out = law.input(), law.output()
    jacobians = [RNG.uniform(-1, 1, (6, n)) for n in COUNTS]
    here, there = RNG.uniform(-1, 1, (2, 2, 3))
    still, q = np.tile([0.0, 0.0, 0.0, 1.0], (2, 1)), rows()
    put(given, joint_q=q, tool_pose_world=np.hstack([here, still]), desired_tool_pose_world=np.hstack([there, still]))
    put(given, jacobian_tool_world=padded(jacobians, 6))
    law.step(inputs=given, outputs=out, dt=dt)
    speeds = []
    for j, e in zip(jacobians, np.hstack([there - here, np.zeros((2, 3))]), strict=True):
        if kind is kinds.TRANSPOSE:
            speeds.append(j.T @ e)
        else:
            speeds.append(j.T @ np.linalg.solve(j @ j.T + (damping or 0.0) ** 2 * np.eye(6), e))
    speeds = bandwidth * np.concatenate(speeds)
    near(out.joint_qd_target.numpy(), speeds, "task")
    near(out.joint_q_target.numpy(), q + dt * speeds, "task")


def arm(device, joints=7):
    """A chain with turning axes and a tool site at its end."""
    b = newton.ModelBuilder()
    parent, ids = -1, []
    for k in range(joints):
        link = b.add_link(mass=1.0, inertia=wp.mat33(0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.02), label=f"link{k}")
        ids.append(
            b.add_joint_revolute(
                parent,
                link,
                axis=((0, 0, 1), (0, 1, 0), (1, 0, 0))[k % 3],
                parent_xform=wp.transform((0, 0, 0.2), wp.quat_identity()),
            )
        )
        parent = link
    b.add_site(parent, label="tool")
    b.add_articulation(ids, label="arm")
    scene = newton.ModelBuilder()
    scene.replicate(b, 2)
    return scene.finalize(device)


def test_joint_impedance_of_a_model_is_a_linear_oscillator(device):
    """With everything compensated the joints accelerate as the springs say."""
    model = arm(device)
    control = controllers.ControllerJointImpedance(model, stiffness=50.0, damping=3.0)
    state = model.state()
    n = model.joint_dof_count
    q, qd = RNG.uniform(-1, 1, (2, n))
    state.joint_q.assign(q.astype(np.float32))
    state.joint_qd.assign(qd.astype(np.float32))
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    given, out = control.input(), control.output()
    put(given, joint_q=q, joint_qd=qd, joint_q_des=np.zeros(n), joint_qd_des=np.zeros(n))
    control.step(inputs=given, outputs=out, dt=0.01)
    H = newton.eval_mass_matrix(model, state).numpy()
    width = n // 2
    passive = [wp.zeros(n, dtype=float, device=device) for _ in range(2)]
    newton.eval_inverse_dynamics_passive(model, state, gravity_force=passive[0], coriolis_force=passive[1])
    left = out.joint_f.numpy() - passive[0].numpy() - passive[1].numpy()
    found = np.concatenate(
        [np.linalg.solve(H[k, :width, :width].astype(float), left[k * width : (k + 1) * width]) for k in range(2)]
    )
    near(found, -50.0 * q - 3.0 * qd, "nudged")


def test_differential_ik_of_a_model_reaches_its_target(device):
    model = arm(device)
    control = controllers.ControllerDifferentialIK(model, tool_sites="tool", bandwidth=4.0, damping=0.02)
    q = np.tile(np.linspace(0.2, 0.6, 7), 2)
    given, out = control.input(), control.output()
    put(given, joint_q=q)
    control.step(inputs=given, outputs=out, dt=0.05)
    target = control.tool_pose_world.numpy().copy()
    target[:, :3] += [0.05, -0.05, -0.05]
    put(given, desired_tool_pose_world=target)
    for _ in range(80):
        control.step(inputs=given, outputs=out, dt=0.05)
        put(given, joint_q=out.joint_q_target.numpy())
    control.step(inputs=given, outputs=out, dt=0.05)
    near(control.tool_pose_world.numpy(), target, "reached")


def test_mistakes_are_named(device):
    with pytest.raises(ModelError, match="needs 6 controlled dofs"):
        controllers.ControllerOperationalSpaceModelFree(
            controlled_dofs_per_robot=wp.array([3], dtype=int, device=device),
            motion_stiffness=1.0,
            motion_damping=1.0,
            device=device,
        )
    with pytest.raises(TypeError, match="give a Model"):
        controllers.ControllerJointImpedance(None, stiffness=1.0, damping=1.0)
