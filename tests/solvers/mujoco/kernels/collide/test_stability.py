"""Piles that stand or roll for seconds: they sink, creep and move no more than MuJoCo's do."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import tolerance

STEPS = 1000
CORNERS = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
FLOOR = '<geom type="plane" size="5 5 1"/>'


def stack(shape: str, count: int, height: float = 0.2) -> str:
    """A tower of ``count`` bodies, each ``height`` [m] high."""
    bodies = "".join(f'<body pos="0 0 {height * (i + 0.5)}"><freejoint/><geom {shape}/></body>' for i in range(count))
    return (
        f'<mujoco><asset><mesh name="cube" vertex="{CORNERS}"/></asset><worldbody>{FLOOR}{bodies}</worldbody></mujoco>'
    )


def lying(shape: str, pos: str, euler: str) -> str:
    """One body on the floor."""
    return f'<mujoco><worldbody>{FLOOR}<body pos="{pos}" euler="{euler}"><freejoint/><geom {shape}/></body></worldbody></mujoco>'


SCENES = {
    "ten boxes": stack('type="box" size=".1 .1 .1"', 10),
    "ten meshes": stack('type="mesh" mesh="cube"', 10),
    "five cylinders": stack('type="cylinder" size=".1 .1"', 5),
    "a cylinder on its side": lying('type="cylinder" size=".1 .2"', "0 0 .1", "90 0 0"),
    "a cylinder on a box": lying('type="cylinder" size=".05 .1"', "0 0 .3", "0 90 0").replace(
        FLOOR, FLOOR + '<geom type="box" size=".2 .2 .1" pos="0 0 .15"/>'
    ),
}


def moved(mj, qpos) -> np.ndarray:
    """How far [m] each body has gone from where it began."""
    return np.linalg.norm((qpos - mj.qpos0).reshape(-1, 7)[:, :3], axis=1)


@pytest.mark.parametrize("name", SCENES)
def test_what_stands_stands_as_in_mujoco(name, device):
    mj = oracle.compile_xml(SCENES[name])
    data = oracle.mujoco.MjData(mj)
    start = oracle.States(*(np.array([v]) for v in (mj.qpos0, np.zeros(mj.nv), np.zeros(mj.nv), np.zeros(mj.nu))))
    engine = Engine(mj, start, device).step(STEPS)
    oracle.mujoco.mj_step(mj, data, STEPS)
    ours, theirs = moved(mj, engine.read("qpos")[0]), moved(mj, data.qpos)
    speed = np.abs(engine.read("qvel")[0]).max()
    assert not engine.read("bad_count").any()
    assert ours.max() <= 1.5 * theirs.max() + tolerance("contact_rest") * 0.1, (
        f"moved by {ours.max():.1e} m, MuJoCo's by {theirs.max():.1e} m"
    )
    assert speed <= 2.0 * np.abs(data.qvel).max() + tolerance("contact_rest"), f"still moves at {speed:.1e}"


def pile(seed: int, count: int) -> str:
    """Meshes of random form that fall into a box."""
    rng = np.random.default_rng(seed)
    assets, bodies = "", ""
    for i in range(count):
        points = rng.standard_normal((12, 3))
        points = points / np.linalg.norm(points, axis=1)[:, None] * rng.uniform(0.06, 0.12, 3)
        assets += f'<mesh name="m{i}" vertex="{" ".join(f"{x:.4f}" for x in points.ravel())}"/>'
        x, y = 0.2 * (i % 3) - 0.2, 0.2 * (i // 3 % 3) - 0.2
        bodies += f'<body pos="{x} {y} {0.2 + 0.25 * (i // 9)}"><freejoint/><geom type="mesh" mesh="m{i}"/></body>'
    walls = "".join(
        f'<geom type="box" size=".02 .5 .5" pos="{0.45 * c} {0.45 * s} .5" euler="0 0 {a}"/>' for a, c, s in WALLS
    )
    return f"<mujoco><asset>{assets}</asset><worldbody>{FLOOR}{walls}{bodies}</worldbody></mujoco>"


WALLS = ((0, 1, 0), (0, -1, 0), (90, 0, 1), (90, 0, -1))


def test_a_pile_of_meshes_comes_to_rest(device):
    """After two seconds the deepest contact and the energy of motion are those of MuJoCo's pile."""
    mj = oracle.compile_xml(pile(0, 18))
    data = oracle.mujoco.MjData(mj)
    start = oracle.States(*(np.array([v]) for v in (mj.qpos0, np.zeros(mj.nv), np.zeros(mj.nv), np.zeros(mj.nu))))
    engine = Engine(mj, start, device, scratch="per_world").step(STEPS)
    oracle.mujoco.mj_step(mj, data, STEPS)
    assert not engine.read("overflow").any() and not engine.read("bad_count").any()
    height = lambda qpos: np.asarray(qpos).reshape(-1, 7)[:, 2].mean()
    assert abs(height(engine.read("qpos")[0]) - height(data.qpos)) <= 0.1 * height(data.qpos)
    deepest = -engine.read("contact_dist")[0, : engine.read("ncon")[0]].min()
    assert deepest <= 2.0 * -data.contact.dist.min() + tolerance("contact_rest") * 0.1
    assert np.square(engine.read("qvel")[0]).mean() <= np.square(data.qvel).mean() + tolerance("contact_rest")
