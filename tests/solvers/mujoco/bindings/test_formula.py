"""Formulas: the NumPy form against MuJoCo, and what the text of a formula becomes."""

import linecache

import numpy as np
import pytest

from newtonlite.solvers.mujoco.bindings import geom
from newtonlite.solvers.mujoco.compile.compiled import CompiledModel
from tests.oracle import small_model
from tests.tolerance import assert_close


def test_bounding_radii_of_primitives():
    oracle, m = small_model("every_pair_of_shapes"), CompiledModel()
    m.ngeom = oracle.ngeom
    m.set(geom_type=oracle.geom_type, geom_size=oracle.geom_size, geom_rbound=np.zeros(oracle.ngeom))
    assert_close(geom.radii.numpy(m, None)["geom_rbound"], oracle.geom_rbound, "compiled")


@pytest.mark.parametrize("form, text", [("kernel", "m.geom_size[world, t.to[k]]"), ("NumPy", "m.geom_size[t.to[k]]")])
def test_both_forms_come_from_one_text(form, text):
    lines = "".join(linecache.getlines(f"<newtonlite.solvers.mujoco.bindings.geom.radii {form}>"))
    assert text in lines and ("wp.tid()" in lines) == (form == "kernel")
