"""The tables of the engine's arrays: no name twice, no role or size unheard of, no array that no stage uses."""

import pytest

from conformance import field_types
from newtonlite.solvers.mujoco import pipeline
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.views import fields_used
from newtonlite.solvers.mujoco.fields import DATA, MODEL
from newtonlite.solvers.mujoco.kernels.solve.newton import smooth_acceleration
from newtonlite.solvers.mujoco.kernels.state_io.external_contacts import load_contacts
from newtonlite.solvers.mujoco.kernels.state_io.observables import write_observables
from newtonlite.solvers.mujoco.kernels.state_io.pull import pull
from newtonlite.solvers.mujoco.kernels.state_io.push import push_input, push_marked, push_state
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle

ROLES = {"model": {"size", "index", "param"}, "data": {"state", "input", "output", "scratch", "team", "bound", "size"}}
TABLES = [pytest.param(MODEL, "model", id="model"), pytest.param(DATA, "data", id="data")]


@pytest.mark.parametrize(("table", "name"), TABLES)
def test_every_field_has_one_row_and_a_known_role(table, name):
    names = [field.name for field in table]
    assert len(names) == len(set(names))
    assert {field.role for field in table} <= ROLES[name]


@pytest.mark.parametrize(("table", "name"), TABLES)
def test_sizes_have_no_shape_and_arrays_have_one(table, name):
    for field in table:
        assert (field.dims is None) == (field.role == "size"), field.name


def test_every_array_of_the_data_is_used_by_a_stage():
    stages = (
        *pipeline.STEP,
        *pipeline.CAMERA,
        *pipeline.RAY,
        *pipeline.COLLIDE,
        *pipeline.INVERSE,
        *pipeline.ISLANDS,
        smooth_acceleration,
        push_state,
        push_marked,
        push_input,
        load_contacts,
        write_observables,
        pull,
    )
    used = {name for stage in stages for owner, name in fields_used(stage) if owner == "d"}
    used.add("world_mask")  # which masked kernels read before any stage
    assert not [field.name for field in DATA if field.name not in used]


def test_arrays_have_the_shapes_their_rows_say(device):
    model = put_model(oracle.named_model("many_small_trees"), 3, device, per_world=("body_mass",))
    data = make_data(model, 3, scratch="per_world")
    for field in MODEL:
        if field.role == "index":
            assert model.arrays[field.name].shape == field.shape(model.sizes), field.name
        if field.role == "param":
            copies = 3 if field.name == "body_mass" else 1
            assert model.arrays[field.name].shape == (copies, *field.shape(model.sizes)), field.name
    sizes = {**model.sizes, **data.sizes}
    for field in DATA:
        if field.name in data.arrays:
            assert data.arrays[field.name].shape == (3, *field.shape(sizes)), field.name


def test_every_field_has_a_doc():
    assert not [field.name for field in (*MODEL, *DATA) if not field.doc.strip()]


def test_the_stub_of_field_types_is_that_of_the_tables():
    """What a stage may read of ``m`` and ``d``; `python -m conformance field_types` writes it."""
    assert field_types.STUB.read_text() == field_types.text()
