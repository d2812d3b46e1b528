"""Speculative contacts: which are listed ahead of time, against the way that two shapes make towards each other."""

import numpy as np
import pytest

import newtonlite as newton
from newtonlite.core.errors import ModelError
from tests.harness.collide_scenes import pose

MOST, DT = 0.2, 0.1
APART = 0.05


def shapes(builder, kind: str):
    """Two equal shapes that are ``APART`` along x, on floating bodies."""
    cfg = builder.ShapeConfig(gap=0.0, margin=0.01)
    for k in range(2):
        body = builder.add_body(xform=pose(k * (0.22 + APART), 0, 0))
        if kind == "cone":
            builder.add_shape_cone(body, radius=0.1, half_height=0.1, xform=pose(0, 0, 0), cfg=cfg)
        else:
            builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1, cfg=cfg)


@pytest.fixture(scope="module")
def scenes(device):
    """(pipeline with speculative contacts, model) of each kind of shape, two worlds each."""
    found = {}
    for kind in ("box", "cone"):
        one, b = newton.ModelBuilder(gravity=(0, 0, 0)), newton.ModelBuilder(gravity=(0, 0, 0))
        shapes(one, kind)
        b.replicate(one, 2)
        model = b.finalize(device=device)
        found[kind] = newton.CollisionPipeline(model, speculative_contact_gap_max=MOST), model
    return found


def worlds_with_contacts(pipeline, model, twists, dt=DT) -> set:
    """Worlds that have contacts where the bodies have these velocities."""
    state, contacts = model.state(), pipeline.contacts()
    state.body_qd.assign(np.array(twists, np.float32))
    pipeline.collide(state, contacts, dt=dt)
    n = contacts.rigid_contact_count.numpy()[0]
    return set(model.shape_world.numpy()[contacts.rigid_contact_shape0.numpy()[:n]].tolist())


def along(*speeds) -> list:
    """Twists of bodies along x."""
    return [(v, 0, 0, 0, 0, 0) for v in speeds]


@pytest.mark.parametrize("kind", ("box", "cone"))
def test_shapes_that_approach_each_other_are_listed_ahead_of_time(kind, scenes):
    """5 cm apart and 0.1 s: from 0.5 m/s on, whoever moves; not where both move alike, or away."""
    pipeline, model = scenes[kind]
    assert worlds_with_contacts(pipeline, model, along(0.6, 0, 0, 0)) == {0}
    assert worlds_with_contacts(pipeline, model, along(0.4, 0, 0.3, -0.3)) == {1}
    assert worlds_with_contacts(pipeline, model, along(3, 3, -1, 1)) == set()
    assert worlds_with_contacts(pipeline, model, along(0.6, 0, 0.6, 0), dt=0.05) == set()


def test_turning_shapes_approach_by_their_corners(scenes):
    """A box turns by 6 rad/s: its corners, 0.1 m off the line between the middles, move by 0.6 m/s along it."""
    pipeline, model = scenes["box"]
    turn = [(0, 0, 0, 0, 0, 6.0), (0, 0, 0, 0, 0, 0)]
    assert worlds_with_contacts(pipeline, model, [*turn, *along(0, 0)]) == {0}


def test_no_further_than_the_largest_gap(device):
    b = newton.ModelBuilder(gravity=(0, 0, 0))
    shapes(b, "box")
    model = b.finalize(device=device)
    near, far = (newton.CollisionPipeline(model, speculative_contact_gap_max=most) for most in (0.04, 0.06))
    assert not worlds_with_contacts(near, model, along(9, 0)) and worlds_with_contacts(far, model, along(9, 0)) == {-1}


def test_values_that_make_no_sense_are_refused(scenes, device):
    pipeline, model = scenes["box"]
    with pytest.raises(ModelError, match="dt must be provided"):
        pipeline.collide(model.state(), pipeline.contacts())
    for dt in (-0.1, np.nan, np.inf):
        with pytest.raises(ModelError, match="dt must be a non-negative finite number"):
            pipeline.collide(model.state(), pipeline.contacts(), dt=dt)
    for most in (-0.1, np.nan, np.inf, True, "far"):
        with pytest.raises(ModelError, match="speculative_contact_gap_max must be"):
            newton.CollisionPipeline(model, speculative_contact_gap_max=most)
    b = newton.ModelBuilder()
    b.add_shape_sphere(b.add_body(), radius=0.1, cfg=b.ShapeConfig(is_hydroelastic=True))
    with pytest.raises(NotImplementedError, match="hydroelastic"):
        newton.CollisionPipeline(b.finalize(device=device), speculative_contact_gap_max=0.1)
