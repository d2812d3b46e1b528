"""Push: a body follows the pointer, with a limited force, and no other world notices."""

import numpy as np

from tests.harness.viewer_scenes import session


def pushed(worlds: int, world: int, steps: int = 60):
    """(pushed session, forces over the steps, session without a push) of box stacks; the top box of a world is pulled
    aside.
    """
    one, other = session("box_stack", worlds), session("box_stack", worlds)
    body = np.flatnonzero(one.model.body_world.numpy() == world)[-1]
    start = one.state.body_q.numpy()[body, :3].copy()
    one.push.take(body, start + [0.02, 0.0, 0.0], one.state.body_q.numpy())
    one.push.pull(start + [0.6, 0.3, 0.3])
    forces = []
    for _ in range(steps):
        one.step()
        other.step()
        forces.append(one.push.force.copy())
    return one, np.array(forces), other, body, start


def test_a_body_moves_toward_the_pointer_with_a_limited_force():
    one, forces, _, body, start = pushed(2, 1)
    target = start + [0.6, 0.3, 0.3]
    before = np.linalg.norm(target - start)
    after = np.linalg.norm(target - one.state.body_q.numpy()[body, :3])
    assert after < 0.8 * before
    limit = one.push.limit * one.push.mass[body]
    assert np.linalg.norm(forces, axis=1).max() <= limit * (1 + 1e-6)
    assert forces[0] @ (target - start) > 0


def test_other_worlds_keep_their_bits():
    one, _, other, _, _ = pushed(3, 1)
    where = one.model.body_world.numpy()
    for name in ("body_q", "body_qd"):
        a, b = (getattr(s.state, name).numpy() for s in (one, other))
        assert np.array_equal(a[where != 1], b[where != 1])
        assert not np.array_equal(a[where == 1], b[where == 1])


def test_after_letting_go_no_force_is_left():
    one, _, _, _, _ = pushed(2, 0, steps=3)
    assert one.state.body_f.numpy().any()
    one.push.release()
    one.step()
    assert not one.state.body_f.numpy().any()


def test_a_huge_pull_is_limited():
    one = session("box_stack", 1)
    one.push.take(0, one.state.body_q.numpy()[0, :3], one.state.body_q.numpy())
    one.push.pull([1e6, 0, 0])
    one.step()
    assert np.linalg.norm(one.push.force) <= one.push.limit * one.push.mass[0] * (1 + 1e-6)
    assert np.isfinite(one.state.body_q.numpy()).all()
