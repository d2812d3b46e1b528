"""Surfaces of the fields of plugins, by marching cubes, against MuJoCo's meshes: the same bits in the same order."""

import numpy as np
import pytest

from newtonlite.core.plugins import PLUGINS
from newtonlite.geometry.contact.field.marching_cubes import CASES, MOST, edges, marching_cubes, table
from newtonlite.geometry.contact.field.surface import extract
from tests import oracle

SHAPES = (
    ("torus", {}),
    ("bolt", {}),
    ("nut", {"radius": 0.3}),
    ("bowl", {}),
    ("bowl", {"height": 0.357, "radius": 1.193, "thickness": 0.027}),
    ("gear", {}),
    ("gear", {"teeth": 5}),
    ("gear", {"teeth": 150, "thickness": 0.4}),
)


def mesh_of(name: str, given: dict):
    """MuJoCo's model of one field."""
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in given.items())
    return oracle.compile_xml(f"""<mujoco><extension><plugin plugin="mujoco.sdf.{name}"><instance name="i">{config}</instance></plugin></extension>
    <asset><mesh name="m"><plugin instance="i"/></mesh></asset>
    <worldbody><geom type="sdf" mesh="m"><plugin instance="i"/></geom></worldbody></mujoco>""")


@pytest.mark.parametrize("name, given", SHAPES)
def test_a_fields_mesh_is_mujocos_to_the_bit(name, given):
    mj, plugin, numbers = mesh_of(name, given), PLUGINS[f"mujoco.sdf.{name}"], np.zeros(5)
    numbers[: len(plugin.attributes)] = [
        given.get(key, default) for key, default in zip(plugin.attributes, plugin.defaults, strict=True)
    ]
    found = extract(plugin.slot, numbers)
    assert np.array_equal(found["vertices"].astype(np.float32), mj.mesh_vert)
    assert np.array_equal(found["triangles"], mj.mesh_face)


def test_every_case_uses_the_edges_on_which_the_sign_changes():
    ends, cases = edges(), table()
    assert len(CASES.split()) == 256 and cases.shape == (256, MOST, 3)
    for case in range(256):
        changed = set()
        for e, (axis, *far) in enumerate(ends.tolist()):
            corner = sum(x << k for k, x in enumerate(far))
            if (case >> corner ^ case >> (corner - (1 << axis))) & 1:
                changed.add(e)
        assert {e for e in cases[case].ravel().tolist() if e >= 0} == changed


def test_surfaces_of_any_values_are_closed():
    """Each edge of a triangle is that of one other, turned round, whatever the cases of neighbours."""
    values = np.ones((14, 13, 12), np.float32)
    values[1:-1, 1:-1, 1:-1] = np.random.default_rng(0).normal(size=(12, 11, 10))
    vertices, triangles = marching_cubes(values)
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    order = sorted(map(tuple, sides.tolist()))
    assert order == sorted((b, a) for a, b in order) and len(vertices) == len(np.unique(triangles))
