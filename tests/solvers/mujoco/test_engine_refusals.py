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
    "discrete": '<option integrator="discrete"/>',
    "sleep with integrator RK4": '<option integrator="RK4"><flag sleep="enable"/></option>',
    "speculative": '<option><flag speculative="enable"/></option>',
    "nativeccd": '<option><flag nativeccd="disable"/></option><worldbody><geom type="ellipsoid" size="1 2 3"/></worldbody>',
    "tactile|flex": '<worldbody><flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1"/></worldbody>',
}


def scene(extra: str) -> str:
    return f"<mujoco>{extra}<worldbody>{BODY}</worldbody></mujoco>"


@pytest.mark.parametrize("word", REFUSED)
def test_an_unsupported_element_is_refused_by_name(word):
    with pytest.raises(ModelError, match=f"(?i){word}"):
        put_model(oracle.compile_xml(scene(REFUSED[word])), device="cpu")


def test_libccd_is_nothing_to_shapes_that_do_without():
    put_model(oracle.compile_xml(scene('<option><flag nativeccd="disable"/></option>')), device="cpu")


def test_every_feature_of_a_scene_without_refused_elements_is_taken():
    put_model(oracle.compile_xml(scene("")), device="cpu")
