"""Contacts of scenes with meshes, cylinders, ellipsoids and height fields: MuJoCo's, one by one and in its order."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.memory import memory_report
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle
from tests.harness.engine import Engine
from tests.harness.expected import CONTACTS, deepest, expected
from tests.tolerance import tolerance

CONVERGED = '<option ccd_iterations="100" ccd_tolerance="1e-8"/>'
SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh")
SIZES = {"sphere": ".1", "capsule": ".06 .12", "ellipsoid": ".1 .15 .08", "cylinder": ".1 .1", "box": ".1 .15 .08"}
ROBOTS = {"mujoco_mjx/convex.xml": 400, "unitree_g1/g1_29dof.xml": 200}
WORLDS = 20


def mesh(seed: int) -> str:
    """Vertices of a solid with a flat base."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((14, 3))
    points = points / np.linalg.norm(points, axis=1)[:, None] * [0.12, 0.15, 0.1]
    points[:, 2] = np.maximum(points[:, 2], -0.05)
    return " ".join(f"{x:.4f}" for x in points.ravel())


def hills(n: int, seed: int) -> str:
    """Heights of a random walk."""
    heights = np.cumsum(np.random.default_rng(seed).normal(size=(n, n)), axis=0)
    return " ".join(f"{x:.4f}" for x in (heights - heights.min()).ravel())


def scene(ground: str, margin: float = 0.0, seed: int = 0) -> str:
    """Two of each shape falling in a heap on a plane or a height field."""
    rng = np.random.default_rng(seed)

    def body(i: int, kind: str) -> str:
        pos = f"{0.4 * (i % 3) - 0.4} {0.4 * (i // 3 % 2) - 0.2} {0.6 + 0.3 * (i // 6)}"
        turn = " ".join(f"{x:.3f}" for x in rng.uniform(-90, 90, 3))
        shape = 'type="mesh" mesh="m"' if kind == "mesh" else f'type="{kind}" size="{SIZES[kind]}"'
        return f'<body pos="{pos}" euler="{turn}"><freejoint/><geom {shape} margin="{margin}"/></body>'

    heights = " ".join(hills(14, seed).split()[:168])
    field = f'<hfield name="h" nrow="12" ncol="14" size="1 1.2 .4 .2" elevation="{heights}"/>'
    assets = f'<mesh name="m" vertex="{mesh(seed)}"/>{field}'
    floor = (
        '<geom type="plane" size="2 2 1"/>'
        if ground == "plane"
        else '<geom type="hfield" hfield="h" pos=".05 0 0" euler="2 3 10"/>'
    )
    bodies = "".join(body(i, kind) for i, kind in enumerate(SHAPES * 2))
    return f"<mujoco>{CONVERGED}<asset>{assets}</asset><worldbody>{floor}{bodies}</worldbody></mujoco>"


def run(mj, states, want, device) -> Engine:
    """The collision stages from MuJoCo's geom poses."""
    engine = Engine(mj, states, device, mode="staged", nconmax=300)
    for name in ("geom_xpos", "geom_xmat"):
        engine.fill(name, want[name])
    engine.run(pipeline.COLLISION)
    return engine


def check(mj, device, length: int, seed: int = 0, worlds: int = WORLDS):
    """Counts are equal in all worlds; contacts agree, but for some share of ties."""
    states = oracle.rollout_states(mj, worlds, seed=seed, length=length)
    want = expected(mj, states)
    engine = run(mj, states, want, device)
    assert want["ncon"].sum() > worlds
    differ = np.abs(engine.read("ncon") - want["ncon"])
    assert (differ > 0).mean() <= tolerance("scene_ties"), differ
    off = []
    for w in np.flatnonzero((differ == 0) & (want["ncon"] > 0)):
        used = slice(0, want["ncon"][w])
        np.testing.assert_array_equal(engine.read("contact_geom")[w, used], want["contact_geom"][w, used])
        np.testing.assert_array_equal(engine.read("contact_dim")[w, used], want["contact_dim"][w, used])
        for name, limit in (
            ("contact_dist", "hit_distance"),
            ("contact_pos", "patch_position"),
            ("contact_frame", "hit_normal"),
        ):
            error = np.abs(engine.read(name)[w, used] - want[name][w, used].reshape(engine.read(name)[w, used].shape))
            off += (error.reshape(len(error), -1).max(axis=1) > tolerance(limit)).tolist()
    assert np.mean(off) <= tolerance("scene_ties")


@pytest.mark.parametrize("margin", (0.0, 0.02))
@pytest.mark.parametrize("ground", ("plane", "hfield"))
def test_contacts_of_a_heap(ground, margin, device):
    check(oracle.compile_xml(scene(ground, margin)), device, length=600)


@pytest.mark.parametrize("robot", ROBOTS)
def test_contacts_of_robots(robot, assets, device):
    check(oracle.compile_xml(assets / "mjcf" / robot), device, ROBOTS[robot])


def test_guesses_of_separating_axes_change_nothing(device):
    """What earlier steps, other worlds or nobody left there: contacts are the same bit for bit."""
    mj = oracle.compile_xml(scene("plane", 0.02))
    states = oracle.rollout_states(mj, 8, length=600)
    engine = run(mj, states, expected(mj, states), device)
    first, rng = engine.arrays(), np.random.default_rng(0)
    left = first["convex_axis"], first["convex_corner"]
    length = np.linalg.norm(left[0], axis=-1)
    assert ((length > 0.999) & (length < 1.001)).sum() > 8 and (length == 0).any()
    for turn in (0.0, 0.1, 1.0, np.nan, 1e30):
        engine.fill("convex_axis", (left[0] + turn * rng.standard_normal(left[0].shape)).astype(np.float32))
        engine.fill("convex_corner", left[1] + rng.integers(-9, 9, left[1].shape) if turn else left[1])
        engine.run(pipeline.COLLISION)
        for name in ("ncon", *CONTACTS):
            np.testing.assert_array_equal(engine.read(name), first[name], name)


def test_every_contact_field_is_filled(device):
    mj = oracle.compile_xml(scene("plane"))
    states = oracle.rollout_states(mj, 3, length=600)
    want = expected(mj, states)
    engine = run(mj, states, want, device)
    assert set(CONTACTS) <= set(engine.arrays()) and np.isfinite(engine.read("contact_frame")).all()


@pytest.mark.parametrize("ground", ("plane", "hfield"))
def test_the_deepest_contacts_stay(ground, device):
    """Where few fit, the deepest contacts stay, in order, and the need is counted."""
    mj = oracle.compile_xml(scene(ground))
    states = oracle.rollout_states(mj, 4, length=600)
    want = expected(mj, states)
    every = run(mj, states, want, device)
    few = Engine(mj, states, device, mode="staged", nconmax=5)
    for name in ("geom_xpos", "geom_xmat"):
        few.fill(name, want[name])
    few.run(pipeline.COLLISION)
    assert every.read("ncon").max() > 5
    np.testing.assert_array_equal(few.read("ncon_needed"), every.read("ncon"))
    for w, n in enumerate(every.read("ncon")):
        kept = deepest(every.read("contact_dist")[w, :n], 5)
        for name in ("contact_dist", "contact_pos", "contact_frame", "contact_geom"):
            np.testing.assert_array_equal(few.read(name)[w, : len(kept)], every.read(name)[w, kept], name)


def test_meshes_without_candidates_cost_nothing(device):
    """Meshes to look at have no hull and need no scratch."""
    shape = '<geom type="mesh" mesh="m" contype="0" conaffinity="0" group="2"/><geom size=".1"/>'
    mj = oracle.compile_xml(
        f'<mujoco><asset><mesh name="m" vertex="{mesh(0)}"/></asset><worldbody><geom type="plane" size="1 1 1"/>'
        f"<body pos='0 0 1'><freejoint/>{shape}</body></worldbody></mujoco>"
    )
    m = put_model(mj, 1, device)
    assert m.nconvexpair == 0 and m.nhfieldpair == 0 and m.hull_vert.size == 0
    assert make_data(m, 1).nconmax == 1


@pytest.mark.parametrize("scratch", ["shared", "per_world"])
def test_only_models_with_convex_pairs_keep_convex_hits(scratch, device):
    """A ball on a plane has no arrays for them, in the data or in the report of its memory; a cylinder on a box has."""
    names = ("convex_hits", "convex_dist", "convex_pos", "convex_normal")
    for ground, falls in (("plane", "sphere"), ("box", "cylinder")):
        mj = oracle.compile_xml(
            f'<mujoco><worldbody><geom type="{ground}" size="1 1 1"/><body pos="0 0 1"><freejoint/>'
            f'<geom type="{falls}" size=".1 .1"/></body></worldbody></mujoco>'
        )
        m = put_model(mj, 1, device)
        report = memory_report(m, 3, scratch=scratch)
        said, data = {**report.scratch, **report.data}, make_data(m, 3, scratch=scratch)
        wanted = ground == "box"
        assert [name for name in names if said[name]] == (list(names) if wanted else [])
        if scratch == "per_world":
            assert [name for name in names if getattr(data, name).size] == (list(names) if wanted else [])
