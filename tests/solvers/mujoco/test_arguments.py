"""Wrong arguments raise before anything is allocated or launched, with what was expected and what came."""

import resource

import numpy as np
import pytest
import warp as wp

from newtonlite.core.errors import CapacityError, Error, ModelError, StateError
from newtonlite.solvers.mujoco.data import make_data
from newtonlite.solvers.mujoco.executor.memory import memory_report
from newtonlite.solvers.mujoco.executor.schedule import Schedule
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle


@pytest.fixture(scope="module")
def model(device):
    return put_model(oracle.named_model("humanoid"), device=device)


@pytest.mark.parametrize("nworld", [0, -1, 2.5, "4", True, None])
def test_a_count_of_worlds_is_a_positive_integer(nworld, model):
    with pytest.raises(CapacityError, match="nworld.*expected.*got"):
        make_data(model, nworld)


@pytest.mark.parametrize("name", ["nconmax", "njmax"])
@pytest.mark.parametrize("value", [-1, 3.5, "8", True])
def test_a_capacity_is_an_integer_not_below_zero(name, value, model):
    with pytest.raises(CapacityError, match=f"{name}.*expected.*got"):
        make_data(model, 2, **{name: value})


MANY_GEOMS = """<mujoco><option {option}/><worldbody><geom type="plane" size="9 9 1" condim="6"/>
    <body pos="0 0 1"><freejoint/><replicate count="100" offset="1 0 0"><geom size="0.1" condim="6"/></replicate></body>
    <body pos="0 0 2"><freejoint/><replicate count="100" offset="1 0 0"><geom size="0.1" condim="6"/></replicate></body>
    </worldbody></mujoco>"""


@pytest.mark.parametrize("option", ['solver="PGS"', 'noslip_iterations="2"'])
def test_room_for_contacts_is_bounded_where_a_matrix_is_as_wide_as_rows_are_many(option, device):
    mj = oracle.compile_xml(MANY_GEOMS.format(option=option))
    m = put_model(mj, device=device)
    bounded = make_data(m, 1)
    assert bounded.nda <= 8192 + 32
    assert make_data(m, 1, nconmax=2000).njmax == 10 * 2000  # who asks for more gets it


def test_scratch_on_the_cpu_takes_the_memory_that_is_written_to():
    """Room for thousands of rows costs nothing where there are none."""
    mj = oracle.compile_xml(MANY_GEOMS.format(option='solver="PGS"'))
    m = put_model(mj, device="cpu")
    schedule = Schedule(m, make_data(m, 1), threads=1)
    before = peak_memory()
    schedule.step()
    matrix = schedule.shards[0][0].scratch.arrays["efc_A"]
    assert matrix.capacity > 2e8 and matrix.ptr % 64 == 0
    assert peak_memory() - before < 1e8


def peak_memory() -> int:
    """Bytes that the process has had at most."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("nworld", [2**31, 10**8])
def test_more_elements_than_int32_counts_are_refused_with_the_numbers(nworld, model):
    with pytest.raises(CapacityError, match=rf"nworld={nworld}.*{2**31 - 1}"):
        make_data(model, nworld)


def test_only_arrays_that_are_there_per_world_count(model):
    many = {"nworld": 200_000, "njmax": 1000}
    assert memory_report(model, **many).total < 2**34
    with pytest.raises(CapacityError, match=r"nworld=200000: efc_J would have \d+ numbers"):
        memory_report(model, **many, scratch="per_world")


@pytest.mark.parametrize("nworld", [0, -3, 1.5, "two"])
def test_a_model_for_no_world_is_refused(nworld, device):
    with pytest.raises(CapacityError, match="nworld.*expected.*got"):
        put_model(oracle.named_model("humanoid"), nworld, device)


@pytest.mark.parametrize("name", ["body_parentid", "no_such_field", "nv", "qpos"])
def test_only_parameters_can_be_per_world(name, device):
    with pytest.raises(ModelError, match=name):
        put_model(oracle.named_model("humanoid"), 2, device, per_world=(name,))


@pytest.mark.parametrize("shape", [(3,), (17, 2), (2, 2, 17), ()])
def test_a_parameter_of_another_shape_is_refused_with_both_shapes(shape, device):
    model = put_model(oracle.named_model("humanoid"), device=device)
    with pytest.raises(ModelError, match=r"body_mass.*expected.*got"):
        model.set("body_mass", np.ones(shape))


@pytest.mark.parametrize("name", ["body_parentid", "nv", "mass"])
def test_structure_cannot_be_set(name, model):
    with pytest.raises(ModelError, match=name):
        model.set(name, np.ones(3))


def test_an_unknown_mode_scratch_or_thread_count_is_refused(model):
    data = make_data(model, 2)
    with pytest.raises(StateError, match="mode.*expected.*got 'quick'"):
        Schedule(model, data, mode="quick")
    with pytest.raises(StateError, match="threads.*expected.*got 0"):
        Schedule(model, data, threads=0)
    with pytest.raises(StateError, match="wave.*expected.*got 0"):
        Schedule(model, data, wave=0)
    with pytest.raises(StateError, match="scratch.*expected.*got 'none'"):
        make_data(model, 2, scratch="none")


def test_a_result_that_is_not_kept_is_named_when_read(device):
    model = put_model(oracle.named_model("humanoid"), device=device)
    data = make_data(model, 2)
    with pytest.raises(StateError, match="xpos.*per_world"):
        _ = data.xpos
    with pytest.raises(AttributeError, match="no field 'xposs'"):
        _ = data.xposs


def test_a_model_made_for_other_worlds_is_refused(device):
    model = put_model(oracle.named_model("humanoid"), 3, device, per_world=("body_mass",))
    with pytest.raises(Error, match="3.*4|4.*3"):
        Schedule(model, make_data(model, 4))


def test_an_unknown_program_is_refused(model):
    with pytest.raises(Error, match="'fly'"):
        Schedule(model, make_data(model, 2)).run("fly")


@pytest.mark.parametrize("count", [-1, 1.5, "3"])
def test_a_count_of_steps_is_an_integer_not_below_zero(count, model):
    with pytest.raises(Error, match="expected.*got"):
        Schedule(model, make_data(model, 2)).step(count)


def test_a_schedule_of_data_of_another_model_is_refused(model, device):
    other = put_model(oracle.small_model("pendulum_double_hinge"), device=device)
    with pytest.raises(Error, match="model"):
        Schedule(model, make_data(other, 2))


@pytest.mark.parametrize("name", ["qpos", "ctrl", "xpos"])
def test_an_array_is_written_not_replaced(name, model):
    """A replaced array would be ignored by launches already recorded with the old one."""
    data = make_data(model, 2)
    with pytest.raises(StateError, match=f"{name}.*assign"):
        setattr(data, name, wp.zeros((2, 3)))


def test_an_unknown_device_is_refused():
    with pytest.raises((Error, RuntimeError, ValueError), match="cuda:99"):
        put_model(oracle.named_model("humanoid"), device="cuda:99")
