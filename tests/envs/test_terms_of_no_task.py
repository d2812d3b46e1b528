"""Terms that no packaged task has: actions of every kind of actuator, stages of rewards and ends, events at other times."""

import numpy as np
import pytest
import warp as wp

from newtonlite.envs import (
    CurriculumTerm,
    Environment,
    EventTerm,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    TerminationTerm,
    mdp,
    tasks,
)
from newtonlite.envs.terrains import Terrain
from tests import oracle
from tests.tolerance import tolerance

ARM = """<mujoco><option timestep="0.004" integrator="implicitfast"/><worldbody>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>
    <body name="fore" pos="0.3 0 0"><joint name="elbow" axis="0 1 0" damping="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/><site name="tip" pos="0.3 0 0"/></body></body>
</worldbody><tendon><fixed name="both"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-0.5"/></fixed></tendon>
<actuator><position name="servo" joint="elbow" kp="5" kv="0.4"/><velocity name="speed" joint="shoulder" kv="0.7"/>
  <position name="pull" tendon="both" kp="4" kv="0.3"/><velocity name="wind" tendon="both" kv="0.5"/>
  <motor name="haul" tendon="both"/><motor name="jet" site="tip" gear="0 0 1 0 0 0"/></actuator></mujoco>"""
ACTIONS = {
    "servo": mdp.RelativeJointPositionAction("servo", scale=0.5),
    "speed": mdp.JointVelocityAction("speed", scale=2.0),
    "pull": mdp.TendonLengthAction("pull", offset=0.1),
    "wind": mdp.TendonVelocityAction("wind"),
    "haul": mdp.TendonEffortAction("haul", clip=(-0.4, 0.4)),
    "jet": mdp.SiteEffortAction("jet", scale=0.7),
}


def arm(**changes) -> Task:
    task = Task(
        model=ARM,
        actions=ACTIONS,
        observations={"policy": ObservationGroup({"q": ObservationTerm(mdp.joint_pos_rel)})},
        rewards={"alive": RewardTerm(mdp.is_alive, 1.0)},
        decimation=2,
    )
    for name, value in changes.items():
        setattr(task, name, value)
    return task


def test_actions_of_every_kind_of_actuator_move_the_robot_as_mujoco_does():
    env = Environment(arm(), 2, seed=0)
    model = oracle.mujoco.MjModel.from_xml_string(ARM)
    data = oracle.mujoco.MjData(model)
    for i in range(40):
        action = np.sin(0.3 * i + np.arange(6))
        env.step(np.tile(action, (2, 1)).astype(np.float32))
        data.ctrl[:] = [0.5 * action[0], 2 * action[1], 0.1 + action[2], action[3], 0, 0.7 * action[5]]
        data.ctrl[0] += data.qpos[1]
        data.ctrl[4] = np.clip(action[4], -0.4, 0.4)
        for _ in range(2):
            oracle.mujoco.mj_step(model, data)
        assert np.abs(env.sim.data.qpos.numpy()[1] - data.qpos).max() < tolerance("trajectory"), i
    assert np.abs(data.qpos).min() > 0.05


def test_a_joints_position_is_no_start_for_what_drives_none():
    for name, kind in (("pull", mdp.RelativeJointPositionAction), ("jet", mdp.JointPositionAction)):
        with pytest.raises(ValueError, match=f"actuator '{name}' drives no joint"):
            Environment(arm(actions={"a": kind(name)}), 1)


def bent(env, least: float):
    """Joints that are bent by more."""
    return wp.array((np.abs(env.sim.data.qpos.numpy()).max(1) > least), dtype=wp.bool, device=env.device)


def test_stages_change_the_weight_of_a_reward_and_the_parameters_of_an_end():
    task = arm(
        terminations={"bent": TerminationTerm(bent, {"least": 100.0})},
        curriculum={
            "weight": CurriculumTerm(
                mdp.reward_curriculum, {"reward_name": "alive", "stages": [{"step": 8, "weight": 3.0}]}
            ),
            "least": CurriculumTerm(
                mdp.termination_curriculum,
                {"termination_name": "bent", "stages": [{"step": 12, "params": {"least": -1.0}}]},
            ),
        },
    )
    env = Environment(task, 2, seed=0)
    rewards, over = [], []
    for _ in range(16):
        env.step(np.zeros((2, 6), np.float32))
        rewards.append(env.reward.numpy()[0])
        over.append(env.terminated.numpy()[0])
        if len(rewards) % 4 == 0:  # asked when worlds are reset
            env.reset(env.every)
    assert rewards == [1.0] * 8 + [3.0] * 4 + [0.0] * 4  # those who have ended are not alive
    assert over == [False] * 12 + [True] * 4


def test_a_push_stays_until_the_reset_and_a_scene_goes_back_to_its_start():
    task = arm(
        events={
            "push": EventTerm(
                mdp.apply_external_force_torque,
                "reset",
                {"force_range": (1.0, 2.0), "torque_range": (-0.2, -0.1), "bodies": "fore"},
            ),
            "back": EventTerm(mdp.reset_scene_to_default, "interval", interval_range_s=(0.08, 0.08)),
        }
    )
    env = Environment(task, 3, seed=0)
    applied = env.sim.data.xfrc_applied.numpy()
    pushed = applied[:, env.sim.names("body").index("fore")]
    assert ((pushed[:, :3] >= 1) & (pushed[:, :3] <= 2) & (pushed[:, 3:] >= -0.2) & (pushed[:, 3:] <= -0.1)).all()
    assert len({tuple(row) for row in pushed}) == 3 and np.count_nonzero(applied) == pushed.size

    far = []
    for _ in range(22):
        env.step(np.ones((3, 6), np.float32))
        far.append(np.abs(env.sim.data.qpos.numpy()).max(1))
    assert (np.array(far)[[9, 10, 19, 20]] < 0.5 * np.max(far)).any(0).all() and np.max(far) > 0.05


def test_gravity_in_a_bodys_axes_is_less_what_its_sensor_shows():
    task = tasks.load("quadruped_velocity")
    sensor = '<framezaxis name="up" objtype="xbody" objname="world" reftype="xbody" refname="trunk"/>'
    task.model = task.model().replace("<sensor>", f"<sensor>{sensor}", 1)
    tilt = {"pose_range": {"roll": (-0.5, 0.5), "pitch": (-0.5, 0.5), "yaw": (-3, 3)}}
    task.events = {"tilt": EventTerm(mdp.reset_root_state_uniform, "reset", tilt)}
    env = Environment(task, 3, seed=1)
    found = mdp.projected_gravity_from_sensor(env, "up").numpy()
    assert np.abs(found - mdp.projected_gravity(env).numpy()).max() < tolerance("kinematics")
    assert np.abs(found[:, :2]).max() > 0.1


def test_any_tile_for_worlds_that_are_reset():
    task = tasks.load("quadruped_rough")
    task.terrain = Terrain(("flat", "pyramid_stairs", "perlin_noise"), rows=3, size=5.0, max_init_level=0)
    task.curriculum = {}
    task.events = {"tile": EventTerm(mdp.randomize_terrain, "reset"), **task.events}
    env = Environment(task, 40, seed=2)
    tiles = set(zip(env.ground.levels.numpy(), env.ground.kinds.numpy()))
    assert {level for level, _ in tiles} == {0, 1, 2} and {kind for _, kind in tiles} == {0, 1, 2}
    for world in range(40):
        tile = env.ground.terrain.origins[env.ground.levels.numpy()[world], env.ground.kinds.numpy()[world]]
        assert np.allclose(env.origins.numpy()[world], tile, atol=tolerance("parameter"))
