"""Equality rows of flexes: lengths of edges and strain of cells, as MuJoCo's, and what they make of a state."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.soft_bodies import Softened, flexcomp, scene
from tests.tolerance import tolerance

EDGES = '<edge equality="true" solref=".01 1"/>'
STRAIN = '<edge equality="strain"/>'
ARM = '<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom size=".05" contype="0" conaffinity="0"/>{}</body>'
BLOCK = {"dim": 3, "type": "box", "count": "3 3 3"}
SCENES = {
    "rope": flexcomp(EDGES, dim=1, count="5 1 1"),
    "cloth": flexcomp(EDGES + '<pin id="0 1"/>'),
    "block": flexcomp(EDGES, dim=3, count="3 2 2"),
    "on an arm": ARM.format(flexcomp(EDGES + '<pin id="0 3"/>')),
    "interpolated, which has none": flexcomp(EDGES, dof="trilinear", **BLOCK),
    "trilinear": flexcomp(STRAIN, dof="trilinear", cellcount="2 1 1", **BLOCK),
    "quadratic": flexcomp(STRAIN, dof="quadratic", **BLOCK),
    "shell": flexcomp(
        STRAIN + '<elasticity young="1e4" thickness=".01" elastic2d="bend"/>',
        dof="trilinear",
        type="box",
        count="4 4 4",
        cellcount="2 1 1",
    ),
    "two": flexcomp(EDGES) + flexcomp(STRAIN, name="g", dof="trilinear", **BLOCK),
}


@pytest.mark.parametrize("name", SCENES)
def test_rows_are_mujocos(name, device):
    soft = Softened(scene(SCENES[name]), device, bend=0.005).forward()
    for w, data in enumerate(soft.datas):
        n = data.nefc
        assert soft.d.nefc.numpy()[w] == n
        if n:
            J = oracle.dense_jacobian(soft.mjm, data)
            own = soft.d.engine.efc_J.numpy()[w, :n, : soft.mjm.nv]
            used = dense(soft, w, own)
            assert np.abs(used - J).max() / np.abs(J).max() <= tolerance("row")
            assert (soft.d.engine.efc_id.numpy()[w, :n] == data.efc_id[:n]).all()
            for field, limit in (("pos", "row"), ("vel", "row"), ("D", "reference"), ("aref", "reference")):
                want = getattr(data, f"efc_{field}")[:n]
                error = np.abs(getattr(soft.d.engine, f"efc_{field}").numpy()[w, :n] - want).max()
                assert error <= tolerance(limit) * max(np.abs(want).max(), 1e-3), field


def dense(soft, world: int, rows: np.ndarray) -> np.ndarray:
    """Rows with zeros where they are not in use."""
    blocks = soft.d.engine.efc_block.numpy()[world, : len(rows)]
    columns = np.arange(rows.shape[1]) // 16
    return np.array(
        [
            np.where((c[0] <= columns) & (columns < c[1]) | (c[2] <= columns) & (columns < c[3]), row, 0.0)
            for row, c in zip(rows, blocks)
        ]
    )


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("solver", ["Newton", "CG"])
def test_accelerations_are_mujocos(name, solver, device):
    soft = Softened(
        scene(SCENES[name], option=f'solver="{solver}" tolerance="1e-12" iterations="500"'), device, bend=0.005
    ).forward()
    assert soft.error("qacc") <= tolerance("qacc")
    assert soft.error("qfrc_constraint") <= tolerance("qacc") or not soft.datas[0].nefc
