"""Which geom pairs are candidates: those MuJoCo would collide, in the order in which it lists contacts."""

from types import SimpleNamespace

import numpy as np
import pytest

from newtonlite.solvers.mujoco.kernels.collide.geom_pairs import CELL, COLLIDERS, candidate_pairs
from tests import oracle

FILTERS = """
<mujoco>
  <option><flag filterparent="{filterparent}"/></option>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <geom name="wall" type="plane" size="1 1 1" euler="0 90 0" pos=".5 0 0"/>
    <body name="A"><freejoint/>
      <geom name="a1" size=".1"/><geom name="a2" type="capsule" size=".1 .1" pos=".05 0 0"/><geom name="a3" type="box" size=".1 .1 .1"/>
      <body name="B" pos="0 .05 0"><joint/>
        <geom name="b1" size=".1"/><geom name="b2" type="box" size=".1 .1 .1"/>
        <body name="welded"><geom name="w" size=".11"/></body>
        <body name="C"><joint type="slide"/><geom name="c" size=".12"/><geom name="ghost" size=".2" contype="0" conaffinity="0"/></body>
      </body>
    </body>
    <body name="M" mocap="true"><geom name="m" size=".1"/></body>
    <body name="N" mocap="true"><geom name="n" size=".1"/></body>
    <body name="S"><geom name="s" size=".1"/><body name="T"><joint/><geom name="t" size=".1" contype="2" conaffinity="4"/></body></body>
    <body name="U"><joint/><geom name="u" size=".1" contype="4" conaffinity="2"/></body>
    <body name="V"><freejoint/><geom name="v" size=".1" contype="0" conaffinity="2"/></body>
  </worldbody>
  <contact>
    <pair geom1="c" geom2="a1"/><pair geom1="b1" geom2="a1"/><pair geom1="s" geom2="floor"/><pair geom1="ghost" geom2="a3"/>
    <exclude body1="A" body2="C"/><exclude body1="U" body2="S"/>
  </contact>
</mujoco>
"""


def pair_names(mj, geoms) -> list:
    return [tuple(mj.geom(int(g)).name for g in pair) for pair in geoms]


@pytest.mark.parametrize("filterparent", ["enable", "disable"])
def test_filters_are_those_of_mujoco(filterparent):
    """All bodies overlap at the origin, so every pair that passes the filters has a contact."""
    mj = oracle.compile_xml(FILTERS.format(filterparent=filterparent))
    data = oracle.mujoco.MjData(mj)
    oracle.mujoco.mj_forward(mj, data)
    touching = list(dict.fromkeys(pair_names(mj, [c.geom for c in data.contact])))
    assert pair_names(mj, candidate_pairs(mj)["cand_geom"]) == touching


def test_explicit_pairs_name_their_parameters():
    mj = oracle.compile_xml(FILTERS.format(filterparent="enable"))
    pairs = candidate_pairs(mj)
    for geoms, pairid in zip(pairs["cand_geom"], pairs["cand_pairid"], strict=True):
        named = {(mj.pair_geom1[i], mj.pair_geom2[i]): i for i in range(mj.npair)}
        assert pairid == named.get(tuple(geoms), named.get(tuple(geoms[::-1]), -1))


def test_cells_hold_every_candidate_once():
    """Of each cell, the geom, the others whose bits are set, and the candidates listed belong together."""
    mj = oracle.compile_xml(FILTERS.format(filterparent="enable"))
    pairs = candidate_pairs(mj)
    listed, members = pairs["cand_of_cell"], pairs["cell_geom"]
    assert sorted(listed) == list(range(len(pairs["cand_geom"])))
    assert set(members) == set(pairs["cand_geom"].ravel())
    found = 0
    for place, first, mask, start in pairs["cand_cell"]:
        assert start == found
        others = [members[first + bit] for bit in range(CELL) if mask >> bit & 1]
        of_cell = listed[start : start + len(others)]
        assert pairs["cand_geom"][of_cell].tolist() == [[members[place], other] for other in others]
        explicit = pairs["cand_pairid"][of_cell] >= 0
        assert explicit.any() == (start >= len(listed) - mj.npair) and (len(others) == 1 or not explicit.any())
        found += len(others)
    assert found == len(listed)


def test_such_shapes_are_welcome_where_they_cannot_meet():
    body = '<body><freejoint/><geom type="cylinder" size=".1 .1" contype="2" conaffinity="{0}"/></body>'.format
    floor = '<geom type="plane" size="1 1 1" conaffinity="2"/>'
    mj = oracle.compile_xml(f"<mujoco><worldbody>{floor}{body(0)}{body(0)}</worldbody></mujoco>")
    assert candidate_pairs(mj)["cand_geom"].tolist() == [[0, 1], [0, 2]]


def test_two_planes_never_meet():
    mj = oracle.compile_xml(
        '<mujoco><worldbody><geom name="a" type="plane" size="1 1 1"/><geom name="b" type="plane" size="1 1 1"/></worldbody>'
        '<contact><pair geom1="a" geom2="b"/></contact></mujoco>'
    )
    assert len(candidate_pairs(mj)["cand_geom"]) == 0


def test_geom_pairs_of_a_compiled_model_can_be_left_out():
    mj = oracle.compile_xml(FILTERS.format(filterparent="enable"))
    fields = {
        name: getattr(mj, name) for name in dir(mj) if name.startswith(("geom_", "body_", "pair_", "exclude_", "opt"))
    }
    fewer = SimpleNamespace(**fields, geom_exclude=np.array([[mj.geom("u").id, mj.geom("t").id]]))
    every, rest = (pair_names(mj, candidate_pairs(model)["cand_geom"]) for model in (mj, fewer))
    assert [pair for pair in every if pair not in rest] == [("t", "u")]


def test_every_collider_is_for_an_ordered_pair_of_types():
    assert all(first <= second for first, second in COLLIDERS)
