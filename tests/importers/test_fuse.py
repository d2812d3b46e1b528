"""``fusestatic`` merges the bodies that MuJoCo merges, in its order."""

import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.same_model import differences
from tests.oracle import compile_xml


def body(name: str, inside: str = "", more: str = "") -> str:
    """A body with a geom."""
    return f'<body name="{name}" pos=".1 .2 .3" quat="1 .2 0 .1" {more}><geom name="{name}1" size=".1"/>{inside}</body>'


JOINT = "<joint name='j'/>"
MASS = '<inertial pos="0 0 1" mass="1" diaginertia="1 2 2"/>'
NESTED = body("a", body("b", body("c", "<joint/>") + body("d")) + body("e", "<joint/>")) + body(
    "f", JOINT + body("g", body("h", "<joint/>")) + body("k")
)
WORLDS = {
    "nested": NESTED,
    "mass of its own below": body("f", JOINT + body("g", MASS)),
    "mass of its own above": body("f", JOINT + MASS + body("g")),
    "mocap": body("m", more='mocap="true"') + body("f", JOINT),
    "gravity compensation": body("f", JOINT + body("g", body("h", "<joint/>"), 'gravcomp="1"')),
    "things on it": body(
        "f", JOINT + body("g", '<site name="s" pos="1 0 0"/><camera name="c"/><light name="l" dir="1 0 0"/>')
    ),
}
PAIR = body("f", JOINT + body("g", '<site name="s"/>')) + body("z")
REFERENCES = {
    "nothing": "",
    "sensor of the body": '<sensor><framepos objtype="body" objname="g"/></sensor>',
    "sensor of a site": '<sensor><framepos objtype="site" objname="s"/></sensor>',
    "exclusion": '<contact><exclude body1="g" body2="f"/></contact>',
    "pair": '<contact><pair geom1="g1" geom2="z1"/></contact>',
    "weld": '<equality><weld body1="g" body2="f"/></equality>',
    "tuple": '<custom><tuple name="t"><element objtype="body" objname="g"/></tuple></custom>',
    "adhesion": '<actuator><adhesion body="g" ctrlrange="0 1"/></actuator>',
}


def check(world: str, more: str = "", settings: str = "") -> None:
    """Our compiled model is MuJoCo's."""
    text = f'<mujoco><compiler fusestatic="true" {settings}/><worldbody>{world}</worldbody>{more}</mujoco>'
    builder = ModelBuilder()
    builder.add_mjcf(text)
    found = differences(compile_xml(text), compile_model(builder.finalize(device="cpu")))
    assert not {
        name: e
        for name, e in found.items()
        if name.startswith(("body_", "jnt_", "dof_", "geom_", "site_", "cam_", "light_", "n", "eq_", "pair_"))
    }


@pytest.mark.parametrize("name", WORLDS)
def test_worlds(name):
    check(WORLDS[name])


@pytest.mark.parametrize("name", REFERENCES)
def test_bodies_that_are_spoken_of_stay(name):
    check(PAIR, REFERENCES[name])


@pytest.mark.parametrize(
    "settings", ['inertiafromgeom="true"', 'boundmass="30"', 'boundinertia="3"', 'settotalmass="7"']
)
def test_mass_settings(settings):
    check(body("f", JOINT + MASS + body("g", MASS)), settings=settings)
