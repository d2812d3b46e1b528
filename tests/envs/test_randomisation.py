"""Domain randomisation: each field against models that MuJoCo compiled with those numbers; nothing piles up, nothing
else is touched.
"""

import subprocess
import sys

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import ModelError
from newtonlite.envs import Environment, EventTerm, tasks
from newtonlite.envs.mdp import dr
from newtonlite.envs.tasks import quadruped_velocity
from tests import oracle
from tests.tolerance import tolerance

WORLDS = 32
FIELDS = {
    "geom_friction": (dr.geom_friction, {"names": "foot_.*|floor", "ranges": (0.3, 1.2), "axes": [0]}),
    "geom_pos": (dr.geom_pos, {"names": "foot_.*", "ranges": (-0.01, 0.01), "operation": "add"}),
    "body_mass": (dr.body_mass, {"ranges": (0.7, 1.4)}),
    "body_inertia": (dr.body_inertia, {"ranges": (0.7, 1.4), "shared_random": True}),
    "body_ipos": (dr.body_com_offset, {"names": "trunk", "ranges": {0: (-0.03, 0.03), 2: (-0.02, 0.02)}}),
    "body_pos": (dr.body_pos, {"names": "shin_.*", "ranges": (-0.01, 0.01)}),
    "dof_damping": (dr.joint_damping, {"ranges": (0.2, 1.5)}),
    "dof_armature": (dr.joint_armature, {"names": "knee.*", "ranges": (0.005, 0.05), "distribution": "log_uniform"}),
    "dof_frictionloss": (dr.joint_friction, {"names": "knee.*|roll.*|pitch.*", "ranges": (0.05, 0.3)}),
    "jnt_stiffness": (dr.joint_stiffness, {"names": "knee.*", "ranges": (0.0, 5.0)}),
    "jnt_range": (dr.joint_limits, {"names": "knee.*", "ranges": (-0.1, 0.1), "operation": "add"}),
    "qpos_spring": (dr.randomize, {"field": "qpos_spring", "names": "knee.*", "ranges": (-1.0, 1.0)}),
    "actuator_forcerange": (dr.effort_limits, {"ranges": (0.2, 1.0)}),
    "body_quat": (dr.body_quat, {"names": "shin_.*", "roll_range": (-0.1, 0.1), "yaw_range": (-0.2, 0.2)}),
    "geom_quat": (dr.geom_quat, {"names": "trunk", "pitch_range": (-0.3, 0.3)}),
    "pseudo_inertia": (
        dr.pseudo_inertia,
        {"alpha_range": (-0.2, 0.2), "d_range": (-0.1, 0.1), "t_range": (-0.01, 0.01)},
    ),
    "gains": (dr.pd_gains, {"kp_range": (0.5, 1.5), "kd_range": (1.0, 1.0)}),
    "opt_gravity": (dr.gravity, {"ranges": (-1.0, 1.0), "distribution": "gaussian"}),
    "geom_solref": (dr.randomize, {"field": "geom_solref", "names": "foot_.*", "ranges": {0: (0.01, 0.03)}}),
}


def environment(mode: str = "reset", **terms) -> Environment:
    task = tasks.load("quadruped_velocity")
    task.events = {"reset_base": task.events["reset_base"]} | {
        name: EventTerm(func, mode, dict(params)) for name, (func, params) in terms.items()
    }
    return Environment(task, WORLDS, seed=4)


def changed_fields(func, params) -> tuple:
    return getattr(func, "fields", (params.get("field"),))


@pytest.mark.parametrize("name", FIELDS)
def test_a_changed_model_moves_as_mujocos_does(name):
    func, params = FIELDS[name]
    env = environment(**{name: FIELDS[name]})
    d, m = env.sim.data, env.sim.model
    rng = np.random.default_rng(1)
    for _ in range(4):
        env.step(rng.uniform(-2, 2, (WORLDS, 12)).astype(np.float32))
    q, v, ctrl = (getattr(d, k).numpy().copy() for k in ("qpos", "qvel", "ctrl"))
    d.qacc_warmstart.zero_()
    env.sim.forward(env.every)
    got = d.qacc.numpy()
    model = oracle.mujoco.MjModel.from_xml_string(quadruped_velocity.model())
    model.opt.timestep = env.sim.timestep
    data = oracle.mujoco.MjData(model)
    numbers = {field: m.arrays[field].numpy() for field in changed_fields(func, params)}
    assert all(len(np.unique(rows.reshape(WORLDS, -1), axis=0)) == WORLDS for rows in numbers.values())
    want = []
    for w in range(WORLDS):
        for field, rows in numbers.items():
            target = model.opt.gravity if field == "opt_gravity" else getattr(model, field)
            target[...] = (
                rows[w].reshape(target.shape) if field not in ("actuator_gainprm", "actuator_biasprm") else rows[w]
            )
        oracle.mujoco.mj_setConst(model, data)
        oracle.mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:], data.ctrl[:] = q[w], v[w], ctrl[w]
        oracle.mujoco.mj_forward(model, data)
        want.append(data.qacc.copy())
    want = np.array(want)
    off = np.linalg.norm(got - want, axis=1) / np.linalg.norm(want, axis=1)
    assert off.max() < tolerance("qacc")


def test_orientations_are_turned_about_the_parts_own_axes():
    angles = (0.3, -0.2, 0.5)
    env = environment(turn=(dr.body_quat, {f"{k}_range": (a, a) for k, a in zip(("roll", "pitch", "yaw"), angles)}))
    env.reset()
    own = np.asarray(env.sim.compiled.body_quat, float)
    x, y, z = (rotation([np.cos(a / 2), *(np.sin(a / 2) * np.eye(3)[i])]) for i, a in enumerate(angles))
    for body, quat in enumerate(env.sim.model.body_quat.numpy()[5]):
        assert np.abs(rotation(quat) - rotation(own[body]) @ z @ y @ x).max() < tolerance("kinematics"), body


def rotation(quat) -> np.ndarray:
    out = np.zeros(9)
    oracle.mujoco.mju_quat2Mat(out, np.asarray(quat, float))
    return out.reshape(3, 3)


def pseudo(mass, centre, inertia, quat) -> np.ndarray:
    """Pseudo-inertia of a body, from MuJoCo's numbers."""
    turn = rotation(quat)
    about = turn @ np.diag(inertia) @ turn.T
    second = np.trace(about) / 2 * np.eye(3) - about + mass * np.outer(centre, centre)
    return np.block(
        [[second, mass * np.asarray(centre)[:, None]], [mass * np.asarray(centre)[None], np.array([[mass]])]]
    )


def test_pseudo_inertia_is_the_formula():
    numbers = {
        "alpha": 0.2,
        "d1": 0.1,
        "d2": -0.2,
        "d3": 0.3,
        "s12": 0.1,
        "s13": -0.1,
        "s23": 0.2,
        "t1": 0.02,
        "t2": -0.03,
        "t3": 0.01,
    }
    env = environment(mass=(dr.pseudo_inertia, {f"{k}_range": (v, v) for k, v in numbers.items()}))
    env.reset()
    n = numbers
    turn = np.exp(n["alpha"]) * np.array(
        [
            [np.exp(n["d1"]), n["s12"], n["s13"], n["t1"]],
            [0, np.exp(n["d2"]), n["s23"], n["t2"]],
            [0, 0, np.exp(n["d3"]), n["t3"]],
            [0, 0, 0, 1],
        ]
    )
    m, mj = env.sim.model, env.sim.compiled
    fields = ("body_mass", "body_ipos", "body_inertia", "body_iquat")
    for body in range(1, mj.nbody):
        own = pseudo(*(np.asarray(getattr(mj, f)[body], float) for f in fields))
        new = pseudo(*(getattr(m, f).numpy()[7][body].astype(float) for f in fields))
        assert np.abs(new - turn @ own @ turn.T).max() < tolerance("parameter") * 10 * np.abs(new).max(), body


def test_repeats_do_not_pile_up():
    env = environment(
        mass=(dr.body_mass, {"ranges": (2.0, 2.0)}),
        com=(dr.body_com_offset, {"names": "trunk", "ranges": (0.01, 0.01)}),
    )
    own = np.asarray(env.sim.compiled.body_mass, np.float32)
    for _ in range(10):
        env.reset()
    assert np.array_equal(env.sim.model.body_mass.numpy(), np.tile(2 * own, (WORLDS, 1)))
    assert np.allclose(env.sim.model.body_subtreemass.numpy()[:, 0], 2 * own.sum(), rtol=tolerance("parameter"))
    off = env.sim.model.body_ipos.numpy()[:, 1] - np.asarray(env.sim.compiled.body_ipos)[1]
    assert np.abs(off - 0.01).max() < tolerance("parameter")


def test_other_worlds_keep_their_bits():
    env = environment(mass=(dr.body_mass, {"ranges": (0.5, 2.0)}))
    before = {name: a.numpy().copy() for name, a in env.sim.model.arrays.items() if a.shape and a.shape[0] == WORLDS}
    mask = np.arange(WORLDS) == 3
    env.reset(wp.array(mask, dtype=wp.bool, device=env.device))
    assert {"body_mass", "body_invweight0", "dof_invweight0"} <= before.keys()
    for name, rows in before.items():
        assert np.array_equal(env.sim.model.arrays[name].numpy()[~mask], rows[~mask]), name
    assert not np.array_equal(env.sim.model.body_mass.numpy()[3], before["body_mass"][3])


def test_startup_is_drawn_once_for_a_seed():
    env = environment("startup", mass=(dr.body_mass, {"ranges": (0.5, 2.0)}))
    first = env.sim.model.body_mass.numpy().copy()
    env.reset()
    assert np.array_equal(env.sim.model.body_mass.numpy(), first)
    env.reset(seed=77)
    assert not np.array_equal(env.sim.model.body_mass.numpy(), first)
    env.reset(seed=4)
    assert np.array_equal(env.sim.model.body_mass.numpy(), first)


def first_and_later_steps() -> None:
    """Print the modules of kernels that Warp loads, those of the first step apart; run in a process of its own."""
    wp.config.log_level = wp.LOG_DEBUG  # at LOG_INFO the package keeps Warp from naming its modules
    task = tasks.load("quadruped_velocity")
    for name, (func, params) in FIELDS.items():
        task.events[name] = EventTerm(func, "reset", dict(params))
        task.events[f"{name}_again"] = EventTerm(func, "interval", dict(params), interval_range_s=(0.05, 0.1))
    env = Environment(task, WORLDS, seed=4)
    action = np.zeros((WORLDS, 12), np.float32)
    env.step(action)
    masses = env.sim.model.body_mass.numpy()
    first = masses.copy()
    print(LATER, flush=True)
    for world in range(8):
        env.step(action)
        env.reset(wp.array(np.arange(WORLDS) == world, dtype=wp.bool, device=env.device))
    assert (masses[:, 1:] != first[:, 1:]).all()


LATER = "later steps"
CODE = "from tests import conftest; from tests.envs.test_randomisation import *; first_and_later_steps()"


def test_no_kernel_is_compiled_or_loaded_after_the_first_step():
    done = subprocess.run([sys.executable, "-c", CODE], cwd=oracle.ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, later = done.stdout.split(LATER)
    assert first.count("Module newtonlite") > 10 and "mdp.dr.fields" in first
    assert "Module" not in later


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"field": "geom_size", "ranges": (1, 2)}, "geom_size cannot be changed alone"),
        ({"field": "geom_sise", "ranges": (1, 2)}, "not a parameter of the model"),
        ({"field": "body_mass", "ranges": (1, 2), "names": "tail"}, "no body is called 'tail'"),
        (
            {"field": "body_mass", "ranges": (1, 2), "operation": "multiply"},
            "operation 'multiply'; expected one of abs, scale, add",
        ),
    ],
)
def test_what_cannot_be_changed_is_refused(params, message):
    with pytest.raises(ModelError, match=message):
        environment(change=(dr.randomize, params))
