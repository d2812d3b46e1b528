"""Newton's public names: docs/newton_api.md says of each that is absent why, and is what the code says today."""

import pytest

from conformance import newton_api


@pytest.fixture(scope="module")
def found():
    if not newton_api.REFERENCE.is_file():
        pytest.skip("no folder of references beside the project")
    return newton_api.compare()


def test_every_absent_name_has_a_reason(found):
    assert not [name for name, why in found[1] if not why]


def test_names_that_are_here_have_newtons_parameters_and_defaults(found):
    """But for those of solvers that call a collision pipeline themselves, what distance fields are made of inside, masks of
    mimic joints, the values of USD attributes, a private argument, a default that prints alike, a viewer that listens to this machine alone, the
    default of a deprecated argument, and cloth and soft blocks, which have to be given what Newton has defaults for.
    """
    known = {
        "newton.solvers.SolverBase",
        "newton.SDF",
        "newton.eval_mimic",
        "newton.usd.get_custom_attribute_values",
        "newton.usd.get_mesh",
        "newton.usd.get_tetmesh",
        "newton.usd.type_to_warp",
        "newton.usd.value_to_warp",
        "newton.controllers.ControllerOperationalSpaceModelFree",
        "newton.viewer.ViewerViser",
        "newton.sensors.SensorTiledCamera",
        "ModelBuilder.add_cloth_grid",
        "ModelBuilder.add_cloth_mesh",
        "ModelBuilder.add_soft_mesh",
    }
    assert dict(found[2]).keys() <= known


def test_the_page_is_current(found):
    assert newton_api.PAGE.read_text() == newton_api.page()
