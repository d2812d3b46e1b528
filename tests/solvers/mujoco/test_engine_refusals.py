"""What the engine does not simulate it refuses by name, before anything is allocated."""

import pytest

from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.model import put_model
from tests import oracle

BODY = (
    '<body name="a" pos="0 0 1"><joint name="j"/><geom size="0.1"/><site name="s"/></body>'
    '<body name="b" pos="1 0 1"><freejoint/><geom size="0.1"/><site name="t"/></body>'
)

REFUSED = {
    "PGS": '<option solver="PGS"/>',
    "CG": '<option solver="CG"/>',
    "RK4": '<option integrator="RK4"/>',
    "implicit": '<option integrator="implicit"/>',
    "noslip": '<option noslip_iterations="3"/>',
    "fluid": '<option density="1.2"/>',
    "viscosity": '<option viscosity="0.1"/>',
    "override": '<option><flag override="enable"/></option>',
    "tendon force": '<tendon><fixed actuatorfrcrange="-1 1"><joint joint="j" coef="1"/></fixed></tendon>',
    "transmissions": '<actuator><motor site="s"/></actuator>',
    "activation dynamics": '<actuator><general joint="j" dyntype="filter" dynprm="0.1"/></actuator>',
    "gains": '<actuator><muscle joint="j" lengthrange="-1 1"/></actuator>',
}


def scene(extra: str) -> str:
    return f"<mujoco>{extra}<worldbody>{BODY}</worldbody></mujoco>"


@pytest.mark.parametrize("word", REFUSED)
def test_an_unsupported_element_is_refused_by_name(word):
    with pytest.raises(ModelError, match=f"(?i){word}"):
        put_model(oracle.compile_xml(scene(REFUSED[word])), device="cpu")


@pytest.mark.parametrize("shape", ['type="ellipsoid" size="0.1 0.2 0.1"', 'type="cylinder" size="0.1 0.2"'])
def test_shapes_without_a_collider_are_refused_where_they_may_touch(shape):
    body = f'<body name="{{}}" pos="{{}} 0 1"><freejoint/><geom name="{{}}" {shape}/></body>'
    touching = f"<mujoco><worldbody>{body.format('a', 0, 'one')}{body.format('b', 1, 'two')}</worldbody></mujoco>"
    with pytest.raises(ModelError, match="one.*two.*no collider"):
        put_model(oracle.compile_xml(touching), device="cpu")
    apart = touching.replace("</worldbody>", '</worldbody><contact><exclude body1="a" body2="b"/></contact>')
    put_model(oracle.compile_xml(apart), device="cpu")


def test_every_feature_of_a_scene_without_refused_elements_is_taken():
    put_model(oracle.compile_xml(scene("")), device="cpu")
