"""Geoms and sites within a millionth of their body's frame, or of its inertial one, are where MuJoCo puts them: exactly there."""

import numpy as np
import pytest

from newtonlite.solvers.mujoco.compile.rotation import matrix, product, rotate
from newtonlite.solvers.mujoco.derive.frames import derive
from tests import oracle
from tests.tolerance import tolerance

COM, AXES = "0.3 0.2 0.1", "0.5 0.5 0.5 0.5"
OFF = (0.0, 9e-7, 1.1e-6, 1e-4)


def frame(i: int, far: float, turned: float) -> str:
    """Attributes of a frame off the body's by so much, and of one off the inertial frame."""
    pos, quat = ("0 0 0", "1 0 0 0") if i == 0 else (COM, AXES)
    moved = np.array(pos.split(), float) + [far, 0, -far]
    return f'pos="{" ".join(f"{x:.9f}" for x in moved)}" quat="{" ".join(f"{x:.9f}" for x in np.array(quat.split(), float) + [0, turned, 0, 0])}"'


@pytest.fixture(scope="module")
def scene():
    """Boxes and sites near both frames of a free body, and some whose axes alone are near."""
    frames = [frame(i, far, turned) for i in (0, 1) for far in (*OFF, 0.5) for turned in OFF]
    parts = "".join(f'<geom type="box" size=".1 .2 .3" contype="0" conaffinity="0" {f}/><site {f}/>' for f in frames)
    inertia = f'<inertial mass="1" diaginertia="1 2 2.5" pos="{COM}" quat="{AXES}"/>'
    return oracle.compile_xml(f"<mujoco><worldbody><body><freejoint/>{inertia}{parts}</body></worldbody></mujoco>")


def test_frames_are_those_of_mujoco(scene):
    rng = np.random.default_rng(1)
    data = oracle.empty_data(scene)
    data.qpos[:] = [*rng.normal(size=3), *rng.normal(size=4)]
    oracle.call(scene, data, "mj_kinematics")
    found, limit = derive(scene), tolerance("compiled") ** 2  # sums in float64
    assert set(scene.geom_sameframe) == {0, 1, 2, 3, 4}
    for kind in ("geom", "site"):
        pos, quat = found[f"{kind}_pos"], found[f"{kind}_quat"]
        body = np.broadcast_to(data.xquat[1], quat.shape)
        np.testing.assert_allclose(data.xpos[1] + rotate(body, pos), getattr(data, f"{kind}_xpos"), atol=limit)
        np.testing.assert_allclose(matrix(product(body, quat)).reshape(-1, 9), getattr(data, f"{kind}_xmat"), atol=limit)
    given = np.abs(found["geom_pos"] - scene.geom_pos).max()
    assert 0 < given < tolerance("compiled")
