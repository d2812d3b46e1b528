"""Jacobians of all kinds and their rates, velocities and accelerations of objects, beside MuJoCo's."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import StateError
from tests import oracle
from tests.harness import questions
from tests.tolerance import assert_close

NAMES = ["humanoid", "stacked_joints_on_one_body", "springs_of_balls_and_free_bodies"]
WORLDS = 3


@pytest.fixture(scope="module", params=NAMES)
def moving(request, device):
    """A model, its states forwarded by MuJoCo, and the same forwarded here."""
    mj = oracle.named_model(request.param)
    states = oracle.rollout_states(mj, WORLDS, seed=4, speed=1.0)
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.make_data(mj, WORLDS)
        for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
            getattr(d, name).assign(getattr(states, name))
        mjw.forward(m, d)
    return mj, [oracle.forward(mj, states, w) for w in range(WORLDS)], m, d


def pair(m) -> tuple:
    """Arrays for two Jacobians."""
    return tuple(wp.zeros((WORLDS, 3, m.nv), dtype=float, device=m.device) for _ in range(2))


@pytest.mark.parametrize("what", ["body", "body_com", "geom", "site", "subtree_com"])
def test_jacobians_of_objects(moving, what):
    mj, hosts, m, d = moving
    count = mj.nsite if what == "site" else mj.ngeom if what == "geom" else mj.nbody
    for index in {count - 1, count // 2} if count else ():
        jacp, jacr = pair(m)
        if what == "subtree_com":
            mjw.jac_subtree_com(m, d, jacp, index)
        else:
            getattr(mjw, f"jac_{what}")(m, d, jacp, jacr, index)
        for w in range(WORLDS):
            want = questions.jacobians(mj, hosts[w], what, index)
            assert_close(jacp.numpy()[w].reshape(1, -1), want[0].reshape(1, -1), "inertia", floor=1.0)
            assert_close(jacr.numpy()[w].reshape(1, -1), want[1].reshape(1, -1), "inertia", floor=1.0)


def test_rates_of_jacobians(moving):
    mj, hosts, m, d = moving
    body = mj.nbody - 1
    points = np.array([host.xpos[body] + [0.1, 0.2, -0.1] for host in hosts])
    jacp, jacr = pair(m)
    mjw.jac_dot(
        m,
        d,
        jacp,
        jacr,
        wp.array(points, dtype=wp.vec3, device=m.device),
        wp.full(WORLDS, body, dtype=int, device=m.device),
    )
    for w in range(WORLDS):
        want = questions.jacobian_rates(mj, hosts[w], points[w], body)
        assert_close(jacp.numpy()[w].reshape(1, -1), want[0].reshape(1, -1), "force", floor=1.0)
        assert_close(jacr.numpy()[w].reshape(1, -1), want[1].reshape(1, -1), "force", floor=1.0)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("kind", ["BODY", "XBODY", "GEOM", "SITE"])
def test_objects_move_as_mujoco_says(moving, kind, local):
    mj, hosts, m, d = moving
    count = {"GEOM": mj.ngeom, "SITE": mj.nsite}.get(kind, mj.nbody)
    if not count:
        return
    kind, index = mjw.ObjType[kind], count - 1
    velocity, acceleration = (wp.zeros(WORLDS, dtype=wp.spatial_vector, device=m.device) for _ in range(2))
    mjw.rne_postconstraint(m, d)
    mjw.object_velocity(m, d, kind, index, velocity, local)
    mjw.object_acceleration(m, d, kind, index, acceleration, local)
    for w in range(WORLDS):
        want = questions.object_motion(mj, hosts[w], int(kind), index, local)
        assert_close(velocity.numpy()[w][None], want[0][None], "force", floor=1.0)
        assert_close(acceleration.numpy()[w][None], want[1][None], "qacc", floor=10.0)


def test_what_does_not_exist_is_refused(moving):
    mj, _, m, d = moving
    with pytest.raises(StateError, match="body=99"):
        mjw.jac_body(m, d, *pair(m), 99)
    res = wp.zeros(WORLDS, dtype=wp.spatial_vector, device=m.device)
    with pytest.raises(StateError, match="objid"):
        mjw.object_velocity(m, d, mjw.ObjType.GEOM, mj.ngeom, res)
    with pytest.raises(StateError, match="objtype"):
        mjw.object_velocity(m, d, mjw.ObjType.TENDON, 0, res)
