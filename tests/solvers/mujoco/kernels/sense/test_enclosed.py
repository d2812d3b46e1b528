"""How far shapes jut out of zones: beside the greatest signed distance over many of their points, and beside MuJoCo's
search for it.
"""

import numpy as np
import pytest

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import ModelError
from tests import oracle
from tests.harness.sensing import forwards, measured
from tests.tolerance import assert_close, tolerance

SIZES = {"sphere": ".3", "capsule": ".2 .25", "ellipsoid": ".3 .4 .5", "cylinder": ".3 .35", "box": ".3 .4 .5"}
SHAPES = {
    "sphere": ".1",
    "capsule": ".08 .15",
    "ellipsoid": ".1 .2 .15",
    "cylinder": ".12 .15",
    "box": ".1 .15 .2",
    "mesh": "",
}
DENSE = 1200


def scene() -> str:
    """Every shape on a body of its own near every zone, and sensors of all pairs, of a site, of a body and of a
    subtree.
    """
    zones = "".join(
        f'<site name="{z}" type="{z}" size="{size}" pos=".05 .02 .03" euler="20 30 {40 * k}"/>'
        for k, (z, size) in enumerate(SIZES.items())
    )
    geom = lambda g, size: f'<geom name="{g}" type="{g}" ' + (f'size="{size}"/>' if size else 'mesh="m"/>')
    bodies = "".join(f'<body name="{g}"><freejoint/>{geom(g, size)}</body>' for g, size in SHAPES.items())
    bodies += """<body name="two"><freejoint/><site name="own" type="capsule" size=".1 .2"/><geom size=".1"/><geom size=".05" pos=".2 0 0"/>
        <body pos="0 0 .3"><joint/><geom size=".06" pos=".3 .2 0"/></body></body>"""
    sensors = "".join(
        f'<insidesite objtype="geom" objname="{g}" site="{z}" enclosed="true"/>' for z in SIZES for g in SHAPES
    )
    sensors += "".join(
        f'<insidesite objtype="{kind}" objname="{name}" site="box" enclosed="true" cutoff=".4"/>'
        for kind, name in (("site", "own"), ("body", "two"), ("xbody", "two"))
    )
    sensors += '<insidesite objtype="body" objname="two" site="box"/>'
    mesh = '<mesh name="m" vertex="0 0 0 .3 0 0 0 .2 0 0 0 .25 .1 .1 .2"/>'
    return f"<mujoco><asset>{mesh}</asset><worldbody>{zones}{bodies}</worldbody><sensor>{sensors}</sensor></mujoco>"


@pytest.fixture(scope="module")
def case(device):
    mj = oracle.compile_xml(scene())
    states = oracle.rollout_states(mj, 12)
    rng = np.random.default_rng(4)
    free = states.qpos[:, :-1].reshape(12, -1, 7)
    free[..., :3] = rng.normal(size=free[..., :3].shape) * np.where(np.arange(12) % 2, 0.3, 0.04)[:, None, None]
    quat = rng.normal(size=free[..., 3:].shape)
    free[..., 3:] = quat / np.linalg.norm(quat, axis=-1, keepdims=True)
    states.qpos[:] = states.qpos.astype(np.float32)
    return mj, forwards(mj, states), measured(mj, states, device)


def points(mj, g: int) -> np.ndarray:
    """Points [n, 3] of a shape in its frame, all its extreme ones among them or nearly so."""
    size, kind = mj.geom_size[g], mj.geom(g).name
    turn, height = np.meshgrid(np.linspace(0, 2 * np.pi, DENSE // 4), np.linspace(-1, 1, 201))
    ball = np.stack([np.cos(turn) * np.sqrt(1 - height**2), np.sin(turn) * np.sqrt(1 - height**2), height], -1).reshape(
        -1, 3
    )
    if kind == "mesh":
        return mj.mesh_vert.astype(float)
    if kind == "box":
        return np.stack(np.meshgrid(*([[-1, 1]] * 3)), -1).reshape(-1, 3) * size
    if kind == "cylinder":
        turn = np.linspace(0, 2 * np.pi, DENSE)
        return np.concatenate(
            [
                np.stack([size[0] * np.cos(turn), size[0] * np.sin(turn), z * np.ones(DENSE)], -1)
                for z in (-size[1], size[1])
            ]
        )
    if kind == "ellipsoid":
        return ball * size
    return ball * size[0] + (kind == "capsule") * np.sign(ball[:, 2:]) * [0, 0, size[1]]


def distances(kind: str, size, p: np.ndarray) -> np.ndarray:
    """Signed distances of points from a zone in its frame; of an ellipsoid by the nearest of its own points."""
    if kind == "sphere":
        return np.linalg.norm(p, axis=1) - size[0]
    if kind == "capsule":
        return np.linalg.norm(p - np.clip(p[:, 2:], -size[1], size[1]) * [0, 0, 1], axis=1) - size[0]
    q = (
        np.stack([np.hypot(p[:, 0], p[:, 1]) - size[0], np.abs(p[:, 2]) - size[1]], -1)
        if kind == "cylinder"
        else np.abs(p) - size
    )
    return np.minimum(q.max(axis=1), 0) + np.linalg.norm(np.maximum(q, 0), axis=1)


def test_it_is_the_greatest_distance_over_the_shape(case):
    mj, datas, got = case
    for s in range(mj.nsensor - 4):
        zone, g = int(mj.sensor_refid[s]), int(mj.sensor_objid[s])
        if mj.site(zone).name == "ellipsoid":
            continue
        for row, data in zip(got, datas):
            where = data.geom_xpos[g] + points(mj, g) @ data.geom_xmat[g].reshape(3, 3).T
            local = (where - data.site_xpos[zone]) @ data.site_xmat[zone].reshape(3, 3)
            most = distances(mj.site(zone).name, mj.site_size[zone], local).max()
            assert_close(row[mj.sensor_adr[s]], most, "jut", floor=1.0, what=f"{mj.site(zone).name} {mj.geom(g).name}")


def test_mujocos_search_finds_it_or_less(case):
    mj, datas, got = case
    want = np.array([data.sensordata for data in datas])
    assert (want - got).max() < tolerance("hit_distance")
    same = np.abs(want - got) < tolerance("jut_found")
    outside = got[:, :-4] > 0.05
    assert same[:, :-4][outside].mean() > 1 - tolerance("jut_lost")  # the search stops early inside, mostly
    balls = [
        s
        for s in range(mj.nsensor - 4)
        if mj.geom(mj.sensor_objid[s]).name in ("sphere", "capsule") and mj.site(mj.sensor_refid[s]).name != "cylinder"
    ]
    assert same[:, balls].mean() > 1 - tolerance("jut_lost")


def test_sites_bodies_and_subtrees_are_watched_and_bounded(case):
    mj, datas, got = case
    want = np.array([data.sensordata for data in datas])
    assert_close(got[:, -1], want[:, -1], "same")
    for column in (-2, -3, -4):
        assert (np.abs(want[:, column] - got[:, column]) < tolerance("jut_found")).mean() > 1 - tolerance("jut_lost")
        assert np.abs(got[:, column]).max() <= np.float32(0.4)
    assert (got[:, -2] >= got[:, -3]).all() and (got[:, -2] > got[:, -3]).any()


def test_a_file_asks_for_it(case):
    compiled = mjw.load(scene())
    m = mjw.put_model(compiled)
    assert m.nsenseenclosed == len(SIZES) * len(SHAPES) + 3
    assert (np.asarray(compiled.sensor_datatype) == case[0].sensor_datatype).all()
    with pytest.raises(ModelError, match="enclosed"):
        mjw.put_model(
            mjw.load(
                '<mujoco><worldbody><site name="s"/><geom name="g" type="plane" size="1 1 1"/></worldbody>'
                '<sensor><insidesite objtype="geom" objname="g" site="s" enclosed="true"/></sensor></mujoco>'
            )
        )
