"""Declared fields: the dataclass fields of models and data, by which programs find, expand and copy arrays."""

import dataclasses

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp as mjw
from newtonlite.mjwarp import declared
from tests import oracle
from tests.mjwarp.test_fields_of_any_model import EVERYTHING, OF_HOST_MODELS

FIRST_OF_OWN = {mjw.Model: "callback", mjw.Data: "contact", mjw.Option: "impratio_invsqrt"}
"""Where MuJoCo Warp's own fields begin, after those that MuJoCo has."""


def made(device, nworld: int = 3):
    mj = oracle.compile_xml(EVERYTHING)
    m = mjw.put_model(mj, device=device)
    return m, mjw.make_data(m, nworld)


def test_every_declared_field_can_be_read_and_has_the_type_it_says(device):
    m, d = made(device)
    for owner in (m, d, m.opt, m.stat):
        assert dataclasses.is_dataclass(owner)
        for field in dataclasses.fields(owner):
            value = getattr(owner, field.name)
            if isinstance(field.type, wp.array):
                assert isinstance(value, wp.array) and value.dtype == field.type.dtype, field.name
                assert value.ndim == len(field.type.shape) or "n" in field.type.shape, field.name
            elif field.type is int:
                assert isinstance(value, int), field.name


@pytest.mark.parametrize(("kind", "host"), [(mjw.Model, "MjModel"), (mjw.Data, "MjData"), (mjw.Option, "MjOption")])
def test_fields_come_in_mujocos_order_and_others_after_them(kind, host):
    order = list(getattr(oracle.mujoco, host)._all_fields)
    if kind is mjw.Data:  # which MuJoCo's list has in another place than its struct
        order.insert(0, order.pop(order.index("solver_niter")))
    names = [field.name for field in dataclasses.fields(kind)]
    own = names.index(FIRST_OF_OWN[kind])
    theirs = [name for name in names[:own] if name not in ("opt", "stat")]
    assert theirs == [name for name in order if name in set(theirs)]
    assert not set(names[own:]) & set(order)


@pytest.mark.parametrize("kind", FIRST_OF_OWN)
def test_the_docstring_lists_the_fields_with_their_meaning(kind):
    head, rows = kind.__doc__.split("Attributes:\n")
    assert head.strip() and [row.split(":")[0].strip() for row in rows.splitlines()] == [
        field.name for field in dataclasses.fields(kind)
    ]


def test_parameters_are_marked_as_spread_over_worlds(device):
    m, _ = made(device)
    for name in ("body_mass", "geom_rgba", "geom_aabb", "geom_dataid", "actuator_gainprm", "dof_damping", "qpos0"):
        array = getattr(m, name)
        assert array._is_batched and array.shape[0] == 1, name
    assert m.opt.gravity._is_batched and m.stat.meaninertia._is_batched
    assert not hasattr(m.body_parentid, "_is_batched") and not hasattr(m.site_size, "_is_batched")


def test_fields_that_are_expanded_by_their_names_are_stepped_with(device):
    """As programs for MuJoCo Warp randomise: an array per world in the place of each that has one value for all."""
    m, d = made(device)
    mjw.step(m, d)
    same = d.qvel.numpy()
    m, d = made(device)
    for field in dataclasses.fields(m):
        array = getattr(m, field.name)
        if field.name in declared.LED_BY_WORLDS or not getattr(array, "_is_batched", False):
            continue
        rows = wp.array(np.repeat(array.numpy(), 3, axis=0), dtype=array.dtype, device=array.device)
        setattr(m, field.name, rows)
        assert getattr(m, field.name).shape[0] == 3 or not array.size, field.name
    mjw.step(m, d)
    np.testing.assert_array_equal(d.qvel.numpy(), same)
    masses = m.body_mass.numpy()
    masses[1] *= 2.0
    wp.copy(m.body_mass, wp.array(masses, dtype=float, device=m.device))
    mjw.step(m, d)
    assert (d.qvel.numpy()[0] == d.qvel.numpy()[2]).all() and (d.qvel.numpy()[0] != d.qvel.numpy()[1]).any()


def test_statistics_are_the_solvers_and_the_hosts(device):
    mj = oracle.compile_xml(EVERYTHING)
    m = mjw.put_model(mj, device=device)
    assert m.stat.extent == mj.stat.extent and m.stat.meaninertia.shape == (1,)
    m.stat.meaninertia = np.array([2.0, 3.0])
    np.testing.assert_array_equal(m.stat_meaninertia.numpy(), [2.0, 3.0])
    assert {"meaninertia", "extent"} <= set(dir(m.stat))


def test_models_of_files_declare_what_they_have(device):
    m = mjw.put_model(mjw.load(EVERYTHING), device=device)
    absent = {name for name in declared.MODEL if not hasattr(m, name)}
    assert absent <= {*OF_HOST_MODELS}
