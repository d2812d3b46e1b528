"""Inverse kinematics and a drive: an arm of three links reaches three points, then holds its pose under gravity."""

import numpy as np
import warp as wp

import newtonlite as newton
from newtonlite import control

LENGTH = 0.4
TARGETS = ((0.6, 0.0, 0.7), (0.9, 0.0, 0.2), (-0.5, 0.0, -0.6))


def arm(device=None):
    """Three links of one length, hinged about y."""
    builder = newton.ModelBuilder()
    joints, parent = [], -1
    for k in range(3):
        link = builder.add_link()
        builder.add_shape_capsule(
            link, xform=wp.transform((LENGTH / 2, 0, 0), wp.quat_identity()), radius=0.03, half_height=0.15
        )
        place = wp.transform((LENGTH if k else 0.0, 0.0, 0.0), wp.quat_identity())
        joints.append(builder.add_joint_revolute(parent, link, parent_xform=place, axis=(0, 1, 0)))
        parent = link
    builder.add_articulation(joints)
    return builder.finalize(device=device)


def reach(model, targets=TARGETS):
    """Joint coordinates [n, 3] for which the tip is at each of ``targets``."""
    points = wp.array(targets, dtype=wp.vec3, device=model.device)
    tip = control.IKObjectivePosition(2, wp.vec3(LENGTH, 0.0, 0.0), points)
    q = wp.array(np.full((len(targets), 3), 0.3), dtype=float, device=model.device)
    control.IKSolver(model, len(targets), [tip]).step(q, q, iterations=60)
    return q.numpy()


def tip_of(model, q):
    """Position of the tip [m] at joint coordinates [3]."""
    state = model.state()
    newton.eval_fk(model, wp.array(q, dtype=float, device=model.device), model.joint_qd, state)
    return np.array(wp.transform_point(wp.transform(*state.body_q.numpy()[2]), wp.vec3(LENGTH, 0.0, 0.0)))


def hold(model, q, seconds=0.5, dt=0.001):
    """Joint coordinates after a drive has held ``q`` under gravity for a while."""
    gains = [wp.full(3, value, dtype=float, device=model.device) for value in (400.0, 8.0, 0.0)]
    drive = control.Actuator(
        indices=wp.array(np.arange(3), dtype=wp.uint32, device=model.device), drive=control.DrivePD(*gains)
    )
    solver, state, wanted = newton.solvers.SolverMuJoCo(model), model.state(), model.control()
    state.joint_q.assign(q)
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    wanted.joint_target_q.assign(q)
    for _ in range(round(seconds / dt)):
        wanted.joint_f.zero_()
        drive.step(state, wanted, dt=dt)
        solver.step(state, state, wanted, None, dt)
    return state.joint_q.numpy()


if __name__ == "__main__":
    robot = arm()
    for target, found in zip(TARGETS, reach(robot)):
        print(
            f"target {target}: joints {found.round(3)}, tip {tip_of(robot, found).round(4)}, held {hold(robot, found).round(3)}"
        )
