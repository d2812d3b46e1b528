"""Contacts are found as often as bodies move, against a schedule worked out by hand."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError
from tests.harness.collide_scenes import pose
from tests.tolerance import tolerance

DT, SUBSTEPS, GAP = 0.01, 8, 0.01


def scene(device, gap: float = GAP):
    """A ball of 10 cm, half a metre from its body's centre of mass, and one that does not move."""
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=gap)
    body = b.add_link(xform=pose(0, 0, 1), mass=1.0)
    b.add_shape_sphere(body, radius=0.1, cfg=b.ShapeConfig(gap=gap, density=0.0), xform=pose(0.5, 0, 0))
    b.add_articulation([b.add_joint_free(body)])
    b.add_shape_sphere(-1, radius=0.1, cfg=cfg)
    return b.finalize(device=device)


def frame(model, speeds, most=None, **options) -> tuple:
    """Substeps at which contacts were found, with the time they were given, and whether there was an overflow;
    ``speeds`` are twists by substep.
    """
    pipeline = newton.CollisionPipeline(model, speculative_contact_gap_max=most)
    states, found, clock = (model.state(), model.state()), [], [0]
    twist = lambda k: np.array([speeds[min(k, len(speeds) - 1)]], np.float32)

    def substep(one, two, dt):
        assert dt == pytest.approx(DT) and one is states[clock[0] % 2] and two is states[1 - clock[0] % 2]
        clock[0] += 1
        two.body_q.assign(one.body_q)
        two.body_qd.assign(twist(clock[0]))

    scheduler = newton.CollisionSubstepScheduler(
        pipeline,
        states,
        collision_callback=lambda state, dt: found.append((clock[0], round(dt / DT))),
        substep_callback=substep,
        frame_dt=DT * SUBSTEPS,
        substeps=SUBSTEPS,
        **options,
    )
    states[0].body_qd.assign(twist(0))
    scheduler.step()
    assert clock[0] == SUBSTEPS
    return [k for k, _ in found], [n for _, n in found], int(scheduler.interval_overflow.numpy()[0])


@pytest.mark.parametrize(
    "speeds, due, planned, overflow",
    (
        ([(0, 0, 0, 0, 0, 0)], [0], [8], 0),  # at rest
        ([(0, 0, 0.3, 0, 0, 0)], [0, 3, 6], [3, 3, 2], 0),  # 6 mm a substep for two such shapes: three fill 18 of 20 mm
        ([(0, 0, 0, 0.5, 0, 0)], [0], [8], 0),  # a ball about its own diameter: 5 cm/s, 8 mm in all
        ([(0, 0, 0, 0, 0, 0.5)], [0, 3, 6], [3, 3, 2], 0),  # about z: 0.5 (0.5 + 0.1) = 0.3 m/s
        (
            [(0, 0, 0, 0, 0, 0)] * 4 + [(0, 0, 0.8, 0, 0, 0)],
            [0, 4, 5, 6, 7],
            [8, 1, 1, 1, 1],
            0,
        ),  # seen at the start of substep 4
        ([(0, 0, 3.0, 0, 0, 0)], list(range(8)), [1] * 8, 1),  # faster than any gap
    ),
)
def test_contacts_are_found_before_shapes_could_come_too_near(speeds, due, planned, overflow, device):
    found, frames, over = frame(scene(device), speeds)
    assert (found, frames, over) == (due, planned, overflow)


@pytest.mark.parametrize(
    "speeds, due, planned, overflow",
    (
        ([(0, 0, 0.3, 0, 0, 0)], [0, 3, 6], [3, 3, 2], 0),
        ([(0, 0, 0.3, 0, 0, 0), (0, 0, 0.1, 0, 0, 0)], [0, 1], [3, 7], 0),  # slower: others may come nearer to it
        ([(0, 0, 0.1, 0, 0, 0)] * 8 + [(0, 0, 3.0, 0, 0, 0)], [0], [8], 1),  # too fast at the end of the frame
    ),
)
def test_speculative_contacts_are_found_again_when_a_velocity_changes(speeds, due, planned, overflow, device):
    found, frames, over = frame(scene(device, gap=0.0), speeds, most=2.0 * GAP)
    assert (found, frames, over) == (due, planned, overflow)


def test_a_longest_time_between_searches(device):
    found, expected_frames, _ = frame(scene(device), [(0, 0, 0, 0, 0, 0)], collision_dt_max=3.0 * DT)
    assert found == [0, 3, 6] and expected_frames == [3, 3, 2]


def test_schedules_that_make_no_sense_are_refused(device):
    model = scene(device)
    one, two = model.state(), model.state()
    good = {"states": (one, two), "frame_dt": 0.1, "substeps": 4}
    for change, said in (
        ({"states": (one, one)}, "two different"),
        ({"substeps": 3}, "even number"),
        ({"frame_dt": -1.0}, "frame_dt: -1.0"),
        ({"collision_dt_max": 0.001}, "a substep takes 0.025 s"),
    ):
        options = good | change
        with pytest.raises(ModelError, match=said):
            newton.CollisionSubstepScheduler(
                newton.CollisionPipeline(model),
                options.pop("states"),
                collision_callback=print,
                substep_callback=print,
                **options,
            )
    with pytest.raises(ModelError, match="give them a gap"):
        frame(scene(device, gap=0.0), [(0, 0, 0, 0, 0, 0)])


def test_a_frame_runs_with_a_solver_on_the_contacts_found(device):
    """A ball that falls onto a plane comes to rest on it, with fewer searches than substeps."""
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig(gap=0.02)
    b.add_ground_plane(cfg=cfg)
    b.add_shape_sphere(b.add_body(xform=pose(0, 0, 0.15)), radius=0.1, cfg=cfg)
    model = b.finalize(device=device)
    solver = newton.solvers.SolverMuJoCo(model, use_mujoco_contacts=False)
    pipeline, states = newton.CollisionPipeline(model), (model.state(), model.state())
    contacts, count = pipeline.contacts(), [0]

    def collide(state, dt):
        count[0] += 1
        pipeline.collide(state, contacts, dt=dt)

    scheduler = newton.CollisionSubstepScheduler(
        pipeline,
        states,
        collision_callback=collide,
        substep_callback=lambda one, two, dt: solver.step(one, two, None, contacts, dt),
        frame_dt=0.02,
        substeps=8,
    )
    for _ in range(30):
        scheduler.step()
    assert 30 <= count[0] < 120
    assert states[0].body_q.numpy()[0, 2] == pytest.approx(0.1, abs=2 * tolerance("contact_rest"))
    if wp.get_device(device).is_cuda:
        with wp.ScopedCapture(device) as capture:
            scheduler.step()
        wp.capture_launch(capture.graph)
