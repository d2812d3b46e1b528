"""Plastic strain of flexes after a step, and the forces with it, as MuJoCo's."""

import numpy as np
import pytest

from tests.harness.soft_bodies import Softened, flexcomp, scene
from tests.tolerance import tolerance

BLOCK = {"dim": 3, "type": "box", "count": "3 3 3"}
SHELL = {"dof": "trilinear", "type": "box", "count": "4 4 4", "cellcount": "2 1 1"}


def yielding(**attributes) -> str:
    """An ``elasticity`` element of what yields."""
    given = {"young": "1e3", "poisson": ".2", "damping": ".001", "yield": ".01", **attributes}
    return "<elasticity " + " ".join(f'{name}="{value}"' for name, value in given.items()) + "/>"


SCENES = {
    "tetrahedra": flexcomp(yielding(), dim=3, count="3 2 2"),
    "triangles": flexcomp(yielding(thickness=".01", elastic2d="stretch")),
    "bending": flexcomp(yielding(thickness=".02", elastic2d="bend", **{"yield": "0 .01"})),
    "both": flexcomp(yielding(thickness=".02", elastic2d="both", **{"yield": ".01 .02"})),
    "trilinear": flexcomp(yielding(), dof="trilinear", cellcount="2 1 1", **BLOCK),
    "quadratic": flexcomp(yielding(), dof="quadratic", **BLOCK),
    "shell": flexcomp(yielding(thickness=".02", elastic2d="both"), **SHELL),
    "on an arm": '<body name="arm"><joint axis="0 1 0"/><geom size=".05" contype="0" conaffinity="0"/>'
    + flexcomp(yielding(), dim=3, count="3 2 2").replace("</flexcomp>", '<pin id="0 1"/></flexcomp>')
    + "</body>",
}


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_strain_beyond_the_yield_stays(name, integrator, device):
    soft = Softened(scene(SCENES[name], option=f'timestep=".001" integrator="{integrator}"'), device, bend=0.01)
    for _ in range(2):
        soft.step()
    assert np.abs(soft.datas[1].plastic).max() > 0.0
    assert soft.error("plastic") <= tolerance("qacc")
    assert soft.forward().error("qfrc_spring") <= tolerance("qacc")
