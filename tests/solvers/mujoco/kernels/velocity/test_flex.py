"""Forces of flexes: springs and dampers of edges, stretching, bending, cells and shells, as MuJoCo's."""

import numpy as np
import pytest

from newtonlite import mjwarp
from newtonlite.core.errors import ModelError
from newtonlite.core.mujoco import MjtDisableBit, MjtIntegrator
from tests import oracle
from tests.harness.soft_bodies import Softened, flexcomp, scene
from tests.tolerance import tolerance

ARM = '<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><joint type="slide" axis="1 0 0"/><geom size=".05" contype="0" conaffinity="0"/>{}</body>'
SLIDES = ARM.format(
    '<body name="own"><joint type="slide"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="1 0 0"/>'
    '<geom size=".05" contype="0" conaffinity="0"/>{}</body>'
)


def elastic(**attributes) -> str:
    """An ``elasticity`` element."""
    given = {"young": "3e4", "poisson": ".2", "damping": ".01", **attributes}
    return "<elasticity " + " ".join(f'{name}="{value}"' for name, value in given.items()) + "/>"


BLOCK = {"dim": 3, "type": "box", "count": "3 3 3"}
ROD = {"dim": 1, "count": "6 1 1", "radius": ".01"}
BOX_ROD = {"dim": 1, "count": "6 1 1", "radius": ".003"}
CURVED = {
    "type": "direct",
    "dim": 1,
    "radius": ".01",
    "point": "0 0 0  .1 0 0  .19 .04 0  .26 .11 .01  .3 .2 .04",
    "element": "0 1 1 2 2 3 3 4",
}
SCENES = {
    "edges": flexcomp('<edge stiffness="50" damping=".3"/>', dim=1, count="5 1 1"),
    "damped edges of a cloth": flexcomp('<edge damping=".3"/><pin id="0 1"/>'),
    "tetrahedra": flexcomp(elastic(), dim=3, count="3 2 2"),
    "triangles": flexcomp(elastic(thickness=".01", elastic2d="stretch")),
    "bending": flexcomp(elastic(thickness=".02", elastic2d="bend")),
    "both": flexcomp(elastic(thickness=".02", elastic2d="both") + '<pin id="0"/>', count="4 3 1"),
    "curved": flexcomp(elastic(thickness=".02", elastic2d="both"), type="ellipsoid", count="3 3 3"),
    "without effect": flexcomp(elastic(thickness=".02", elastic2d="none")),
    "on an arm": ARM.format(flexcomp(elastic(thickness=".02", elastic2d="both") + '<pin id="0 3"/>')),
    "radial": ARM.format(flexcomp(elastic(), dof="radial", **BLOCK)),
    "trilinear": flexcomp(elastic(), dof="trilinear", cellcount="2 1 1", **BLOCK),
    "quadratic": flexcomp(elastic(), dof="quadratic", **BLOCK),
    "trilinear on an arm": ARM.format(flexcomp(elastic() + '<pin id="0 1 2"/>', dof="trilinear", **BLOCK)),
    "quadratic on an arm": ARM.format(flexcomp(elastic() + '<pin id="0 1 2"/>', dof="quadratic", **BLOCK)),
    "trilinear on slides": SLIDES.format(flexcomp(elastic() + '<pin id="0 1 2"/>', dof="trilinear", **BLOCK)),
    "cut cells": flexcomp(elastic(), dof="trilinear", cellcount="2 2 2", dim=3, type="ellipsoid", count="5 5 5"),
    "shell": flexcomp(
        elastic(thickness=".02", elastic2d="stretch"), dof="trilinear", type="box", count="4 4 4", cellcount="2 2 1"
    ),
    "bent shell": flexcomp(
        elastic(thickness=".02", elastic2d="both"), dof="trilinear", type="box", count="4 4 4", cellcount="2 1 2"
    ),
    "shell that bends alone": flexcomp(
        elastic(thickness=".02", elastic2d="bend"), dof="trilinear", type="box", count="4 4 4", cellcount="2 1 2"
    ),
    "quadratic shell": flexcomp(elastic(thickness=".02", elastic2d="both"), dof="quadratic", type="box", count="4 4 4"),
    "rod": flexcomp(elastic(young="1e6", shear="4e5"), **ROD),
    "rod without twist": flexcomp(elastic(young="1e6"), **ROD),
    "clamped rod": flexcomp(elastic(young="1e6", shear="4e5") + '<pin id="0 1"/>', **ROD),
    "rod clamped twice": flexcomp(elastic(young="1e6", shear="4e5") + '<pin id="0 1 4 5"/>', **ROD),
    "rod on an arm": ARM.format(flexcomp(elastic(young="1e6", shear="4e5") + '<pin id="0 1 4 5"/>', **ROD)),
    "flat rod": flexcomp(elastic(young="1e6", shear="4e5", section="box", sectionsize=".006 .003"), **BOX_ROD),
    "high rod": flexcomp(elastic(young="1e6", shear="4e5", section="box", sectionsize=".003 .006"), **BOX_ROD),
    "curved rod": flexcomp(elastic(young="1e6", shear="4e5"), **CURVED),
    "loop": flexcomp(elastic(young="1e6", shear="4e5"), type="circle", dim=1, count="7 1 1", radius=".01"),
    "two": flexcomp(elastic(), dim=3, count="2 2 2") + flexcomp(elastic(), name="g", dof="trilinear", **BLOCK),
}


@pytest.mark.parametrize("name", SCENES)
def test_springs_and_dampers_are_mujocos(name, device):
    soft = Softened(scene(SCENES[name]), device, bend=0.005).forward()
    for field in ("qfrc_spring", "qfrc_damper", "qfrc_passive"):
        if max(np.abs(getattr(data, field)).max() for data in soft.datas) == 0.0:
            assert not getattr(soft.d, field).numpy().any()
        else:
            assert soft.error(field) <= tolerance("force"), field


@pytest.mark.parametrize("name", ["both", "trilinear", "edges"])
@pytest.mark.parametrize("flag", ["SPRING", "DAMPER"])
def test_flags_take_springs_and_dampers_away(name, flag, device):
    soft = Softened(scene(SCENES[name], more=""), device, bend=0.005)
    soft.mjm.opt.disableflags |= MjtDisableBit[flag]
    soft.m.opt.disableflags = int(soft.mjm.opt.disableflags)
    soft.forward()
    gone, kept = ("qfrc_spring", "qfrc_damper") if flag == "SPRING" else ("qfrc_damper", "qfrc_spring")
    assert not getattr(soft.d, gone).numpy().any()
    assert soft.error(kept) <= tolerance("force")


def test_energy_has_the_springs_of_edges(device):
    soft = Softened(
        scene(SCENES["edges"], option='gravity="0 0 -1"', extra='<option><flag energy="enable"/></option>'), device
    )
    assert soft.forward().error("energy") <= tolerance("qacc")


@pytest.mark.parametrize("name", ["both", "trilinear", "rod", "loop", "shell"])
def test_implicit_integrators_refuse_elasticity_as_mujoco_does(name, device):
    for kind in (MjtIntegrator.IMPLICIT, MjtIntegrator.IMPLICITFAST):
        mjm = oracle.compile_xml(scene(SCENES[name]))
        mjm.opt.integrator = kind
        with pytest.raises(ModelError, match="elasticity of flexes with the integrators implicit"):
            mjwarp.put_model(mjm, device=device)
        for other in ("edges", "without effect"):
            mjwarp.put_model(
                oracle.compile_xml(scene(SCENES[other], option=f'integrator="{kind.name.lower()}"')), device=device
            )


def test_worlds_do_not_depend_on_the_batch(device):
    many = Softened(scene(SCENES["two"]), device, worlds=5, bend=0.005)
    few = Softened(scene(SCENES["two"]), device, worlds=3, bend=0.005)
    for _ in range(3):
        many.step()
        few.step()
    assert np.array_equal(many.d.qpos.numpy()[:3], few.d.qpos.numpy()) and np.isfinite(few.d.qpos.numpy()).all()


@pytest.mark.parametrize("name", ["tetrahedra", "edges", "trilinear"])
def test_parameters_differ_by_world(name, device):
    """World 2 has the damping and stiffness of another model, and moves as that one does."""
    source = scene(SCENES[name])
    other = source.replace('damping=".01"', 'damping=".03"').replace('damping=".3"', 'damping=".9"').replace("50", "80")
    one, two = Softened(source, device, bend=0.005), Softened(other, device, bend=0.005)
    names = ("flex_damping", "flex_edgestiffness", "flex_edgedamping")
    mixed = mjwarp.put_model(one.mjm, {n: 3 for n in names if getattr(one.mjm, n).any()}, device=device)
    for n in names:
        if getattr(one.mjm, n).any():
            setattr(mixed, n, np.stack([getattr(one.mjm, n)] * 2 + [getattr(two.mjm, n)]))
    d = mjwarp.make_data(one.mjm, 3, device=device)
    d.qpos.assign(one.d.qpos.numpy())
    d.qvel.assign(one.d.qvel.numpy())
    for soft in (one, two):
        soft.forward()
    mjwarp.forward(mixed, d)
    want = np.concatenate([one.d.qfrc_damper.numpy()[:2], two.d.qfrc_damper.numpy()[2:]])
    assert np.array_equal(d.qfrc_damper.numpy(), want) and not np.array_equal(want, one.d.qfrc_damper.numpy())
