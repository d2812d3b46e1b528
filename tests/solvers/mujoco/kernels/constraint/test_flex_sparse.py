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
