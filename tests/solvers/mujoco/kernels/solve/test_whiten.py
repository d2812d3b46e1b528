"""Light links that carry heavy loads: accelerations beside MuJoCo's where float32 has no digits for both."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.derive.float64 import LOST, held_over_free
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.oracle_functions import dense_jacobian, dense_mass_matrix
from tests.tolerance import assert_close, assert_same, tolerance

WORLDS = 6
LINK, LIGHT = 0.2, 0.01


def chain(count: int, load: float, joint: str = "", light: float = LIGHT, tip: str = "", group: int = 0) -> str:
    """Bodies of an arm of light links, with a load at its end; every third axis is another."""
    geom = f'contype="{group}" conaffinity="{group}"'
    links = "".join(
        f'<body pos="{LINK if i else 0} 0 0"><joint name="j{i}" axis="{("0 1 0", "0 0 1", "1 1 0")[i % 3]}" '
        f'damping="{1e-3 * light}" {joint}/><geom type="capsule" fromto="0 0 0 {LINK} 0 0" size=".01" mass="{light}" '
        'contype="0" conaffinity="0"/>'
        for i in range(count)
    )
    load = f'<body name="load" pos="{LINK} 0 0"><geom size=".05" mass="{load}" {geom}/>{tip}</body>'
    return links + load + "</body>" * count


def scene(bodies: str, option: str = "", rest: str = "") -> str:
    """A file with these bodies."""
    return f'<mujoco><option timestep=".001" {option}/><worldbody>{bodies}</worldbody>{rest}</mujoco>'


def floating(inner: str, mass: float) -> str:
    """What hangs on a free body."""
    return f'<body pos="0 0 1"><freejoint/><geom size=".1" mass="{mass}" contype="0" conaffinity="0"/>{inner}</body>'


FLOOR = '<geom type="plane" size="9 9 1" pos="0 0 -.045" contype="2" conaffinity="2"/>'
SERVOS = "".join(f'<position joint="j{i}" kp="100" kv="3"/>' for i in range(8))
FINGER = (
    '<body name="finger" pos="1.6 0 -.3"><freejoint/><geom size=".05" mass=".01" contype="0" conaffinity="0"/></body>'
)
SCENES = {
    "1:1000": scene(chain(8, 10.0)),
    "1:100000": scene(chain(8, 1000.0)),
    "1:10000000": scene(chain(8, 1e5)),
    "twenty links": scene(chain(20, 1.0, light=0.001)),
    "sixty links": scene(chain(60, 100.0)),
    "sixty equal links": scene(chain(60, LIGHT)),
    "tiny armature": scene(chain(8, 100.0, 'armature="1e-9"', 0.001)),
    "implicit": scene(chain(8, 1000.0), 'integrator="implicit"'),
    "implicitfast with servos": scene(chain(8, 100.0), 'integrator="implicitfast"', f"<actuator>{SERVOS}</actuator>"),
    "Runge and Kutta": scene(chain(8, 1000.0), 'integrator="RK4"'),
    "limits": scene(chain(8, 100.0, 'range="-.2 .2" limited="true"')),
    "dry friction": scene(chain(8, 100.0, 'frictionloss=".1"')),
    "contact": scene(FLOOR + chain(8, 100.0, group=2)),
    "elliptic contact": scene(FLOOR + chain(8, 100.0, group=2), 'cone="elliptic"'),
    "conjugate gradients": scene(FLOOR + chain(8, 100.0, group=2), 'solver="CG"'),
    "Gauss and Seidel": scene(FLOOR + chain(8, 100.0, group=2), 'solver="PGS" iterations="500"'),
    "noslip": scene(FLOOR + chain(8, 100.0, group=2), 'noslip_iterations="3"'),
    "exact diagonal": scene(FLOOR + chain(8, 100.0, group=2)).replace("/><w", '><flag diagexact="enable"/></option><w'),
    "free base": scene(floating(chain(8, 1000.0), 1.0)),
    "light free base": scene(floating(chain(8, 1000.0), 0.001)),
    "two trees": scene(
        chain(8, 100.0) + FINGER, rest='<equality><connect body1="load" body2="finger" anchor="0 0 -.1"/></equality>'
    ),
    "gravity compensation": scene(chain(8, 1000.0).replace('name="load"', 'name="load" gravcomp="1"')),
    "tendon armature": scene(
        chain(8, 1000.0),
        rest='<tendon><fixed armature=".01"><joint joint="j0" coef="1"/><joint joint="j3" coef="-1"/></fixed></tendon>',
    ),
    "ball joints": scene(chain(6, 1000.0).replace('name="j2" axis="1 1 0"', 'name="j2" type="ball"')),
}

TIED = {
    "weld": scene(chain(8, 100.0), rest='<equality><weld body1="load"/></equality>'),
    "connect": scene(chain(8, 100.0), rest='<equality><connect body1="load" anchor="0 0 0"/></equality>'),
    "limits of forty links": scene(chain(40, 10.0, 'range="-.05 .05" limited="true"')),
}
"""Where MuJoCo's answer is another one: its rows are of poses in float64, or its solver stops earlier."""


@pytest.mark.parametrize("name", SCENES)
def test_a_step_is_mujocos_whatever_a_chain_carries(name, device):
    mj = oracle.compile_xml(SCENES[name])
    states = oracle.rollout_states(mj, WORLDS, length=20, every=1, speed=0.05, scale=0.01)
    engine = Engine(mj, states, device).step()
    assert engine.m.nfloat64 == mj.nv
    want = oracle.step(mj, states).qvel - states.qvel
    got = engine.read("qvel") - states.qvel
    assert np.abs(got - want).max() <= tolerance("loaded_step") * np.abs(want).max()
    assert not engine.read("lost_digits").any()


@pytest.mark.parametrize("name", TIED)
def test_accelerations_are_those_of_the_rows_solved_in_float64(name, device):
    mj = oracle.compile_xml(TIED[name])
    states = oracle.rollout_states(mj, WORLDS, length=20, every=1, speed=0.05, scale=0.01)
    engine = Engine(mj, states, device, mode="staged").forward()
    for w in range(WORLDS):
        data, rows = oracle.forward(mj, states, w), slice(0, engine.read("nefc")[w])
        active = engine.read("efc_force")[w, rows] != 0
        aref, weight = (engine.read(name)[w, rows][active].astype(float) for name in ("efc_aref", "efc_D"))
        jac = dense_jacobian(mj, data)[active]
        system = dense_mass_matrix(mj, data) + jac.T @ (weight[:, None] * jac)
        want = np.linalg.solve(system, data.qfrc_smooth + jac.T @ (weight * aref))
        assert np.abs(engine.read("qacc")[w] - want).max() <= tolerance("loaded_rows") * np.abs(want).max()


def test_forces_and_matrices_are_those_of_the_joints_after_the_solver(device):
    mj = oracle.compile_xml(SCENES["contact"])
    states = oracle.rollout_states(mj, 2, length=20, every=1, speed=0.05)
    engine = Engine(mj, states, device, mode="staged").forward()
    for w in range(2):
        data = oracle.forward(mj, states, w)
        nefc = data.nefc
        assert engine.read("nefc")[w] == nefc
        pairs = {
            "M": (engine.read("M")[w], dense_mass_matrix(mj, data)),
            "J": (engine.read("efc_J")[w, :nefc], dense_jacobian(mj, data)),
            "smooth": (engine.read("qfrc_smooth")[w], data.qfrc_smooth),
            "constraint": (engine.read("qfrc_constraint")[w], data.qfrc_constraint),
            "qacc_smooth": (engine.read("qacc_smooth")[w], data.qacc_smooth),
        }
        for name, (got, want) in pairs.items():
            assert np.abs(got - want).max() <= tolerance("loaded_rows") * np.abs(want).max(), name
        assert_same(engine.read("qacc_warmstart")[w], states.qacc_warmstart[w].astype(np.float32))


def test_robots_keep_float32(device):
    for name in ("humanoid", "many_small_trees", "equality_weld", "spider_over_fifty_joints"):
        mj = oracle.named_model(name)
        assert held_over_free(mj) < LOST / 10
        assert put_model(mj, device=device).nfloat64 == 0


def test_the_ratio_of_held_and_free_inertia_is_that_of_the_mass_matrix():
    mj = oracle.compile_xml(scene(chain(6, 1.0)))
    still = np.zeros((1, mj.nv))
    states = oracle.States(mj.qpos0[None], still, still, np.zeros((1, mj.nu)))
    mass = dense_mass_matrix(mj, oracle.forward(mj, states))
    assert_close(held_over_free(mj), (np.diag(mass) * np.diag(np.linalg.inv(mass))).max(), "integrator")


def test_a_body_that_only_slides_is_free_whatever_its_armature():
    slider = '<body><joint type="slide" axis="1 0 0" armature="1e6"/><geom size=".1" mass=".001"/></body>'
    assert held_over_free(oracle.compile_xml(scene(slider))) == pytest.approx(1.0)
