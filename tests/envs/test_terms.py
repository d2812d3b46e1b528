"""Terms of the velocity task against plain NumPy, and what observations are made of."""

import math

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.envs import Environment, Noise, ObservationGroup, ObservationTerm, tasks
from newtonlite.envs.mdp import feet, rewards, terminations
from newtonlite.envs.mdp import observations as obs
from tests.tolerance import tolerance

WORLDS = 6


@pytest.fixture(scope="module")
def env():
    """The quadruped some way into an episode, every world in another state."""
    env = Environment(quiet(), WORLDS, seed=3)
    rng = np.random.default_rng(0)
    for _ in range(12):
        env.step(rng.uniform(-1, 1, (WORLDS, 12)).astype(np.float32))
    return env


def quiet():
    """The task with what rewards read kept, and no ends."""
    task = tasks.load("quadruped_velocity")
    task.keep, task.terminations = ("actuator_force", "qfrc_actuator"), {}
    return task


def state(env) -> tuple:
    d = env.sim.data
    return d.qpos.numpy().astype(float), d.qvel.numpy().astype(float)


def rotation(qpos) -> np.ndarray:
    w, x, y, z = qpos[:, 3:7].T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def expected(env) -> dict:
    """Every term with its parameters and what NumPy makes of the state."""
    q, v = state(env)
    turn = rotation(q)
    into = lambda u: np.einsum("wji,wj->wi", turn, u)
    command = env.command("twist").numpy().astype(float)
    action, before, earlier = (
        a.numpy().astype(float) for a in (env.actions.action, env.actions.prev_action, env.actions.prev_prev_action)
    )
    joints, start = q[:, 7:], env.sim.start_qpos[7:]
    linear, gravity = into(v[:, :3]), into(np.tile([0.0, 0, -1], (WORLDS, 1)))
    low, high = np.asarray(env.sim.compiled.jnt_range)[1:].T
    middle, half = (low + high) / 2, (high - low) / 2 * 0.5
    d = env.sim.data
    effort, force, acceleration = (
        getattr(d, k).numpy().astype(float) for k in ("actuator_force", "qfrc_actuator", "qacc")
    )
    rolling = np.einsum("wij,wj->wi", turn, v[:, 3:6])
    s = env.sensor("feet")
    found, air, push, landed = (
        getattr(s, k).numpy().astype(float) for k in ("found", "current_air_time", "force", "first_contact")
    )
    show = d.sensordata.numpy().astype(float)
    places = [env.sim.sensor(f"foot_pos_{leg}")[0] for leg in ("front_left", "front_right", "hind_left", "hind_right")]
    speeds = [env.sim.sensor(f"foot_vel_{leg}")[0] for leg in ("front_left", "front_right", "hind_left", "hind_right")]
    across = np.array([np.hypot(show[:, k], show[:, k + 1]) for k in speeds]).T
    moves = np.hypot(command[:, 0], command[:, 1]) + np.abs(command[:, 2])
    twist = {"command_name": "twist"}
    return {
        obs.base_lin_vel: ({}, linear),
        obs.base_ang_vel: ({}, v[:, 3:6]),
        obs.projected_gravity: ({}, gravity),
        obs.joint_pos_rel: ({}, joints - start),
        obs.joint_vel_rel: ({"joints": "knee.*"}, v[:, [8, 11, 14, 17]]),
        obs.last_action: ({}, action),
        obs.generated_commands: (twist, command),
        obs.builtin_sensor: ({"sensor_name": "foot_vel_front_right"}, show[:, speeds[1] : speeds[1] + 3]),
        feet.foot_air_time: ({"sensor_name": "feet"}, air),
        feet.foot_contact: ({"sensor_name": "feet"}, found > 0),
        feet.foot_contact_forces: (
            {"sensor_name": "feet"},
            (np.sign(push) * np.log1p(np.abs(push))).reshape(WORLDS, -1),
        ),
        rewards.is_alive: ({}, np.ones(WORLDS)),
        rewards.is_terminated: ({}, np.zeros(WORLDS)),
        rewards.joint_torques_l2: ({}, (effort**2).sum(1)),
        rewards.joint_vel_l2: ({}, (v[:, 6:] ** 2).sum(1)),
        rewards.joint_acc_l2: ({}, (acceleration[:, 6:] ** 2).sum(1)),
        rewards.action_rate_l2: ({}, ((action - before) ** 2).sum(1)),
        rewards.action_acc_l2: ({}, ((action - 2 * before + earlier) ** 2).sum(1)),
        rewards.joint_pos_limits: ({"soft": 0.5}, np.maximum(np.abs(joints - middle) - half, 0).sum(1)),
        rewards.electrical_power_cost: ({}, np.maximum(force[:, 6:] * v[:, 6:], 0).sum(1)),
        rewards.flat_orientation_l2: ({}, (gravity[:, :2] ** 2).sum(1)),
        rewards.upright: ({"std": 0.4}, np.exp(-(gravity[:, :2] ** 2).sum(1) / 0.16)),
        rewards.posture: (
            {"std": {"knee.*": 0.2, "roll.*|pitch.*": 0.4}},
            np.exp(-((joints - start) ** 2 / np.tile([0.4, 0.4, 0.2], 4) ** 2).mean(1)),
        ),
        rewards.track_linear_velocity: (
            {**twist, "std": 0.5},
            np.exp(-(((command[:, :2] - linear[:, :2]) ** 2).sum(1) + linear[:, 2] ** 2) / 0.25),
        ),
        rewards.track_angular_velocity: (
            {**twist, "std": 0.7},
            np.exp(-((command[:, 2] - v[:, 5]) ** 2 + (v[:, 3:5] ** 2).sum(1)) / 0.49),
        ),
        rewards.body_angular_velocity_penalty: ({}, (rolling[:, :2] ** 2).sum(1)),
        rewards.variable_posture: (
            {
                **twist,
                "std_standing": 0.1,
                "std_walking": 0.3,
                "std_running": 0.6,
                "walking_threshold": 0.1,
                "running_threshold": 0.8,
            },
            np.exp(-((joints - start) ** 2).mean(1) / np.select([moves < 0.1, moves < 0.8], [0.01, 0.09], 0.36)),
        ),
        feet.feet_air_time: ({"sensor_name": "feet", **twist}, ((air > 0.05) & (air < 0.5)).sum(1) * (moves > 0.5)),
        feet.feet_clearance: (
            {"positions": "foot_pos_.*", "velocities": "foot_vel_.*", "target_height": 0.1},
            (np.abs(np.array([show[:, k + 2] for k in places]).T - 0.1) * across).sum(1),
        ),
        feet.feet_slip: (
            {"sensor_name": "feet", "velocities": "foot_vel_.*", **twist},
            (across**2 * (found > 0)).sum(1) * (moves > 0.01),
        ),
        feet.soft_landing: ({"sensor_name": "feet"}, (np.linalg.norm(push, axis=2) * landed).sum(1)),
        feet.illegal_contact: ({"sensor_name": "feet"}, found.any(1)),
        feet.self_collision_cost: ({"sensor_name": "feet"}, (found > 0).sum(1)),
        terminations.time_out: ({}, np.zeros(WORLDS, bool)),
        terminations.bad_orientation: ({"limit_angle": 0.05}, -gravity[:, 2] < math.cos(0.05)),
        terminations.root_height_below_minimum: (
            {"minimum_height": float(np.median(q[:, 2]))},
            q[:, 2] < np.float32(np.median(q[:, 2])),
        ),
        terminations.nan_detection: ({}, np.zeros(WORLDS, bool)),
    }


def test_terms_are_what_numpy_makes_of_the_state(env):
    for func, (params, want) in expected(env).items():
        got = env.terms.call(f"test/{func.__name__}", func, params).numpy()
        want = np.asarray(want, float)
        assert got.shape == want.shape, func.__name__
        assert np.abs(got - want).max() <= tolerance("term") * max(1.0, np.abs(want).max()), func.__name__


def observed(terms: dict, steps: int = 8, **group) -> tuple:
    """Observations of every step of two worlds, and the plain values beside them."""
    task = tasks.load("cartpole")
    plain = {f"plain_{k}": ObservationTerm(t.func, t.params) for k, t in terms.items()}
    task.observations = {"policy": ObservationGroup(terms, **group), "plain": ObservationGroup(plain)}
    env = Environment(task, 2, seed=1)
    rows = [[env.observations[k].numpy().copy() for k in ("policy", "plain")]]
    for a in np.random.default_rng(1).uniform(-1, 1, (steps, 2, 1)).astype(np.float32):
        env.step(a)
        rows.append([env.observations[k].numpy().copy() for k in ("policy", "plain")])
    return tuple(np.array(x) for x in zip(*rows))


def test_clip_comes_before_scale():
    shown, plain = observed({"v": ObservationTerm(obs.joint_vel_rel, clip=(-0.2, 0.1), scale=(3.0, 5.0))})
    assert np.array_equal(shown, np.clip(plain, np.float32(-0.2), np.float32(0.1)) * np.float32([3.0, 5.0]))


def test_history_shows_the_last_values_oldest_first():
    shown, plain = observed({"v": ObservationTerm(obs.joint_vel_rel, history_length=3)})
    for t in range(len(plain)):
        assert np.array_equal(shown[t].reshape(2, 3, 2), np.stack([plain[max(0, t - k)] for k in (2, 1, 0)], axis=1))


def test_delay_shows_older_values():
    shown, plain = observed({"v": ObservationTerm(obs.joint_vel_rel, delay_min_lag=2, delay_max_lag=2)})
    assert all(np.array_equal(shown[t], plain[max(0, t - 2)]) for t in range(len(plain)))


def test_lags_are_drawn_within_their_bounds():
    shown, plain = observed({"v": ObservationTerm(obs.joint_vel_rel, delay_max_lag=3)}, steps=40)
    lags = [
        [k for k in range(4) if np.array_equal(shown[t, w], plain[t - k, w])] for t in range(3, 41) for w in range(2)
    ]
    assert all(lags)
    assert {k for found in lags for k in found} == {0, 1, 2, 3}


def test_noise_is_added_where_the_group_says_so():
    term = ObservationTerm(obs.joint_vel_rel, noise=Noise("uniform", -0.1, 0.3, bias=0.05))
    clean, plain = observed({"v": term})
    assert np.array_equal(clean, plain)
    noisy, plain = observed({"v": term}, steps=200, enable_corruption=True)
    off = noisy - plain
    bias = off.mean(axis=0) - 0.1
    assert off.min() >= -0.15 - tolerance("term")
    assert off.max() <= 0.35 + tolerance("term")
    assert np.ptp(off) > 0.35
    assert len(np.unique(bias)) == 4


def test_users_terms_may_be_numpy_and_are_named_when_wrong():
    task = tasks.load("cartpole")
    task.observations["policy"].terms["square"] = ObservationTerm(lambda env: env.sim.data.qpos.numpy() ** 2)
    env = Environment(task, 3, seed=0)
    assert np.array_equal(env.observations["policy"].numpy()[:, -2:], env.sim.data.qpos.numpy() ** 2)
    task.observations["policy"].terms["square"] = ObservationTerm(lambda env: np.zeros((2, 2)))
    with pytest.raises(ModelError, match="observation/policy/square.*expected an array"):
        Environment(task, 3, seed=0)
    task.observations["policy"].terms["square"] = ObservationTerm(obs.joint_pos_rel, {"joints": "elbow"})
    with pytest.raises(ModelError, match="no joint is called 'elbow'; there are: slider, hinge"):
        Environment(task, 3, seed=0)


def test_users_terms_may_be_torch():
    torch = pytest.importorskip("torch", reason="needs the extra learn")
    task = tasks.load("cartpole")
    task.observations["policy"].terms["square"] = ObservationTerm(lambda env: wp.to_torch(env.sim.data.qpos) ** 2)
    env = Environment(task, 3, seed=0)
    assert torch.equal(
        torch.from_numpy(env.observations["policy"].numpy()[:, -2:].copy()), wp.to_torch(env.sim.data.qpos) ** 2
    )
