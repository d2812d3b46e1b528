"""Stiffness of flexes and drag of fluids in the effective inertia: entries of the dofs that MuJoCo has them between."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.mjwarp import flex_stiffness_rows
from newtonlite.mjwarp.sparsity import Pattern
from newtonlite.solvers.mujoco.derive import sparse
from tests import oracle
from tests.tolerance import assert_close

ALONE = '<contact selfcollide="none" contype="0" conaffinity="0"/>'
CLOTH = f"""<flexcomp name="f" type="grid" count="3 3 1" spacing=".05 .05 .05" radius=".005" dim="2" mass=".5">{{pin}}{ALONE}
  <elasticity young="1e3" poisson=".2" damping=".1" elastic2d="{{what}}" thickness=".01"/></flexcomp>"""
SOLID = f"""<flexcomp name="f" type="grid" count="{{count}}" spacing=".05 .05 .05" radius=".005" dim="3" mass=".5" {{more}}>{ALONE}
  <elasticity young="1e3" poisson=".2" damping=".1"/></flexcomp>"""
SCENES = {
    "cloth that stretches": CLOTH.format(what="stretch", pin=""),
    "cloth that bends": CLOTH.format(what="bend", pin=""),
    "pinned cloth": CLOTH.format(what="both", pin='<pin id="0 1"/>'),
    "tetrahedra": SOLID.format(count="2 2 3", more=""),
    "cells": SOLID.format(count="3 3 3", more='dof="trilinear" cellcount="2 1 1"'),
    "rod": f"""<flexcomp name="f" type="grid" count="6 1 1" spacing=".05 .05 .05" radius=".005" dim="1" mass=".5"><edge equality="true"/>
      {ALONE}<elasticity young="1e6" poisson=".2" damping=".1"/></flexcomp>""",
    "links in a fluid": """<body pos="0 0 .1"><joint type="slide" axis="1 0 0"/><joint axis="0 1 0" stiffness="3"/>
      <geom type="box" size=".1 .2 .05"/><body pos=".3 0 0"><joint axis="0 0 1"/><geom size=".05"/></body></body>""",
}


def moving(text: str):
    """A model, and MuJoCo's data of it, away from rest."""
    option = '<option integrator="discrete" density="1.2" viscosity=".02"/>'
    mj = oracle.compile_xml(f"<mujoco>{option}<worldbody>{text}</worldbody></mujoco>")
    mjd, rng = oracle.empty_data(mj), np.random.default_rng(3)
    mjd.qpos[:] += rng.uniform(-0.005, 0.005, mj.nq)
    mjd.qvel[:] = rng.uniform(-0.1, 0.1, mj.nv)
    oracle.mujoco.mj_forward(mj, mjd)
    return mj, mjd


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("large", (False, True))
def test_entries_are_mujocos(name, large, monkeypatch):
    """Also as a model of so many dofs has them, that its effective inertia is stored sparse."""
    for bound in ("WIDE_DOFS", "SOFT_DOFS", "DENSE_DOFS") if large else ():
        monkeypatch.setattr(sparse, bound, 0)
    mj, mjd = moving(SCENES[name])
    m = mjw.put_model(mj, device="cpu")
    assert m.nefmK == mjd.nefmK and m.nefmdof == mjd.nefmdof
    for part in Pattern._fields:
        np.testing.assert_array_equal(getattr(m, f"efm_K_{part}").numpy(), getattr(mjd, f"efm_K_{part}"))
    np.testing.assert_array_equal(m.efm_dofid.numpy(), mjd.efm_dofid)
    d = mjw.make_data(m, 2, device="cpu")
    for state in ("qpos", "qvel"):
        getattr(d, state).assign(np.tile(getattr(mjd, state), (2, 1)).astype(np.float32))
    mjw.forward(m, d)
    inertia, force = d.M.numpy(), d.efm_c.numpy()
    for what in ("efm_K_val", "efm_fluid", "efm_c", "flexvert_hessian", "flexedge_hessian", "qHDiagInv"):
        for row in getattr(d, what).numpy():
            assert_close(row.reshape(1, -1), getattr(mjd, what).reshape(1, -1), "mjwarp", what=what)
    # reading them leaves no trace
    np.testing.assert_array_equal(d.M.numpy(), inertia)
    np.testing.assert_array_equal(d.efm_c.numpy(), force)


def test_flexes_whose_points_move_otherwise_have_no_entries():
    """A vertex on a hinge: of a flex that is not simple."""
    turning = """<body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom size=".02" mass="1"/></body>
      <body name="b" pos=".1 0 1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
      <geom size=".02" mass="1"/></body><body name="c" pos="0 .1 1"><joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><geom size=".02" mass="1"/></body>"""
    flex = """<deformable><flex name="f" dim="2" body="{} b c" element="0 1 2"><elasticity young="1e3" thickness=".01"
      elastic2d="stretch"/></flex></deformable>"""
    for first, simple in (("a", False), ("world", True)):
        text = f"<mujoco><worldbody>{turning}</worldbody>{flex.format(first)}</mujoco>"
        m = mjw.put_model(oracle.compile_xml(text), device="cpu")
        assert m.flex_simple.numpy().tolist() == [simple] and m.has_non_simple_flex is not simple
        assert (m.nefmK > 0) is simple
        assert flex_stiffness_rows.triples(m.source).tolist() == ([1, 4] if simple else [])
