"""Entities: what a task adds to a robot's file is what MuJoCo has of a file with all of it."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, ParseError
from newtonlite.envs import (
    BuiltinMotorActuator,
    BuiltinPositionActuator,
    BuiltinSensor,
    BuiltinVelocityActuator,
    ContactSensor,
    Environment,
    InitialState,
    ObservationGroup,
    ObservationTerm,
    RewardTerm,
    Task,
    Terrain,
    mdp,
)
from newtonlite.envs.entity import matches
from newtonlite.exporters.usd import save_usd
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests import oracle
from tests.harness.urdf_robots import pair
from tests.tolerance import tolerance

HOPPER = """<mujoco><worldbody>{floor}
  <body name="trunk" pos="0 0 0.5"><freejoint name="root"/><geom name="trunk" type="box" size="0.1 0.1 0.05"/>
    <body name="leg"><joint name="hip" axis="0 1 0" armature="0.01"/><geom name="leg" type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02"/>
      <body name="foot" pos="0 0 -0.2"><joint name="knee" axis="0 1 0" {joint}/><geom name="foot" type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02"/>
        <site name="toe" pos="0 0 -0.2"/></body></body></body>
</worldbody>{more}</mujoco>"""
BARE = HOPPER.format(floor="", joint="", more="")
WHOLE = HOPPER.format(
    floor='<geom name="floor" type="plane" size="0 0 1"/>',
    joint='armature="0.02" frictionloss="0.1"',
    more="""<option integrator="implicitfast" timestep="0.004"/>
  <actuator><position name="hip" joint="hip" kp="30" kv="1.5" forcerange="-4 4"/><motor name="knee" joint="knee" gear="2" ctrlrange="-1.5 1.5"/></actuator>
  <sensor><contact name="touch_foot" geom1="foot" num="1" data="found force" reduce="netforce"/><framelinvel name="speed_toe" objtype="site" objname="toe"/></sensor>""",
)


def hopper(**changes) -> Task:
    task = Task(
        model=BARE,
        actions={"all": mdp.JointEffortAction()},
        observations={"policy": ObservationGroup({"q": ObservationTerm(mdp.joint_pos_rel)})},
        rewards={"alive": RewardTerm(mdp.is_alive, 1.0)},
        terrain="plane",
        timestep=0.004,
        options={"integrator": "implicitfast"},
        init_state=InitialState(pos=(0, 0, 0.45), rot=(2, 0, 0.1, 0), joint_pos={"knee": 0.3}),
        actuators={
            "servo": BuiltinPositionActuator("hip", stiffness=30.0, damping=1.5, effort_limit={"hip": 4.0}),
            "motor": BuiltinMotorActuator("knee", gear=2.0, effort_limit=3.0, armature=0.02, frictionloss=0.1),
        },
        sensors={"touch": ContactSensor(geoms="foot"), "speed": BuiltinSensor("framelinvel", sites="toe")},
    )
    for name, value in changes.items():
        setattr(task, name, value)
    return task


def test_what_a_task_adds_is_what_a_file_has():
    env = Environment(hopper(), 2, seed=0)
    model = oracle.mujoco.MjModel.from_xml_string(WHOLE)
    data = oracle.mujoco.MjData(model)
    assert env.sim.names("actuator") == ["hip", "knee"]
    assert env.sim.names("sensor") == ["touch_foot", "speed_toe"]
    turn = np.array([2, 0, 0.1, 0]) / np.hypot(2, 0.1)
    assert np.allclose(env.sim.start_qpos, [0, 0, 0.45, *turn, 0, 0.3], rtol=tolerance("parameter"))
    assert env.actions.high == [np.inf, 1.5]
    data.qpos[:] = env.sim.data.qpos.numpy()[0]
    touched = 0
    for i in range(60):
        action = np.array([np.sin(0.3 * i), 1.5 * np.cos(0.2 * i)])
        env.step(np.tile(action, (2, 1)).astype(np.float32))
        data.ctrl[:] = action
        oracle.mujoco.mj_step(model, data)
        touched += data.sensordata[0] > 0
        assert np.abs(env.sim.data.qpos.numpy()[1] - data.qpos).max() < tolerance("trajectory"), i
    assert 0 < touched < 60
    assert np.array_equal(env.sensor("touch").found.numpy()[:, 0], env.sim.data.sensordata.numpy()[:, 0])


def test_a_root_without_joints_is_freed_where_asked():
    fixed = BARE.replace('<freejoint name="root"/>', "")
    with pytest.raises(ModelError, match="no free joint, so pos and rot move nothing; see floating"):
        Environment(hopper(model=fixed), 1)
    assert Environment(hopper(model=fixed, floating=True), 1, seed=0).sim.model.nq == 9


def test_a_urdf_robot_floats_and_its_inertias_are_mended_where_asked(tmp_path):
    """Files of robots often break A + B >= C, and fix their root."""
    (tmp_path / "r.urdf").write_text(pair("revolute").replace('izz="1.4"', 'izz="14"'))
    task = hopper(model=tmp_path / "r.urdf", floating=True, sensors={}, init_state=None)
    task.actuators = {"motor": BuiltinMotorActuator("j")}
    with pytest.raises(ParseError, match="set compiler balanceinertia"):
        Environment(task, 1)
    task.compiler = {"balanceinertia": True}
    assert Environment(task, 1, seed=0).sim.model.nq == 8


def test_a_usd_robot_is_freed_or_fixed_where_asked(tmp_path):
    source = ModelBuilder()
    source.add_mjcf(BARE)
    save_usd(compile_model(source.finalize(device="cpu")), tmp_path / "r.usda")
    task = hopper(model=tmp_path / "r.usda", actuators={"motor": BuiltinMotorActuator("hip")}, sensors={})
    task.init_state = None
    assert Environment(task, 1, seed=0).sim.model.nq == 9
    task.floating = False
    assert Environment(task, 1, seed=0).sim.model.nq == 2


def test_a_terrain_takes_the_place_of_a_plane_or_stands_alone(tmp_path):
    terrain = Terrain(("pyramid_stairs",), rows=1, size=4.0)
    (tmp_path / "hopper.xml").write_text(WHOLE)
    whole = hopper(model=tmp_path / "hopper.xml", terrain=terrain, actuators={}, sensors={}, init_state=None)
    for task in (whole, hopper(terrain=terrain)):
        compiled = Environment(task, 1, seed=0).sim.compiled
        assert compiled.geom_type.tolist().count(oracle.mujoco.mjtGeom.mjGEOM_HFIELD) == 1
        assert compiled.geom_type.tolist().count(oracle.mujoco.mjtGeom.mjGEOM_PLANE) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": WHOLE, "actuators": {}, "sensors": {}}, "the model has a plane, 'floor'; leave terrain out"),
        ({"terrain": "lava"}, "terrain: 'lava'; expected a Terrain, 'plane' or None"),
        (
            {"actuators": {"a": BuiltinVelocityActuator("ankle", damping=1.0)}},
            "no hinge or slide is called 'ankle'; there are: hip, knee",
        ),
        (
            {"actuators": {"a": BuiltinPositionActuator(stiffness={"hip": 1.0})}},
            "actuators 'a': stiffness has no number for joint 'knee'",
        ),
        ({"sensors": {"s": ContactSensor(geoms="hand")}}, "no geom is called 'hand'; there are: trunk, leg, foot"),
        ({"sensors": {"s": BuiltinSensor("speed", geoms="foot")}}, "no type 'speed'; there are: "),
        ({"sensors": {"s": BuiltinSensor("framepos")}}, "name the bodies, geoms, sites or joints"),
        ({"init_state": InitialState(joint_pos={"ankle": 1.0})}, "no hinge or slide is called 'ankle'"),
        ({"init_state": InitialState(pos=(1.0, 2.0))}, "expected 3 numbers"),
        ({"options": {"integrater": 1}}, "no option 'integrater'; there are: "),
        ({"options": {"integrator": "verlet"}}, "expected euler, rk4, implicit, implicitfast"),
        ({"model": 3, "actuators": {}}, "the task's model is int; expected a file"),
    ],
)
def test_what_does_not_fit_is_named(changes, message):
    with pytest.raises(ModelError, match=message):
        Environment(hopper(**changes), 1)


@pytest.mark.parametrize("pattern", ["hip", "/robot/joints/hip", ".*/hip"])
def test_names_are_found_by_what_follows_their_last_slash(pattern):
    assert matches("joint", pattern, ["/robot/root", "/robot/joints/hip", "hips"]) == [1]
