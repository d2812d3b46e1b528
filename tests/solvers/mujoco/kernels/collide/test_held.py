"""A peg that falls into its hole, and a mesh that a gripper holds: no deeper and no farther than MuJoCo's. A short run
of the benchmark.
"""

import pytest

pytest.importorskip("mujoco")

from conformance.stability import compare, gripper, peg
from tests.tolerance import tolerance

SECONDS = 1.5


@pytest.mark.parametrize("scene", (peg, gripper))
def test_penetration_and_creep_are_those_of_mujoco(scene):
    ours, theirs = compare(scene(), SECONDS, 1.0)
    for one, two in zip(ours, theirs, strict=True):
        assert one <= 1.5 * two + tolerance("contact_rest") * 0.1
    assert abs(ours[2] - theirs[2]) <= tolerance("contact_rest") * 0.1, "it fell elsewhere"
