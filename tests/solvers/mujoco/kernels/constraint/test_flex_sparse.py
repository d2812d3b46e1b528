"""Sparse rows of flexes: those of MuJoCo, and the step of dense rows."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.derive import sparse
from tests import oracle
from tests.harness.flex_scenes import flex, world
from tests.harness.soft_bodies import Softened
from tests.tolerance import tolerance

BALL = '<geom size=".1" pos=".02 .01 -.09"/>'
FREE = f'<body name="o"><freejoint/>{BALL}</body>'
EDGES, STRAIN = '<edge equality="true"/>', '<edge equality="strain"/>'
BLOCK = {"dim": 3, "count": "3 3 2", "spacing": ".06 .06 .06", "pos": "0 0 .05"}
HINGED = '<body name="h" pos="0 0 .1"><joint axis="0 1 0"/><geom size=".01"/>{}</body>'
SCENES = {
    "edges": world(FREE, flex(inside=EDGES + '<pin id="0"/>', selfcollide="auto")),
    "rope": world(FREE, flex(dim=1, inside=EDGES)),
    "strain": world(
        '<geom type="plane" size="1 1 1" pos="0 0 .03" euler="2 3 0"/>', flex(dof="trilinear", inside=STRAIN, **BLOCK)
    ),
    "cells": world(FREE, flex(dof="trilinear", cellcount="2 2 1", inside=STRAIN, **BLOCK)),
    "shell": world(
        FREE,
        flex(
            **{**BLOCK, "dim": 2, "count": "4 4 4"},
            type="ellipsoid",
            dof="trilinear",
            cellcount="3 3 3",
            inside='<elasticity young="1e3" poisson=".2" thickness=".01" elastic2d="both"/>',
        ),
    ),
    "two": world(
        BALL,
        flex(dim=1, inside=EDGES),
        flex("g", dim=1, count="5 1 1", pos=".03 .04 .01", euler="0 0 50", inside=EDGES),
    ),
    "turning": world(FREE, HINGED.format(flex(inside=EDGES + '<pin id="3 4"/>'))),
}


ROOTED = '<body name="r" pos="0 0 .2"><freejoint/><geom size=".02"/>{}</body>'
"""A root of flexes that deform: it moves all of an edge, and several bodies of a contact."""


def columns(e, w: int) -> list:
    """Dofs of each row of a world, as often as they are in it, and its entries."""
    n, colind, J = int(e.nefc.numpy()[w]), e.efc_J_colind.numpy()[w], e.efc_J.numpy()[w, 0]
    adr, nnz = e.efc_J_rowadr.numpy()[w], e.efc_J_rownnz.numpy()[w]
    return [(colind[a : a + k], J[a : a + k]) for a, k in zip(adr[:n], nnz[:n])]


@pytest.fixture(params=("CG", "Newton"))
def solver(request, monkeypatch):
    """Everything counts as wide."""
    monkeypatch.setattr(sparse, "SOFT_DOFS", 3)
    return request.param


@pytest.mark.parametrize("name", SCENES)
def test_rows_and_accelerations_are_mujocos(name, solver, device):
    option = f'<option solver="{solver}" iterations="200" tolerance="1e-10" jacobian="sparse"/>'
    s = Softened(SCENES[name].replace("<mujoco>", f"<mujoco>{option}"), device, worlds=3, bend=0.01).forward()
    assert s.m.nsparse == 1
    e = s.d.engine
    for w, data in list(enumerate(s.datas))[1:]:
        n = int(e.nefc.numpy()[w])
        assert n == data.nefc > 0
        adr, nnz = e.efc_J_rowadr.numpy()[w], e.efc_J_rownnz.numpy()[w]
        own = np.zeros((n, s.mjm.nv))
        for r in range(n):
            entries = slice(adr[r], adr[r] + nnz[r])
            np.add.at(own[r], e.efc_J_colind.numpy()[w, entries], e.efc_J.numpy()[w, 0, entries])
        assert np.abs(own - oracle.dense_jacobian(s.mjm, data)).max() < tolerance("searched_normal")
    errors = s.d.qacc.numpy()[1:] - np.array([data.qacc for data in s.datas[1:]])
    largest = max(np.abs(data.qacc).max() for data in s.datas[1:])
    assert np.abs(errors).max() < tolerance("searched_normal") * largest


def test_room_follows_the_length_of_rows(device, monkeypatch):
    """Four times the elements, four times the entries."""
    monkeypatch.setattr(sparse, "SOFT_DOFS", 3)
    sizes = []
    for side in (8, 16):
        m = Softened(world(BALL, flex(count=f"{side} {side} 1", inside=EDGES)), device, worlds=1).m
        sizes.append(m.nnz_rows)
    assert 3.5 < sizes[1] / sizes[0] < 5.0


@pytest.mark.parametrize("kind", ("radial", "full"))
def test_an_edge_has_no_entries_of_what_moves_all_of_it(kind, device, monkeypatch):
    monkeypatch.setattr(sparse, "SOFT_DOFS", 3)
    pin = '<pin id="0"/>' if kind == "full" else ""
    block = flex(dim=3, type="box", count="4 4 4", spacing=".06 .06 .06", dof=kind, inside=EDGES + pin)
    s = Softened(world(ROOTED.format(block)), device, worlds=2, bend=0.01).forward()
    for w in range(2):
        found = columns(s.d.engine, w)
        assert found and {len(i) for i, _ in found} <= ({1, 2} if kind == "radial" else {3, 6})
        # MuJoCo's entries of these dofs are 0 to rounding
        J = oracle.dense_jacobian(s.mjm, s.datas[w])
        for r, (i, _) in enumerate(found):
            assert np.abs(np.delete(J[r], i)).max() < tolerance("frame")


@pytest.mark.parametrize("cone", ("pyramidal", "elliptic"))
def test_a_contact_has_every_dof_once_and_none_for_nothing(cone, device, monkeypatch):
    """Bodies of an element and a geom may hang on the same root, and a vertex may have no share in a contact."""
    monkeypatch.setattr(sparse, "SOFT_DOFS", 3)
    cloth = flex(inside=EDGES + '<pin id="0"/>', contact='condim="4"')
    arm = f'<body><joint axis="0 1 0"/>{BALL}</body>'
    xml = world(ROOTED.format(cloth + arm), option=f'<option cone="{cone}" solver="Newton"/>')
    s = Softened(xml, device, worlds=3, bend=0.02).forward()
    contacts = 0
    for w in range(3):
        e, data = s.d.engine, s.datas[w]
        found, address = columns(e, w), e.contact_efc_address.numpy()[w, : int(e.ncon.numpy()[w])]
        for first in address[address >= 0]:
            rows = found[first : first + (4 if cone == "elliptic" else 6)]
            contacts += 1
            for i, _ in rows:
                assert np.array_equal(i, rows[0][0]) and len(set(i)) == len(i)
            assert (np.abs([entries for _, entries in rows]).max(axis=0) > 0.0).all()
        own = np.zeros((len(found), s.mjm.nv))
        for r, (i, entries) in enumerate(found):
            own[r, i] = entries
        assert np.abs(own - oracle.dense_jacobian(s.mjm, data)).max() < tolerance("searched_normal")
    assert contacts > 0
