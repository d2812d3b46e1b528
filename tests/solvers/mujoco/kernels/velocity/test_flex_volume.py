"""Neo-Hookean solids: forces, dampers and steps as MuJoCo's, also of elements that are turned inside out or flat."""

import numpy as np
import pytest
import warp as wp

from newtonlite import mjwarp
from newtonlite.core.errors import ModelError
from newtonlite.solvers.mujoco.kernels.velocity.flex_volume import positive_part, singular_values
from tests import oracle
from tests.harness.soft_bodies import Softened, flexcomp, neo_hookean, scene
from tests.tolerance import tolerance

pytestmark = pytest.mark.filterwarnings("ignore:flex .f. is not rigid")
OPTION = 'integrator="discrete" tolerance="1e-12" iterations="300" timestep=".004"'
ELASTIC = '<elasticity young="3e4" poisson="{}" damping="{}"/>'
ARM = '<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom size=".05" contype="0" conaffinity="0"/>{}</body>'
BLOCK = {"dim": 3, "count": "3 2 2"}
SCENES = {
    "one": flexcomp(
        ELASTIC.format(".3", ".01"),
        type="direct",
        dim=3,
        point="0 0 0  .1 0 0  .02 .11 0  .01 .03 .13",
        element="0 1 2 3",
    ),
    "block": flexcomp(ELASTIC.format(".2", ".02"), **BLOCK),
    "soft in volume": flexcomp(ELASTIC.format("0", "0"), **BLOCK),
    "stiff in volume": flexcomp(ELASTIC.format(".45", ".005"), **BLOCK),
    "pinned": flexcomp(ELASTIC.format(".3", ".01") + '<pin id="0 1"/>', **BLOCK),
    "on an arm": ARM.format(flexcomp(ELASTIC.format(".3", ".01") + '<pin id="0 1 2"/>', **BLOCK)),
    "radial": ARM.format(flexcomp(ELASTIC.format(".3", ".01"), dof="radial", dim=3, type="box", count="3 3 3")),
}


@pytest.mark.parametrize("bend", [0.005, 0.05])
@pytest.mark.parametrize("name", SCENES)
def test_springs_and_dampers_are_mujocos(name, bend, device):
    soft = Softened(neo_hookean(scene(SCENES[name], OPTION)), device, bend=bend, worlds=4).forward()
    for field in ("qfrc_spring", "qfrc_damper", "qfrc_passive"):
        if max(np.abs(getattr(data, field)).max() for data in soft.datas) > 0.0:
            assert soft.error(field) <= tolerance("force"), field


@pytest.mark.parametrize("bend", [0.005, 0.05])
@pytest.mark.parametrize("name", SCENES)
def test_accelerations_are_mujocos(name, bend, device):
    soft = Softened(neo_hookean(scene(SCENES[name], OPTION)), device, bend=bend, worlds=4).forward()
    assert soft.error("qacc") <= tolerance("qacc")


@pytest.mark.parametrize("name", ["block", "pinned", "stiff in volume", "on an arm"])
def test_fifty_steps_are_mujocos(name, device):
    soft = Softened(neo_hookean(scene(SCENES[name], OPTION)), device, bend=0.005)
    for _ in range(50):
        soft.step()
    assert soft.error("qvel") <= tolerance("next") and soft.error("qpos") <= tolerance("next")


@pytest.mark.parametrize("bend", [0.002, 0.02])
def test_solids_that_yield_are_mujocos(bend, device):
    """Forces and dampers of what has yielded, which the second step is the first to have."""
    spec = oracle.mujoco.MjSpec.from_string(scene(SCENES["block"], OPTION))
    spec.flexes[0].elastic3d, spec.flexes[0].stressyield = 1, [0.02, 0.0]
    soft = Softened(spec.compile(), device, bend=bend)
    for _ in range(5):
        soft.step()
    assert np.abs(soft.datas[-1].plastic).max() > 1e-3
    assert soft.error("plastic") <= tolerance("next") and soft.error("qvel") <= tolerance("next")


def test_beside_a_solid_of_the_other_law(device):
    two = SCENES["block"] + SCENES["block"].replace('name="f"', 'name="g"')
    soft = Softened(neo_hookean(scene(two, OPTION), which=[1]), device, bend=0.005)
    assert soft.forward().error("qfrc_spring") <= tolerance("force")
    assert soft.error("qacc") <= tolerance("qacc") and soft.error("qfrc_damper") <= tolerance("force")


def test_other_integrators_refuse_it(device):
    mjm = neo_hookean(scene(SCENES["one"], OPTION))
    mjm.opt.integrator = oracle.mujoco.mjtIntegrator.mjINT_EULER
    with pytest.raises(ModelError, match="Neo-Hookean elasticity requires integrator='discrete'"):
        mjwarp.put_model(mjm, device=device)


@wp.kernel(enable_backward=False)
def decompose(a: wp.array[wp.mat33], u: wp.array[wp.mat33], s: wp.array[wp.vec3], v: wp.array[wp.mat33]):
    k = wp.tid()
    found = singular_values(a[k])
    u[k] = found.left
    s[k] = found.values
    v[k] = found.right


@wp.kernel(enable_backward=False)
def project(a: wp.array[wp.mat33], out: wp.array[wp.mat33]):
    out[wp.tid()] = positive_part(a[wp.tid()])


def matrices() -> np.ndarray:
    """Random ones, and such as have equal, opposite, tiny or no singular values."""
    rng = np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    special = [np.eye(3), -np.eye(3), np.zeros((3, 3)), turn, np.outer([1, 2, 3], [0, 1, 0]), np.diag([1, -1, 1e-4])]
    special += [np.diag([2.0, 2.0, 0.0]), turn @ np.diag([1e3, 1.0, 1e-3]), np.diag([0.0, 3.0, 1.0]), 1e-6 * turn]
    return np.array([*rng.normal(size=(50, 3, 3)), *special], np.float32)


def test_singular_values_are_of_two_rotations(device):
    a = matrices()
    u, v = (wp.zeros(len(a), dtype=wp.mat33, device=device) for _ in range(2))
    s = wp.zeros(len(a), dtype=wp.vec3, device=device)
    wp.launch(decompose, len(a), [wp.array(a, dtype=wp.mat33, device=device), u, s, v], device=device)
    u, s, v = (x.numpy().astype(float) for x in (u, s, v))
    size, limit = np.abs(a).max((1, 2)) + 1e-30, tolerance("factor")
    assert (np.abs(np.einsum("kij,kj,klj->kil", u, s, v) - a).max((1, 2)) <= limit * size).all()
    for turn in (u, v):
        assert np.abs(turn @ turn.transpose(0, 2, 1) - np.eye(3)).max() <= limit
        assert np.abs(np.linalg.det(turn) - 1.0).max() <= limit
    wanted = np.linalg.svd(a.astype(float))[1][:, ::-1]
    assert (np.abs(np.sort(np.abs(s), -1) - wanted).max(-1) <= limit * size).all()


def test_the_positive_part_has_the_positive_eigenvalues(device):
    a = matrices()
    a = (a + a.transpose(0, 2, 1)) / 2
    out = wp.zeros(len(a), dtype=wp.mat33, device=device)
    wp.launch(project, len(a), [wp.array(a, dtype=wp.mat33, device=device), out], device=device)
    w, axes = np.linalg.eigh(a.astype(float))
    wanted = np.einsum("kij,kj,klj->kil", axes, np.maximum(w, 0.0), axes)
    assert (np.abs(out.numpy() - wanted).max((1, 2)) <= tolerance("factor") * (np.abs(a).max((1, 2)) + 1e-30)).all()
