"""What a program changes between two calls of ``step``: the next call does what it would have done with the change made
before the first.
"""

import functools

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import StateError
from newtonlite.mjwarp.stages import PARTS
from newtonlite.solvers.mujoco.data import FIELDS, PRIVATE
from newtonlite.solvers.mujoco.executor import specialize

SCENE = """<mujoco><option timestep=".004"/><worldbody>
  <geom name="floor" type="plane" size="4 4 .1"/>
  <body name="box" pos=".3 0 .06"><freejoint/><geom name="box" type="box" size=".05 .06 .07" mass=".4"/></body>
  <body name="arm" pos="0 0 .5"><joint name="swing" axis="0 1 0" range="-60 60" damping=".02" stiffness=".3"/>
    <geom name="upper" type="capsule" size=".03" fromto="0 0 0 .2 0 0" mass=".5"/>
    <body name="hand" pos=".2 0 0"><joint name="wrist" axis="0 0 1"/>
      <geom name="lower" type="capsule" size=".02" fromto="0 0 0 .2 0 0" mass=".2"/></body></body>
  </worldbody>
  <equality><joint joint1="wrist" polycoef=".1 0 0 0 0"/></equality>
  <actuator><motor name="motor" joint="swing" gear="2"/></actuator>
  <sensor><jointpos joint="swing"/><actuatorfrc actuator="motor"/></sensor>
  <keyframe><key name="bent" qpos=".3 0 .2 1 0 0 0 .4 .2"/></keyframe></mujoco>"""
WORLDS = 3
CARRIED = [f.name for f in FIELDS.values() if f.role in ("state", "input")]


def per_world(low, high, *shape):
    return np.linspace(low, high, WORLDS).reshape(WORLDS, *(1,) * len(shape)) * np.ones((WORLDS, *shape))


def nested(m, **values):
    """Set options through an object that was kept."""
    option = m.opt
    for name, value in values.items():
        setattr(option, name, value)


def in_numpy(array, change):
    """Write into the memory of an array through NumPy."""
    change(array.numpy())


def push(m, d):
    wp.launch(_push, d.nworld, [d.ctrl], device=d.ctrl.device)


@wp.kernel
def _push(ctrl: wp.array2d[float]):
    ctrl[wp.tid(), 0] = 0.7


OPTIONS = {
    "timestep": 0.01,
    "gravity": np.array([1.0, 0.0, -3.0]),
    "density": 500.0,
    "viscosity": 2.0,
    "impratio_invsqrt": 0.3,
    "iterations": 1,
    "ls_iterations": 1,
    "noslip_iterations": 3,
    "tolerance": 1.0e-1,
    "cone": 1,
    "solver": 1,
    "integrator": 1,
    "disableflags": int(mjw.DisableBit.CONTACT),
}
WAYS = {
    **{f"opt.{name}": lambda m, d, name=name, value=value: nested(m, **{name: value}) for name, value in OPTIONS.items()},
    "opt.integrator implicitfast": lambda m, d: nested(m, integrator=3),
    "opt.wind": lambda m, d: nested(m, density=500.0, wind=np.array([3.0, 0.0, 0.0])),
    "opt.disableflags actuation": lambda m, d: nested(m, disableflags=m.opt.disableflags | 1 << 11),
    "opt.enableflags": lambda m, d: nested(m, enableflags=m.opt.enableflags | int(mjw.EnableBit.ENERGY)),
    "an option in place": lambda m, d: m.opt.timestep.fill_(0.01),
    "an option through NumPy": lambda m, d: in_numpy(m.opt.gravity, lambda a: a.fill(-1.0)),
    "an option as an array": lambda m, d: setattr(m.opt, "timestep", wp.full(1, 0.01, dtype=float, device="cpu")),
    "an option per world": lambda m, d: setattr(m.opt, "timestep", wp.array([0.001, 0.002, 0.006], dtype=float, device="cpu")),
    "options by text": lambda m, d: mjw.override_model(m, ["opt.cone=elliptic", "opt.timestep=.01"]),
    "a size": lambda m, d: m.sizes.__setitem__("opt_iterations", 1),
    "a parameter as numbers": lambda m, d: setattr(m, "body_mass", m.body_mass.numpy() * 2.0),
    "a parameter in place": lambda m, d: m.body_mass.assign(m.body_mass.numpy() * 2.0),
    "a parameter through NumPy": lambda m, d: in_numpy(m.body_mass, lambda a: np.multiply(a, 2.0, out=a)),
    "a parameter as another array": lambda m, d: setattr(m, "body_mass", wp.array(m.body_mass.numpy() * 2.0, dtype=float, device="cpu")),
    "a parameter per world": lambda m, d: setattr(m, "body_mass", per_world(0.2, 2.0, 4)),
    "a parameter per world by array": lambda m, d: setattr(m, "body_mass", wp.array(per_world(0.2, 2.0, 4), dtype=float, device="cpu")),
    "an entry of the arrays": lambda m, d: m.arrays.__setitem__("body_mass", wp.array(m.body_mass.numpy() * 2.0, dtype=float, device="cpu")),
    "set": lambda m, d: m.set("body_mass", m.body_mass.numpy() * 2.0),
    "a friction that was zero": lambda m, d: setattr(m, "dof_frictionloss", np.full(8, 0.4)),
    "a friction that was zero, in place": lambda m, d: m.dof_frictionloss.fill_(0.4),
    "a friction that was zero, through NumPy": lambda m, d: in_numpy(m.dof_frictionloss, lambda a: a.fill(0.4)),
    "gravity compensation in place": lambda m, d: m.body_gravcomp.fill_(1.0),
    "damping of an actuator": lambda m, d: setattr(m, "actuator_damping", np.array([[0.5]])),
    "damping of an actuator in place": lambda m, d: m.actuator_damping.fill_(0.5),
    "a gain": lambda m, d: m.actuator_gear.fill_(wp.spatial_vector(3.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
    "kinds of a law": lambda m, d: (m.actuator_gaintype.fill_(1), m.actuator_gainprm.assign(np.array([[[0.5, 1.0] + 8 * [0.0]]]))),
    "a flag": lambda m, d: (setattr(m, "flg_surfacevel", True), m.geom_surfacevel.assign(np.full((1, 4, 6), 0.3))),
    "a callback": lambda m, d: setattr(m.callback, "control", push),
    "all callbacks": lambda m, d: setattr(m, "callback", mjw.Callback(control=push)),
    "controls": lambda m, d: setattr(d, "ctrl", np.full((WORLDS, 1), 0.6)),
    "controls as an array": lambda m, d: setattr(d, "ctrl", wp.full((WORLDS, 1), 0.6, dtype=float, device="cpu")),
    "controls in place": lambda m, d: d.ctrl.fill_(0.6),
    "controls through NumPy": lambda m, d: in_numpy(d.ctrl, lambda a: a.fill(0.6)),
    "controls as an entry of the arrays": lambda m, d: d.engine.arrays.__setitem__("ctrl", wp.full((WORLDS, 1), 0.6, dtype=float, device="cpu")),
    "positions": lambda m, d: setattr(d, "qpos", d.qpos.numpy() + 0.01),
    "forces": lambda m, d: d.xfrc_applied.fill_(wp.spatial_vector(1.0, 0.0, 0.0, 0.0, 0.0, 0.1)),
    "an equality switched off": lambda m, d: d.eq_active.zero_(),
    "a state": lambda m, d: mjw.set_state(m, d, wp.array(np.tile([0.3, 0, 0.3, 1, 0, 0, 0, 0.2, 0.1], (WORLDS, 1)), dtype=float, device="cpu"), int(mjw.State.QPOS)),
    "a keyframe": lambda m, d: mjw.reset_data_keyframe(m, d, 0),
    "constants": lambda m, d: (m.body_mass.assign(m.body_mass.numpy() * 2.0), mjw.set_const(m, d)),
}  # fmt: skip
"""Ways to change something between two calls, by name: functions of model and data."""
AFTERWARDS = {"controls as an entry of the arrays", "positions", "forces", "an equality switched off", "a state", "a keyframe"} | {
    n for n in WAYS if n.startswith("controls")
}  # fmt: skip
"""Those of what a world carries, which are made after it was copied."""


@functools.cache
def source():
    return mjw.load(SCENE)


def made():
    m = mjw.put_model(source(), device="cpu")
    d = mjw.make_data(m, WORLDS)
    d.ctrl.fill_(0.2)
    d.qvel.assign(per_world(0.1, 0.5, d.qvel.shape[1]))
    d.qpos.assign(d.qpos.numpy() + per_world(0.0, 0.02, d.qpos.shape[1]))
    return m, d


def results(d) -> dict:
    names = (
        "qpos",
        "qvel",
        "qacc",
        "sensordata",
        "qfrc_constraint",
        "qfrc_smooth",
        "xpos",
        "time",
        "energy",
        "solver_niter",
    )
    return {name: getattr(d, name).numpy().copy() for name in names} | {"contacts": d.nacon.numpy().copy()}


def copy_world(d, kept: dict) -> None:
    for name, values in kept.items():
        d.engine.arrays[name].assign(values)


def both(call, change, after: bool):
    """Results of the call after a change between two calls, with the change made from the start, and without it."""
    m, d = made()
    for _ in range(3):
        call(m, d)
    kept = {name: d.engine.arrays[name].numpy().copy() for name in CARRIED if name in d.engine.arrays}
    change(m, d)
    call(m, d)
    found = [results(d)]
    for changed in (change, lambda m, d: None):
        m, d = made()
        if not after:
            changed(m, d)
        copy_world(d, kept)
        if after:
            changed(m, d)
        call(m, d)
        found.append(results(d))
    return found


def differing(a: dict, b: dict) -> list:
    return [name for name in a if not np.array_equal(a[name], b[name], equal_nan=True)]


WEAK = {f"opt.{n}" for n in ("ls_iterations", "solver", "tolerance", "noslip_iterations", "impratio_invsqrt", "iterations")} | {"a size"}  # fmt: skip
"""Options that may change no bit of a step of this scene."""


@pytest.mark.parametrize("way", WAYS)
def test_the_next_step_knows_of_every_change(way):
    now, from_the_start, without = both(mjw.step, WAYS[way], way in AFTERWARDS)
    assert differing(now, from_the_start) == []
    if way not in WEAK:
        assert differing(now, without), "a change without effect shows nothing"


@pytest.mark.parametrize(
    "way", ["opt.cone", "opt.gravity", "a parameter per world", "a callback", "gravity compensation in place"]
)
def test_the_next_forward_pass_knows_of_changes(way):
    now, from_the_start, without = both(mjw.forward, WAYS[way], False)
    assert differing(now, from_the_start) == []
    assert differing(now, without)


@pytest.fixture
def special(monkeypatch):
    """Kernels of the model's features, which a change of features replaces."""
    monkeypatch.setattr(specialize, "enabled", True)
    monkeypatch.setenv("NEWTONLITE_KERNELS", "wait")


@pytest.mark.parametrize(
    "way",
    [
        "a friction that was zero, in place",
        *(pytest.param(way, marks=pytest.mark.nightly) for way in ("opt.cone", "opt.integrator")),
    ],
)
def test_kernels_of_other_features_are_taken(special, way):
    now, from_the_start, without = both(mjw.step, WAYS[way], False)
    assert differing(now, from_the_start) == []
    assert differing(now, without)


def test_collision_can_be_switched_off_and_on_between_calls():
    m, d = made()
    mjw.step(m, d)
    count = d.nacon.numpy()[0]
    m.opt.run_collision_detection = False
    d.qpos.assign(d.qpos.numpy() + np.eye(1, d.qpos.shape[1], 2))
    mjw.step(m, d)
    assert d.nacon.numpy()[0] == count > 0
    m.opt.run_collision_detection = True
    mjw.step(m, d)
    assert d.nacon.numpy()[0] == 0


def test_models_may_take_turns_with_one_data():
    (m, d), (heavy, other) = made(), made()
    heavy.body_mass.assign(heavy.body_mass.numpy() * 3.0)
    heavy.opt.cone = 1
    for _ in range(2):
        mjw.step(m, d), mjw.step(heavy, d)
    mjw.step(m, other), mjw.step(heavy, other), mjw.step(m, other), mjw.step(heavy, other)
    assert differing(results(d), results(other)) == []


def test_a_model_may_step_several_data():
    m, first = made()
    second = mjw.make_data(m, 1)
    mjw.step(m, first), mjw.step(m, second)
    m.opt.cone = 1
    m.opt.timestep = 0.01
    mjw.step(m, first), mjw.step(m, second)
    np.testing.assert_array_equal(first.time.numpy(), np.float32(0.004) + np.float32(0.01))
    np.testing.assert_array_equal(second.time.numpy(), np.float32(0.004) + np.float32(0.01))


def test_a_view_that_was_kept_shows_the_next_step():
    m, d = made()
    mjw.step(m, d)
    positions, rows = d.xpos, d.qfrc_constraint
    before = positions.numpy().copy(), rows.numpy().copy()
    for _ in range(5):
        mjw.step(m, d)
    assert not np.array_equal(before[0], positions.numpy())
    assert np.array_equal(d.xpos.numpy(), positions.numpy())
    assert np.array_equal(d.qfrc_constraint.numpy(), rows.numpy())


@pytest.mark.parametrize("part", [*PARTS, "step1", "inverse", "sensor_acc"])
def test_parts_of_a_step_find_all_they_need_after_a_whole_one(part):
    """Scratch that a whole step keeps to itself is poisoned."""
    results_of = []
    for private in (True, False):
        m, d = made()
        m.opt.noslip_iterations = 2
        if not private:
            d.engine.private = frozenset()
        for _ in range(2):
            mjw.step(m, d)
        for name in PRIVATE if private else ():
            array = d.engine.arrays[name]
            array.fill_(7 if array.dtype in (int, wp.int32) else np.nan) if array.dtype in (
                int,
                float,
                wp.int32,
                wp.float32,
            ) else None
        getattr(mjw, part)(m, d)
        results_of.append({name: a.numpy().copy() for name, a in d.engine.arrays.items() if name not in PRIVATE})
    assert differing(*results_of) == []


def test_private_scratch_is_nothing_that_mujoco_warp_has():
    shown = {*dir(mjw.Contact), *dir(mjw.Constraint), *(name for name in FIELDS if hasattr(mjw.Data, name))}
    assert not PRIVATE & shown
    m, d = made()
    with pytest.raises(StateError, match=r"data\.jar: scratch"):
        _ = d.jar
