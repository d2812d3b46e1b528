"""Geoms and sites within a millionth of their body's frame, or of its inertial one, are where MuJoCo puts them: exactly
there.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from newtonlite.math.quat import matrix, product, rotate
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.derive.frames import derive
from tests import oracle
from tests.harness.engine_scenes import TILT, builder, pose
from tests.tolerance import assert_same, tolerance

COM, AXES = "0.3 0.2 0.1", "0.5 0.5 0.5 0.5"
FIELDS = "geom_bodyid geom_pos geom_quat site_bodyid site_pos site_quat body_ipos body_iquat".split()
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
    found, limit = derive(scene), tolerance("frame")
    assert set(scene.geom_sameframe) == {0, 1, 2, 3, 4}
    for kind in ("geom", "site"):
        pos, quat = found[f"{kind}_pos"], found[f"{kind}_quat"]
        body = np.broadcast_to(data.xquat[1], quat.shape)
        np.testing.assert_allclose(data.xpos[1] + rotate(body, pos), getattr(data, f"{kind}_xpos"), atol=limit)
        np.testing.assert_allclose(
            matrix(product(body, quat)).reshape(-1, 9), getattr(data, f"{kind}_xmat"), atol=limit
        )
    given = np.abs(found["geom_pos"] - scene.geom_pos).max()
    assert 0 < given < tolerance("compiled")


def test_every_world_has_frames_of_its_own(scene):
    """In worlds whose geoms are elsewhere, and in worlds whose inertial frames are: what each would have by itself."""
    rng = np.random.default_rng(2)
    fields = {name: np.array(getattr(scene, name)) for name in FIELDS}
    for moved in (["geom_pos"], ["body_ipos"], ["site_quat", "body_iquat"]):
        worlds = dict(fields)
        for name in moved:
            one = fields[name]
            worlds[name] = np.stack([one, one + 5e-7, one + 1e-4 * rng.normal(size=one.shape)])
        found = derive(SimpleNamespace(**worlds))
        for k in range(3):
            for name, value in derive(SimpleNamespace(**worlds | {name: worlds[name][k] for name in moved})).items():
                assert_same(found[name][k] if found[name].ndim > 2 else found[name], value, name)


def test_worlds_with_other_shapes_are_those_of_models_by_themselves():
    """A box that is at its body's frame but for rounding in one world, and elsewhere in the other."""
    boxes = []
    for x in (5e-7, 0.1):
        one = builder()
        one.add_shape_box(
            one.add_body(mass=1.0, com=(0, 0, 0), inertia=np.eye(3), lock_inertia=True),
            xform=pose(x, 0, 0, TILT if x > 0.01 else None),
            hx=0.1,
            hy=0.2,
            hz=0.3,
        )
        boxes.append(one)
    both = builder()
    for one in boxes:
        both.begin_world()
        both.add_builder(one)
        both.end_world()
    solver = SolverMuJoCo(both.finalize())
    for k, one in enumerate(boxes):
        alone = SolverMuJoCo(one.finalize())
        for name in ("geom_pos", "geom_quat"):
            assert_same(solver.mjw_model.arrays[name].numpy()[k], alone.mjw_model.arrays[name].numpy()[0], name)
    assert not solver.mjw_model.geom_pos.numpy()[0].any()
