"""The structure that the compiler fills: its table of fields, and what it refuses."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.compile import CompiledModel, Worlds, compile_worlds
from newtonlite.solvers.mujoco.compile.compiled_fields import FIELDS, OWN
from newtonlite.solvers.mujoco.fields import MODEL
from tests.solvers.mujoco.adapter.test_model_update_device import scene

pytestmark = pytest.mark.filterwarnings("ignore:add_constraint_mimic")

UNSIZED = {"nexcluded", "npairs", "nmocap3", "nmocap4", "nnumericdata", "ntupledata"}
"""Lengths that are no sizes of a model."""
SWITCHES = {"opt", "stat", "visual", "tex_source", "text_data", "mesh_file"}
"""What is no array: sections, and what comes from files as it is."""


def test_unknown_names_are_refused_with_the_nearest_one():
    m = CompiledModel()
    with pytest.raises(ModelError, match="no field 'geom_frictoin'; did you mean 'geom_friction'"):
        m.set(geom_frictoin=np.zeros((0, 3)))
    assert not hasattr(m, "geom_frictoin")
    with pytest.raises(ModelError, match="no field 'qwertz'; add a row"):
        m.set(qwertz=0)


def test_every_field_of_a_compiled_scene_has_a_row_with_its_shape():
    """Of one world."""
    b = scene()
    m = compile_worlds(Worlds(b.finalize(device="cpu")))
    free = {name for name, field in FIELDS.items() if set((field.dims or "").split()) & UNSIZED}
    for name, value in vars(m).items():
        if name in SWITCHES or name.startswith("names_"):
            continue
        assert name in FIELDS, name
        if isinstance(value, np.ndarray) and name not in free:
            zeros = m.zeros(name)
            assert value.shape == zeros.shape and m.rank(name) == value.ndim, name


def test_rows_of_the_compiler_are_not_rows_of_the_engine_and_say_what_they_are():
    names = [field.name for field in (*MODEL, *OWN)]
    assert len(names) == len(set(names))
    assert all(field.doc for field in OWN)
