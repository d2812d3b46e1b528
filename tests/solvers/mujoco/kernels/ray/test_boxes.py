"""Boxes around geoms: rays meet what they meet without them, and what MuJoCo's meet, and look at few geoms."""

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.derive.ray import BOXED_GEOMS, BOXED_RAYS
from newtonlite.solvers.mujoco.raycast import KEPT, MOST_KEPT, RayHits, cast_into, ray
from tests import oracle
from tests.harness.engine import Engine
from tests.solvers.mujoco.kernels.ray.test_raycast import assert_seen, rays
from tests.tolerance import assert_close, tolerance

SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "hfield")
WEDGE = "0 0 0 .5 0 0 0 .4 0 0 0 .3 .5 .4 .2"


def crowd(count: int, floor: str = "", sensors: int = 0):
    """Geoms of every kind, some of which move, in no order; rangefinders on a body among them."""
    rng = np.random.default_rng(3)
    lines = []
    for i in range(count):
        kind = SHAPES[i % len(SHAPES)]
        size = " ".join(map(str, rng.uniform(0.05, 0.3, 3)))
        form = {"mesh": 'mesh="wedge"', "hfield": 'hfield="hills"'}.get(kind, f'size="{size}"')
        place = " ".join(map(str, rng.uniform((-2, -2, 0.2), (2, 2, 2))))
        turn = "" if kind == "hfield" else f'euler="{" ".join(map(str, rng.uniform(-90, 90, 3)))}"'
        geom = f'<geom type="{kind}" {form} group="{i % 5}" contype="0" conaffinity="0"'
        if kind == "hfield" or i % 3:
            lines.append(f'{geom} pos="{place}" {turn}/>')
        else:
            lines.append(f'<body pos="{place}"><freejoint/>{geom} {turn}/></body>')
    sites = "".join(f'<site name="s{i}" pos="0 0 .1" euler="{40 * i} {25 * i} 0"/>' for i in range(sensors))
    sensed = "".join(f'<rangefinder site="s{i}"/>' for i in range(sensors))
    return oracle.compile_xml(
        f"""<mujoco><option gravity="0 0 -1"/><asset><mesh name="wedge" vertex="{WEDGE}"/>
        <hfield name="hills" nrow="4" ncol="5" size=".4 .3 .2 .1" elevation="{" ".join(str(i % 3) for i in range(20))}"/></asset>
        <worldbody>{floor}<body pos="0 0 1"><freejoint/><geom size=".01"/>{sites}</body>{"".join(lines)}</worldbody>
        <sensor>{sensed}</sensor></mujoco>"""
    )


@pytest.fixture(scope="module")
def scene(device):
    mj = crowd(150)
    states = oracle.rollout_states(mj, 20, length=3, every=1)
    return mj, states, Engine(mj, states, device)


@pytest.mark.parametrize("choice", [{}, {"flg_static": False}, {"bodyexclude": 0}, {"geomgroup": (0, 1, 0, 1, 0, 1)}])
def test_rays_meet_what_mujocos_meet_among_many_geoms(choice, scene):
    assert_seen(*scene, **choice)
    assert scene[2].m.nraybox == 151 + 19 + 3


@pytest.mark.parametrize("floor", ["", '<geom type="plane" size="0 0 1"/>'])
@pytest.mark.parametrize("count", [20, 64, 130])
def test_bits_are_those_without_boxes(count, floor, device, monkeypatch):
    mj = crowd(count, floor)
    states = oracle.rollout_states(mj, 20, length=3, every=1)
    pnt, vec = rays(2)
    vec[:, ::7] = np.eye(3)[np.arange(len(vec[0, ::7])) % 3]  # along the axes
    boxed = Engine(mj, states, device)
    met = ray(boxed.schedule, pnt, vec)
    assert boxed.m.nraybox > 0
    monkeypatch.setattr("newtonlite.solvers.mujoco.derive.ray.BOXED_GEOMS", 10**6)
    each = Engine(mj, states, device)
    want = ray(each.schedule, pnt, vec)
    assert each.m.nraybox == 0 and (want.geomid.numpy() >= 0).sum() > 100
    for name, a, b in zip(RayHits._fields, met, want):
        assert np.array_equal(a.numpy(), b.numpy()), name


def test_few_rays_and_few_geoms_have_no_boxes(device):
    for count, sensors in ((BOXED_GEOMS, BOXED_RAYS - 1), (BOXED_GEOMS - 2, BOXED_RAYS)):
        mj = crowd(count - 1, sensors=sensors)
        assert Engine(mj, oracle.rollout_states(mj, 1, length=1, every=1), device).m.nraybox == 0


def test_rangefinders_among_many_geoms(device):
    mj = crowd(60, sensors=8)
    states = oracle.rollout_states(mj, 10, length=3, every=1)
    engine = Engine(mj, states, device, scratch="per_world").forward()
    assert engine.m.nraybox > 0
    want = np.array([oracle.forward(mj, states, i).sensordata for i in range(10)])
    assert (want > 0).sum() > 20
    assert_close(engine.d.sensordata.numpy()[:, : want.shape[1]], want, "hit_position", 1.0, "sensordata")


def test_a_size_that_changes_moves_its_box(device):
    mj = crowd(40)
    states = oracle.rollout_states(mj, 20, length=3, every=1)
    engine = Engine(mj, states, device)
    pnt, vec = rays(4)
    before = ray(engine.schedule, pnt, vec).dist.numpy()
    engine.m.set("geom_size", 2.0 * engine.m.geom_size.numpy())
    after = ray(engine.schedule, pnt, vec)
    mj.geom_size[:] *= 2.0
    want, geoms, _ = oracle.rays(mj, states, pnt, vec)
    same = after.geomid.numpy() == geoms
    assert same.mean() > 1 - tolerance("hit_ties") and not np.array_equal(before, after.dist.numpy())


def test_a_program_of_rays_is_prepared_once(scene):
    engine = scene[2]
    pnt, vec = (wp.array(a, dtype=wp.vec3, device=engine.m.device) for a in rays(5))
    new = lambda kind: wp.zeros((20, 60), dtype=kind, device=engine.m.device)
    seen, exclude = RayHits(new(float), new(int), new(wp.vec3)), wp.full(60, -1, dtype=int, device=engine.m.device)
    cast_into(engine.schedule, seen, pnt, vec, None, True, exclude)
    prepared = len(engine.schedule.jobs)
    cast_into(engine.schedule, seen, pnt, vec, None, True, exclude)
    assert len(engine.schedule.jobs) == prepared
    first, second = (ray(engine.schedule, pnt, vec) for _ in range(2))
    assert len(engine.schedule.jobs) == prepared + 1
    assert first.dist.ptr != second.dist.ptr
    for other in (first, second):
        for name, a, b in zip(RayHits._fields, seen, other):
            assert np.array_equal(a.numpy(), b.numpy()), name


def test_arrays_are_kept_for_few_numbers_of_rays(scene):
    engine = scene[2]
    pnt, vec = rays(6)
    for count in range(1, 3 * MOST_KEPT):
        ray(engine.schedule, pnt[:, :count], vec[:, :count])
    assert len(KEPT[engine.schedule]) <= MOST_KEPT


@pytest.mark.parametrize("shape, kind", [((20, 59), float), ((20, 60), int), ((1, 60), float)])
def test_arrays_that_do_not_hold_the_hits_are_refused(shape, kind, scene):
    engine = scene[2]
    pnt, vec = (wp.array(a, dtype=wp.vec3, device=engine.m.device) for a in rays(5))
    new = lambda shape, kind: wp.zeros(shape, dtype=kind, device=engine.m.device)
    with pytest.raises(StateError, match="dist"):
        cast_into(engine.schedule, RayHits(new(shape, kind), new((20, 60), int), new((20, 60), wp.vec3)), pnt, vec)


def test_bodies_to_pass_are_one_or_one_for_each_ray(scene):
    pnt, vec = rays(5)
    with pytest.raises(StateError, match="bodyexclude"):
        ray(scene[2].schedule, pnt, vec, bodyexclude=np.zeros(7, int))
