"""Real USD files: robots converted from MJCF compile to their source's model; entries of the collection load in time."""

import json
import time
import warnings

import numpy as np
import pytest

import newtonlite
from conformance import usd_page
from newtonlite.importers.report import Report
from newtonlite.solvers.mujoco.compile import compile_model
from tests.tolerance import assert_close

CONVERTED = {
    "usd/from_mjcf/unitree_go1/go1.usda": "mjcf/unitree_go1_mjlab/go1.xml",
    "usd/from_mjcf/humanoid/Humanoid.usda": "mjcf/mujoco_model/humanoid/humanoid.xml",
}
SAMPLE = (
    "usd/from_urdf/g1_29dof/g1_29dof_rev_1_0.usda",
    "usd/from_mjcf/slider_crank/slider-crank.usda",
    "usd/newton_examples/humanoid.usda",
    "usd/newton_examples/boxes_fourbar.usda",
    "usd/newton_examples/curvedSurface.usd",
    "usd/openusd_physics/usdPhysicsGroupFiltering.usda",
    "usd/newton_tests/ant_multi.usda",
    "mjcf/mujoco_test/xml/simple_hinge.usda",
)
FIELDS = "body_mass body_ipos body_pos jnt_type jnt_pos jnt_axis jnt_stiffness dof_armature dof_damping dof_frictionloss geom_type geom_pos geom_friction geom_solref tendon_range actuator_gear actuator_ctrlrange actuator_gainprm".split()
SECONDS = 10.0


def compiled(add):
    """The compiled model of what ``add`` adds."""
    builder = newtonlite.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        add(builder)
        return compile_model(builder.finalize(device="cpu"))


@pytest.mark.parametrize("name", CONVERTED)
def test_a_robot_converted_from_mjcf_compiles_to_its_source(assets, name):
    ours = compiled(lambda b: b.add_usd(assets / name, joint_ordering="authored"))
    theirs = compiled(lambda b: b.add_mjcf(str(assets / CONVERTED[name])))
    for field in FIELDS:
        assert_close(
            np.asarray(getattr(ours, field), float),
            np.asarray(getattr(theirs, field), float),
            "authored",
            floor=1.0,
            what=field,
        )
    assert (ours.opt.integrator, ours.opt.disableflags, ours.opt.cone) == (
        theirs.opt.integrator,
        theirs.opt.disableflags,
        theirs.opt.cone,
    )
    assert_close(ours.opt.timestep, theirs.opt.timestep, "authored")


@pytest.mark.parametrize("name", SAMPLE)
def test_an_entry_of_the_collection_loads_and_finalizes_in_time(assets, name):
    builder, start = newtonlite.ModelBuilder(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder.add_usd(assets / name, on_unsupported="warn", report=Report("warn"))
        assert time.process_time() - start < SECONDS
        model = builder.finalize(device="cpu")
    if model.body_count:
        assert compile_model(model).nbody == builder.body_count + 1


def test_masses_are_newtons(assets):
    known = json.loads((assets.parent / "reference" / "usd_newton.json").read_text())["entries"]
    name = "usd/from_mjcf/unitree_go1/go1.usda"
    builder = newtonlite.ModelBuilder()
    builder.add_usd(assets / name)
    for path, mass, com, _, _ in known[name]["body"]:
        body = list(builder.body_label).index(path)
        assert_close(builder.body_mass[body], mass, "authored")
        assert_close(list(builder.body_com[body]), com, "authored", floor=1.0)


def test_tables_of_the_page_are_those_of_the_schemas():
    text = usd_page.PAGE.read_text()
    assert usd_page.written(text) == text
