"""Session: stepping, resets of chosen worlds, joints and controls one by one."""

import numpy as np

from tests.harness.viewer_scenes import EVERYTHING, session
from tests.tolerance import tolerance


def test_reset_of_one_world_leaves_the_others():
    one = session("box_stack", 3)
    one.push.take(0, one.state.body_q.numpy()[0, :3], one.state.body_q.numpy())
    for _ in range(5):
        one.step()
    before, start = one.state.body_q.numpy().copy(), one.model.body_q.numpy()
    one.reset([1])
    where, after = one.model.body_world.numpy(), one.state.body_q.numpy()
    assert np.array_equal(after[where == 1], start[where == 1])
    assert np.array_equal(after[where != 1], before[where != 1])
    one.reset()
    assert np.array_equal(one.state.body_q.numpy(), start)
    assert one.time == 0.0


def test_a_joint_is_set_in_one_world():
    from newtonlite.viewer.page.panels.joints import coordinates

    one = session(EVERYTHING, 2)
    rows = {name: row for row, name, *_ in coordinates(one.model, 1)}
    assert {"shoulder", "elbow"} <= set(rows)
    assert len(rows) == 5
    before = one.state.body_q.numpy().copy()
    one.set_joint(rows["shoulder"], 0.5, 1)
    after, where = one.state.body_q.numpy(), one.model.body_world.numpy()
    assert np.array_equal(after[where == 0], before[where == 0])
    arm = next(k for k in np.flatnonzero(where == 1) if one.model.body_label[k].endswith("arm"))
    assert np.isclose(2 * np.arccos(abs(after[arm, 6])), 0.5, atol=tolerance("drawn_corner"))


def test_controls_of_a_world():
    one = session(EVERYTHING, 2)
    rows, names, ranges = one.controls_of(1)
    assert rows.tolist() == [2, 3]
    assert [name.split("/")[-1] for name in names] == ["pull", "turn"]
    assert ranges == [(-1.0, 0.0), (-1.0, 1.0)]


def test_sensors_and_energies_can_be_plotted():
    from newtonlite.viewer.scalars import Energies

    one = session(EVERYTHING, 2)
    one.step()
    names, values = one.sensor_names(1), one.sensors_of(1)
    assert len(names) == len(values) == 5
    energies = Energies(one.model)
    first = energies.of(one.state, 1)
    for _ in range(20):
        one.step()
    later = energies.of(one.state, 1)
    assert later[0] > first[0]
    assert later[1] < first[1]
    assert np.isclose(later[2], later[0] + later[1])
