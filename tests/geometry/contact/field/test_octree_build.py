"""Octrees of meshes against MuJoCo's: the same cells, and distances at their corners, whatever the order of nodes."""

import numpy as np
import pytest

from newtonlite.geometry.contact.field.octree_build import build_octree, touched
from tests import oracle
from tests.tolerance import tolerance

CUBE = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
MESHES = {
    "cube": f'vertex="{CUBE}" scale=".1 .1 .1"',
    "tetrahedra": 'vertex="0 0 .08 .07 0 -.02 -.04 .065 -.02 -.04 -.065 -.02 .01 .02 .05"',
    "sphere": 'builtin="sphere" params="2" scale=".1 .2 .15"',
}


def by_cell(box: np.ndarray, corner: np.ndarray) -> dict:
    """Distances at the corners of each node, by its level and its numbers along the axes."""
    low, half = box[0, :3] - box[0, 3:], box[:, 3:]
    level = np.rint(np.log2(half[0, 0] / half[:, 0])).astype(int)
    cell = np.rint(((box[:, :3] - low) / half - 1.0) / 2.0).astype(int)
    return {(*one, k): values for one, k, values in zip(map(tuple, cell.tolist()), level.tolist(), corner, strict=True)}


@pytest.mark.parametrize("name", MESHES)
def test_an_octree_has_mujocos_cells_and_distances(name):
    text = f'<mujoco><asset><mesh name="m" {MESHES[name]}/></asset><worldbody><geom type="sdf" mesh="m"/></worldbody></mujoco>'
    mj = oracle.compile_xml(text)
    made = build_octree(mj.mesh_vert, mj.mesh_face)
    mine = by_cell(made["box"].reshape(-1, 6), made["corner"])
    theirs = by_cell(mj.oct_aabb.reshape(-1, 6), mj.oct_coeff.reshape(-1, 8))
    assert mine.keys() == theirs.keys() and len(mine) == mj.noct
    assert max(np.abs(mine[key] - theirs[key]).max() for key in mine) <= tolerance("compiled")


def test_large_triangles_meet_the_same_cells_in_whatever_parts(monkeypatch):
    """Thousands of triangles across the whole box, as a file of a stranger may have them."""
    rng = np.random.default_rng(0)
    vertices, faces = rng.uniform(-1.0, 1.0, (60, 3)), np.arange(60).reshape(-1, 3)
    whole = touched(vertices, faces, np.zeros(3), np.full(3, 1.1))
    assert len(whole[-1]) > 1000
    monkeypatch.setattr("newtonlite.geometry.contact.field.octree_build.MANY", 7)
    for cells, again in zip(whole, touched(vertices, faces, np.zeros(3), np.full(3, 1.1)), strict=True):
        assert np.array_equal(cells, again)
