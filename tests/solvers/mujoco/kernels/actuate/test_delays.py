"""Delayed controls over hundreds of steps: buffers go round, and samples are still found when the clock has run for
long.
"""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.oracle import States
from tests.tolerance import assert_close

DELAYS = """<mujoco><option timestep="0.002"/><worldbody><body>
  <joint name="j" damping="1"/><geom size="0.1"/>
</body></worldbody><actuator>{}</actuator></mujoco>"""
HELD = """<motor joint="j" nsample="3" delay="0.004"/><motor joint="j" nsample="5" delay="0.003"/>
  <motor joint="j" nsample="4" delay="0.008" ctrlrange="-0.5 0.5"/><motor joint="j" nsample="2" delay="0.02"/><motor joint="j" nsample="3"/>"""
BETWEEN = """<motor joint="j" nsample="6" delay="0.0095" interp="linear"/><motor joint="j" nsample="6" delay="0.0095" interp="cubic"/>
  <motor joint="j" nsample="3" delay="0.0051" interp="cubic"/><motor joint="j" nsample="8" delay="0.0021" interp="cubic"/>
  <pid joint="j" nsample="4" delay="0.0033" interp="linear" kp="0" kv="0" input="pos ff"/>"""
STEPS = 300


def follow(text: str, device, time: float):
    """Forces of MuJoCo and of the engine under the same random controls, [STEPS, nout] each."""
    mj = oracle.compile_xml(DELAYS.format(text))
    ctrl = np.random.default_rng(5).uniform(-1, 1, (STEPS, mj.nu)).astype(np.float32)
    start = States(mj.qpos0[None], np.zeros((1, mj.nv)), np.zeros((1, mj.nv)), ctrl[:1])
    engine = Engine(mj, start, device, scratch="per_world")
    engine.d.time.assign(np.array([time], np.float32))
    found = []
    for row in ctrl:
        engine.write("ctrl", row[None])
        found.append(engine.step().read("actuator_force")[0])
    return oracle.forces_under(mj, ctrl, time), np.array(found)


@pytest.mark.parametrize("text", [HELD, BETWEEN], ids=["held", "between"])
def test_forces_come_as_late_as_mujocos(text, device):
    want, got = follow(text, device, 0.0)
    assert np.abs(want[10:]).max() > 0.4
    assert_close(got, want, "delay", floor=1.0)


def test_held_samples_are_found_after_a_quarter_of_an_hour(device):
    """As late as from the start: MuJoCo, which compares times exactly, takes an older sample where its clock has been
    rounded.
    """
    want, _ = follow(HELD, device, 0.0)
    _, got = follow(HELD, device, 900.0)
    assert_close(got[10:], want[10:], "delay", floor=1.0)
