"""Broad phases of a pipeline: sweeping finds what looking at every pair finds."""

import numpy as np
import pytest

import newtonlite as newton
from tests.collide.scenes import KINDS, corner
from tests.tolerance import assert_same

ROWS = ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal", "margin0", "margin1")
CHAIN = """<mujoco><worldbody><body name="a" pos="0 0 .3"><freejoint/><geom size=".1"/><geom type="box" size=".1 .1 .1" pos=".15 0 0" contype="2" conaffinity="1"/>
<body name="b" pos=".2 0 0"><joint/><geom type="capsule" size=".08 .1" contype="3" conaffinity="2"/><body pos="0 .2 0"><geom size=".12"/>
<body name="c" pos="0 .2 0"><joint/><geom type="cylinder" size=".1 .1"/></body></body></body></body>
<body name="d" pos="0 0 .5"><freejoint/><geom size=".2" conaffinity="6"/></body><geom type="box" size=".2 .2 .2" pos=".3 0 .2"/></worldbody>
<contact><exclude body1="a" body2="c"/></contact></mujoco>"""


def crowd(seed: int, count: int = 24) -> newton.ModelBuilder:
    """Shapes of random kinds, groups and bodies, some two to a body and some on the world, some filtered, and a chain from a file among them."""
    b, rng = newton.ModelBuilder(), np.random.default_rng(seed)
    b.add_mjcf(CHAIN)
    first, body = b.shape_count, -1
    for _ in range(count):
        spot, q = rng.uniform(-0.5, 0.5, 3), rng.normal(size=4)
        still = rng.random() < 0.1
        if rng.random() > 0.25 and not still:
            body = b.add_body(xform=(tuple(spot), tuple(q / np.linalg.norm(q))))
        cfg = b.ShapeConfig(gap=0.01, margin=float(rng.choice([0.0, 0.005])), collision_group=int(rng.choice([1, 1, 1, 2, 3, -1, -2, 0])))
        KINDS[list(KINDS)[rng.integers(len(KINDS))]](b, -1 if still else body, cfg)
    for a, c in rng.integers(0, first + count, (20, 2)).tolist():
        if a != c:
            b.add_shape_collision_filter_pair(a, c)
    if seed % 2:
        b.body_flags[-1] = newton.BodyFlags.KINEMATIC
    return b


def listed(model, phase: str) -> tuple:
    """The pipeline, and its rows."""
    pipeline = newton.CollisionPipeline(model, broad_phase=phase, rigid_contact_max=20000)
    contacts = pipeline.contacts()
    pipeline.collide(model.state(), contacts)
    n = int(contacts.rigid_contact_count.numpy()[0])
    return pipeline, [getattr(contacts, f"rigid_contact_{name}").numpy()[:n] for name in ROWS]


@pytest.mark.parametrize("worlds", (1, 2))
@pytest.mark.parametrize("seed", range(4))
def test_a_sweep_finds_the_contacts_of_all_pairs(seed, worlds, device):
    """The same rows to the last bit, in the same order, and without a list of the engine's pairs."""
    b = newton.ModelBuilder()
    b.add_ground_plane(cfg=b.ShapeConfig(gap=0.01))
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.01), xform=((0.0, 0.0, -0.4), (0, 0, 0, 1)))
    b.replicate(crowd(seed), worlds)
    model = b.finalize(device=device)
    _, want = listed(model, "nxn")
    pipeline, swept = listed(model, "sap")
    assert len(want[0]) > 60 and pipeline.nworld == worlds and pipeline.lost == pipeline.lost_pairs == 0
    assert pipeline.sweeps and not newton.CollisionPipeline(model, broad_phase="nxn").sweeps
    explicit = listed(model, "explicit")[1]
    for a, c, e in zip(swept, want, explicit, strict=True):
        assert_same(a, c)
        assert_same(e, c)


def test_worlds_that_differ_are_listed(device):
    """They go as one, in which shapes of two worlds must not meet."""
    b = newton.ModelBuilder()
    for seed in (0, 1):
        b.add_world(crowd(seed, 8 + seed))
    model = b.finalize(device=device)
    pipeline, swept = listed(model, "sap")
    assert not pipeline.sweeps
    for a, c in zip(swept, listed(model, "nxn")[1], strict=True):
        assert_same(a, c)
    world = model.shape_world.numpy()
    assert (world[swept[0]] == world[swept[1]]).all()
