"""Lists of a model's structure under MuJoCo Warp's names: pairs of geoms by MuJoCo's rules of who meets whom, taxels, trees."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from tests import oracle, oracle_functions

XML = """<mujoco><worldbody>
<geom name="floor" type="plane" size="1 1 .1" pos="0 0 .15"/><geom name="wall" size=".1" pos="0 0 .1"/>
<body name="a" pos="0 0 .1"><freejoint/><geom name="a" size=".1"/>
  <body name="b" pos="0 0 .05"><joint axis="0 1 0"/><geom name="b" size=".1"/><geom name="b2" size=".1" contype="0"/>
    <body name="c" pos="0 0 .05"><geom name="c" size=".1"/></body></body></body>
<body name="d" pos="0 0 .1"><freejoint/><geom name="d" size=".1"/></body>
<body name="e" pos="0 0 .1"><freejoint/><geom name="e" size=".1" contype="2" conaffinity="2"/></body>
</worldbody>
<contact><exclude body1="a" body2="d"/><pair geom1="d" geom2="c"/><pair geom1="e" geom2="floor"/></contact>
<sensor><distance body1="d" geom2="floor"/><normal geom1="floor" geom2="d"/><distance geom1="a" geom2="b"/></sensor></mujoco>"""


@pytest.fixture(scope="module")
def scene():
    host = oracle.compile_xml(XML)
    return host, mjw.put_model(host, device="cpu")


def test_pairs_that_are_not_skipped_are_those_that_touch_in_mujoco(scene):
    host, m = scene
    data = oracle_functions.empty_data(host)
    data.qpos[:] += 1e-3 * np.random.default_rng(0).normal(size=host.nq)  # all overlap
    oracle_functions.forward_into(host, data)
    touching = {tuple(sorted(pair)) for pair in data.contact.geom.tolist()}
    pairs, ids = m.nxn_geom_pair.numpy(), m.nxn_pairid.numpy()
    assert len(pairs) == host.ngeom * (host.ngeom - 1) // 2 and (pairs[:, 0] < pairs[:, 1]).all()
    assert {tuple(pair) for pair in pairs[ids[:, 0] > -2].tolist()} == touching
    named = {tuple(sorted((host.pair_geom1[i], host.pair_geom2[i]))): i for i in range(host.npair)}
    assert {tuple(pair): i for pair, i in zip(pairs.tolist(), ids[:, 0].tolist(), strict=True) if i >= 0} == named


def test_pairs_that_sensors_measure_are_numbered_once(scene):
    host, m = scene
    ids, pairs = m.nxn_pairid.numpy(), m.nxn_geom_pair.numpy()
    at = {name: host.geom(name).id for name in ("floor", "a", "b", "d")}
    first = next(i for i, pair in enumerate(pairs.tolist()) if pair == [at["floor"], at["d"]])
    second = next(i for i, pair in enumerate(pairs.tolist()) if pair == [at["a"], at["b"]])
    assert m.nsensorcollision == 2 and ids[first, 1] == 0 and ids[second].tolist() == [-2, 1]
    kept = (ids[:, 0] > -2) | (ids[:, 1] >= 0)
    assert np.array_equal(m.nxn_geom_pair_filtered.numpy(), pairs[kept])
    assert np.array_equal(m.nxn_pairid_filtered.numpy(), ids[kept])


def test_dofs_above_and_levels_follow_the_tree(scene):
    host, m = scene
    above = m.body_isdofancestor.numpy()
    for body in range(host.nbody):
        own, b = set(), body
        while b:
            own |= set(range(host.body_dofadr[b], host.body_dofadr[b] + host.body_dofnum[b]))
            b = host.body_parentid[b]
        assert set(np.flatnonzero(above[body])) == own
    assert [level.numpy().tolist() for level in m.body_tree] == [[0], [1, 4, 5], [2], [3]]
    assert (
        len(m.dof_tri_row.numpy()) == host.nv * (host.nv + 1) // 2
        and (m.dof_tri_row.numpy() <= m.dof_tri_col.numpy()).all()
    )


def test_taxels_are_the_vertices_of_meshes():
    host = oracle.compile_xml(
        """<mujoco><asset><mesh name="p" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"/></asset>
        <worldbody><body><freejoint/><geom type="mesh" mesh="p"/><body><geom name="w" size=".1"/></body></body>
        <body><freejoint/><geom name="v" size=".1"/></body></worldbody>
        <sensor><tactile geom="v" mesh="t"/><tactile geom="w" mesh="p"/></sensor></mujoco>"""
    )
    m = mjw.put_model(host, device="cpu")
    assert m.nsensortaxel == 9 and m.taxel_sensorid.numpy().tolist() == [0] * 5 + [1] * 4
    assert m.taxel_vertadr.numpy().tolist() == [4, 5, 6, 7, 8, 0, 1, 2, 3]
    assert m.ntactileweld == 2 and m.weld_tactile_id.numpy().tolist() == [-1, 0, -1, 1]
