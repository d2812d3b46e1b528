"""Real models, part by part of a step, worlds all different: the sweep of ``make parity`` on a few models."""

import pytest

from newtonlite.cli.simulation import compile_file
from tests import oracle
from tests.harness.stagewise import PARTS, Truth, compare, engine_for, moved, part_errors, shaken

STATES = 20
MODELS = """
mjwarp_bench/unitree_g1/scene_flat.xml mujoco_mjx/shadow_hand/right_hand.xml mujoco_model/tendon_arm/arm26.xml newton/nv_humanoid.xml
mujoco_mjx/sensor/sensor.xml mujoco_test/engine/derivative/linear.xml mujoco_test/engine/weld.xml mujoco_test/engine/island/abacus.xml
mujoco_test/engine/armature_equivalence.xml mujoco_test/user/frame2.xml mjwarp_test/actuation/slidercrank.xml
mjwarp_test/actuation/actuators.xml mjwarp_test/pendula.xml
""".split()
"""The last two are unstable in MuJoCo under controls of full size."""


def loaded(assets, path):
    """(our compiled model, MuJoCo's numbers), with solvers that run until they gain nothing."""
    ours, theirs = compile_file(assets / "mjcf" / path), oracle.compile_xml(assets / "mjcf" / path)
    for mj in (ours, theirs):
        mj.opt.iterations, mj.opt.tolerance = 200, 0.0
    return ours, Truth(theirs, oracle.gentle_states(theirs, STATES))


@pytest.mark.parametrize("path", MODELS)
def test_every_part_of_a_step_is_mujocos(path, device, assets):
    oracle.be_quiet()
    ours, truth = loaded(assets, path)
    found = part_errors(engine_for(ours, truth, device), truth)
    bad = [
        f"{part} {f.what}: {f.worst:.1e}, allowed {f.limit:.0e}"
        for part, arrays in found.items()
        for f in arrays
        if not f.share <= 1
    ]
    assert not bad, "\n".join(bad)


def test_every_part_compares_something(device, assets):
    """Of a model with everything, no part is empty, and a wrong number is found."""
    ours, truth = loaded(assets, "newton/nv_humanoid.xml")
    truth.want["cdof"][3] *= 1.01
    truth.datas[2].sensordata[:] += 1.0
    found = part_errors(engine_for(ours, truth, device), truth)
    assert all(found[part] for part in PARTS)
    wrong = {(part, f.what) for part, arrays in found.items() for f in arrays if f.share > 1}
    assert ("position", "cdof") in wrong and any(part == "sense" for part, _ in wrong)


def test_mujoco_moves_as_far_as_its_input(assets):
    """The yardstick of the table: a stable model moves, and by less than is allowed; unmoved, its pass is MuJoCo's bit
    for bit.
    """
    mj = oracle.compile_xml(assets / "mjcf" / "newton" / "nv_humanoid.xml")
    truth = Truth(mj, oracle.gentle_states(mj, 4))
    others = [shaken(truth, seed) for seed in range(2)]
    found = compare("position", lambda field: truth.want[field], truth)
    shares = [own.max() / f.limit for f, own in zip(found, moved(truth, others, "position"), strict=True)]
    assert 0 < min(shares) and max(shares) < 1
    still = shaken(truth, 0, 0.0)
    for part in PARTS:
        assert not any(own.any() for own in moved(truth, [still], part)), part
