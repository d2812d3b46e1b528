"""Broad phases of a pipeline: sweeping finds what looking at every pair finds."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.collide.near_pairs import SweptPairs
from tests.harness.collide_scenes import KINDS, corner
from tests.tolerance import assert_same

ROWS = ("shape0", "shape1", "point0", "point1", "offset0", "offset1", "normal", "margin0", "margin1")
CHAIN = """<mujoco><worldbody><body name="a" pos="0 0 .3"><freejoint/><geom size=".1"/><geom type="box" size=".1 .1 .1" pos=".15 0 0" contype="2" conaffinity="1"/>
<body name="b" pos=".2 0 0"><joint/><geom type="capsule" size=".08 .1" contype="3" conaffinity="2"/><body pos="0 .2 0"><geom size=".12"/>
<body name="c" pos="0 .2 0"><joint/><geom type="cylinder" size=".1 .1"/></body></body></body></body>
<body name="d" pos="0 0 .5"><freejoint/><geom size=".2" conaffinity="6"/></body><geom type="box" size=".2 .2 .2" pos=".3 0 .2"/></worldbody>
<contact><exclude body1="a" body2="c"/></contact></mujoco>"""


def crowd(seed: int, count: int = 24) -> newton.ModelBuilder:
    """Shapes of random kinds, groups and bodies, some two to a body and some on the world, some filtered, and a chain
    from a file among them.
    """
    b, rng = newton.ModelBuilder(), np.random.default_rng(seed)
    b.add_mjcf(CHAIN)
    first, body = b.shape_count, -1
    for _ in range(count):
        spot, q = rng.uniform(-0.5, 0.5, 3), rng.normal(size=4)
        still = rng.random() < 0.1
        if rng.random() > 0.25 and not still:
            body = b.add_body(xform=(tuple(spot), tuple(q / np.linalg.norm(q))))
        cfg = b.ShapeConfig(
            gap=0.01,
            margin=float(rng.choice([0.0, 0.005])),
            collision_group=int(rng.choice([1, 1, 1, 2, 3, -1, -2, 0])),
        )
        KINDS[list(KINDS)[rng.integers(len(KINDS))]](b, -1 if still else body, cfg)
    for a, c in rng.integers(0, first + count, (20, 2)).tolist():
        if a != c:
            b.add_shape_collision_filter_pair(a, c)
    if seed % 2:
        b.body_flags[-1] = newton.BodyFlags.KINEMATIC
    return b


def listed(model, phase: str, **options) -> tuple:
    """The pipeline, and its rows."""
    pipeline = newton.CollisionPipeline(model, broad_phase=phase, rigid_contact_max=20000, **options)
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
    assert all(isinstance(finder.near, SweptPairs) for finder in pipeline._outside.finders)
    assert pipeline.sweeps and not newton.CollisionPipeline(model, broad_phase="nxn").sweeps
    explicit = listed(model, "explicit")[1]
    for a, c, e in zip(swept, want, explicit, strict=True):
        assert_same(a, c)
        assert_same(e, c)


def test_worlds_that_differ_are_swept_outside_the_engine(device):
    """The engine takes them as one with a list; shapes of two worlds must not meet."""
    b = newton.ModelBuilder()
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.01), xform=((0.0, 0.0, -0.4), (0, 0, 0, 1)))
    for seed in (0, 1):
        b.add_world(crowd(seed, 8 + seed))
    model = b.finalize(device=device)
    pipeline, swept = listed(model, "sap")
    assert not pipeline.sweeps
    for a, c in zip(swept, listed(model, "nxn")[1], strict=True):
        assert_same(a, c)
    world = model.shape_world.numpy()
    one, two = world[swept[0]], world[swept[1]]
    assert ((one == two) | (one < 0) | (two < 0)).all() and set(one) == {-1, 0, 1}
    assert all(isinstance(finder.near, SweptPairs) for finder in pipeline._outside.finders)


@pytest.mark.parametrize("worlds", (1, 3))
def test_ground_soft_shapes_and_bodies_at_rest_are_swept(worlds, device):
    """Cones, meshes, soft shapes and a height field: the same rows, whatever is kinematic, with all pairs and without
    those of bodies at rest.
    """
    field = newton.Heightfield(
        np.random.default_rng(4).random((9, 9)).astype(np.float32), 9, 9, hx=1.0, hy=1.0, min_z=-0.5, max_z=-0.3
    )
    b = newton.ModelBuilder()
    b.add_shape_heightfield(heightfield=field, cfg=b.ShapeConfig(gap=0.01))
    one, rng = newton.ModelBuilder(), np.random.default_rng(5)
    for k in range(18):
        kind = ("cone", "mesh", "sphere", "box", "cylinder", "capsule")[k % 6]
        body = one.add_body(
            xform=(tuple(rng.uniform(-0.25, 0.25, 3) - [0, 0, 0.15]), (0, 0, 0, 1)), is_kinematic=k % 4 == 0
        )
        KINDS[kind](one, body, one.ShapeConfig(gap=0.01, is_hydroelastic=k % 6 > 1 and k % 3 == 0, kh=1e6))
    b.replicate(one, worlds)
    model = b.finalize(device=device)
    for rest in (True, False):
        (pipeline, swept), (_, want) = (
            listed(model, phase, include_static_kinematic_pairs=rest) for phase in ("sap", "nxn")
        )
        assert (
            all(isinstance(finder.near, SweptPairs) for finder in pipeline._outside.finders)
            and len(pipeline._outside.finders) == 3
        )
        assert len(want[0]) > 100 * worlds and pipeline.lost_pairs == 0
        for a, c in zip(swept, want, strict=True):
            assert_same(a, c)


def test_pairs_that_are_swept_and_have_no_room_are_counted(device):
    """Those whose boxes overlap most stay, as of a list."""
    b = newton.ModelBuilder()
    b.add_shape_mesh(-1, mesh=corner(), cfg=b.ShapeConfig(gap=0.01), xform=((0.0, 0.0, -0.4), (0, 0, 0, 1)))
    b.replicate(crowd(2), 2)
    model = b.finalize(device=device)
    found = []
    for phase in ("nxn", "sap"):
        with pytest.warns(newton.NewtonWarning, match="near pairs did not fit"):
            pipeline, rows = listed(model, phase, shape_pairs_max=20)
        found.append((rows, pipeline.lost_by_world()["pairs"].tolist()))
    assert found[0][1] == found[1][1] and sum(found[0][1]) > 0
    for a, c in zip(found[0][0], found[1][0], strict=True):
        assert_same(a, c)
