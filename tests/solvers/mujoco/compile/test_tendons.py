"""Tendons that MuJoCo's compiler would refuse are left out by name, and so is what acts on them; the others keep their
numbers.
"""

import warnings

import numpy as np
import pytest

from newtonlite.core.errors import NewtonWarning
from newtonlite.solvers.mujoco import (
    TendonWrapGeom,
    TendonWrapPulley,
    TendonWrapSite,
    add_equality_tendon,
    add_tendon_fixed,
    add_tendon_spatial,
)
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.wrap import wrap
from tests import oracle
from tests.harness.engine_scenes import Y, builder, pose
from tests.tolerance import assert_close


def scene():
    """A hinged link beside a sphere, a box and a cylinder, with sites."""
    b = builder()
    link = b.add_link(label="link")
    b.add_shape_sphere(link, radius=0.1)
    b.add_articulation([b.add_joint_revolute(-1, link, axis=Y)])
    shapes = {
        "a": b.add_site(link, xform=pose(0.2, 0, 0), label="a"),
        "b": b.add_site(-1, xform=pose(-0.5, 0, 1), label="b"),
        "ball": b.add_shape_sphere(-1, xform=pose(0, 0, 1), radius=0.1),
        "box": b.add_shape_box(-1, xform=pose(0, 1, 1), hx=0.1, hy=0.1, hz=0.1),
        "pole": b.add_shape_cylinder(-1, xform=pose(0, 0, 1.5), radius=0.1, half_height=0.2),
    }
    return b, shapes


FAULTS = {
    "no path": "",
    "neither spheres nor cylinders": "a box b",
    "geom first": "ball a b",
    "geoms next to each other": "a ball pole b",
    "site alone": "a b / a / a b",
    "pulley last": "a b /",
    "two pulleys": "a b / / a b",
    "the same site twice": "a a b",
}


def path(words: str, shapes) -> list:
    """Steps of a path: sites a and b, geoms by name, / for a pulley."""
    steps = {
        "/": lambda w: TendonWrapPulley(2.0),
        "a": lambda w: TendonWrapSite(shapes[w]),
        "b": lambda w: TendonWrapSite(shapes[w]),
    }
    return [steps.get(word, lambda w: TendonWrapGeom(shapes[w]))(word) for word in words.split()]


@pytest.mark.parametrize("words", FAULTS.values(), ids=FAULTS)
def test_a_faulty_path_is_left_out_with_a_warning(words, device):
    b, shapes = scene()
    bad = add_tendon_spatial(b, path(words, shapes), label="bad")
    good = add_tendon_spatial(b, path("a ball b / b a", shapes), label="good", stiffness=3.0)
    add_equality_tendon(b, good, bad)
    add_equality_tendon(b, good)
    with pytest.warns(NewtonWarning, match="'bad'"), pytest.warns(NewtonWarning, match="and so is the constraint"):
        m = compile_model(b.finalize(device=device))
    assert m.names_tendon == ["good"] and m.newton_tendon.tolist() == [1]
    assert m.tendon_stiffness.tolist() == [3.0]
    assert m.neq == 1 and m.eq_obj1id.tolist() == [0]


def test_inertia_and_geoms_do_not_go_together(device):
    b, shapes = scene()
    add_tendon_spatial(b, path("a ball b", shapes), label="heavy", armature=0.1)
    with pytest.warns(NewtonWarning, match="armature"):
        assert compile_model(b.finalize(device=device)).ntendon == 0


def test_good_paths_do_not_warn(device):
    b, shapes = scene()
    add_tendon_fixed(b, [(0, 2.0)])
    add_tendon_spatial(b, path("a pole b / a b", shapes))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = compile_model(b.finalize(device=device))
    assert m.tendon_type.tolist() == [0, 1] and m.tendon_num.tolist() == [1, 6]


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
@pytest.mark.parametrize("reach", [None, 0.6, 0.12], ids=["shorter way", "side given", "mostly inside"])
def test_strings_at_the_reference_pose_take_mujocos_way(kind, reach):
    rng = np.random.default_rng(8)
    ends, pos = rng.normal(0, 0.5, (600, 2, 3)), rng.normal(0, 0.1, (600, 3))
    side = None if reach is None else pos + rng.normal(0, reach, pos.shape)
    eye = np.tile([1.0, 0, 0, 0], (600, 1))
    length, first, last = wrap(ends[:, 0], ends[:, 1], pos, np.eye(3), 0.3, kind == "cylinder", side)
    want, touches, points = oracle.string_paths(kind, 0.3, ends, side, pos, eye)
    assert ((length >= 0) == touches).all()
    apart = lambda x, y: np.linalg.norm(x - y, axis=-1)
    whole = np.where(
        touches, length + apart(first, ends[:, 0]) + apart(last, ends[:, 1]), apart(ends[:, 0], ends[:, 1])
    )
    assert_close(whole, want, "compiled")
    assert_close(np.stack([first, last], 1)[touches], points[touches], "compiled", 1.0)
