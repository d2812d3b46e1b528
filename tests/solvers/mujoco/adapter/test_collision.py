"""Rows N-080 to N-086, N-095: who finds contacts, margins, gap, groups, and contacts listed for the scene."""

import numpy as np
import pytest
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import CapacityError, ModelError, NewtonWarning, StateError
from newtonlite.core.mujoco import MjtDisableBit
from tests.harness.contacts import contacts_of
from tests.harness.engine_scenes import TILT, builder, pose
from tests.harness.expected import deepest
from tests.harness.newton_scenes import resting, solver, step, weight
from tests.tolerance import assert_close, assert_same


def heap(count: int = 1):
    """Boxes, balls and capsules that touch each other and a shared ground; copies in worlds."""
    one = builder()
    for k, add in enumerate(("add_shape_box", "add_shape_sphere", "add_shape_capsule")):
        body = one.add_body(xform=pose(0.12 * k, 0.02 * k, 0.099 + 0.02 * k, TILT if k == 2 else None))
        getattr(one, add)(body, **({"radius": 0.1} if k else {"hx": 0.1, "hy": 0.1, "hz": 0.1}))
    b = builder()
    b.add_ground_plane()
    b.replicate(one, count)
    return b


def contact_of(s, contacts):
    """The solver's contacts as a list of rows of NumPy arrays."""
    s.update_contacts(contacts)
    n = int(contacts.rigid_contact_count.numpy()[0])
    names = ("shape0", "shape1", "point0", "point1", "normal", "force")
    return {name: getattr(contacts, f"rigid_contact_{name}").numpy()[:n] for name in names}


def test_n_080_the_engine_finds_contacts_unless_told_otherwise(device):
    model = resting().finalize(device=device)
    s = solver(model)
    assert s.use_mujoco_contacts
    step(s, model.state())
    assert s.mjw_data.ncon.numpy().tolist() == [1]
    given = solver(model, use_mujoco_contacts=False)
    step(given, model.state(), contacts=contacts_of(model))
    assert given.mjw_data.ncon.numpy().tolist() == [0]
    with pytest.raises(StateError, match="use_mujoco_contacts=False needs the contacts of this step"):
        given.step(model.state(), model.state(), None, None, 0.002)


@pytest.mark.parametrize("worlds", [1, 3])
def test_n_080_contacts_handed_back_do_what_they_did(device, worlds):
    """The engine's contacts, listed and given to another solver in any order of worlds, make the same step."""
    model = heap(worlds).finalize(device=device)
    state, contacts = model.state(), contacts_of(model)
    qd = np.random.default_rng(1).normal(scale=0.1, size=model.joint_dof_count)
    state.joint_qd.assign(qd.astype(np.float32))
    own = solver(model)
    want = step(own, state)
    own.update_contacts(contacts)
    shuffle(contacts)
    s = solver(model, use_mujoco_contacts=False)
    got = step(s, state, contacts=contacts)
    assert_same(s.mjw_data.ncon.numpy(), own.mjw_data.ncon.numpy())
    assert_close(got.joint_qd.numpy(), want.joint_qd.numpy(), "qacc", floor=1.0)


def shuffle(contacts) -> None:
    """Other order of the rows in use; each world keeps its own order."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    order = np.argsort(np.arange(n) % 2, kind="stable")
    for name in ("shape0", "shape1", "point0", "point1", "normal"):
        array = getattr(contacts, f"rigid_contact_{name}")
        values = array.numpy().copy()
        values[:n] = values[:n][order]
        array.assign(values)


def test_n_080_the_same_given_contacts_give_the_same_bits(device):
    model = heap(2).finalize(device=device)
    contacts = contacts_of(model)
    own = solver(model)
    step(own, model.state())
    own.update_contacts(contacts)
    results = [
        step(solver(model, use_mujoco_contacts=False), model.state(), contacts=contacts, steps=3) for _ in range(2)
    ]
    assert_same(results[0].joint_qd.numpy(), results[1].joint_qd.numpy())


@pytest.mark.parametrize("capacity", [4, 0])
def test_n_080_the_deepest_of_the_given_contacts_stay_where_not_all_fit(device, capacity):
    """In their order, in each world; the others are counted, have no slot, and worlds that fit are as they were."""
    model = heap(3).finalize(device=device)
    contacts, own = contacts_of(model), solver(model)
    step(own, model.state())
    own.update_contacts(contacts)
    tilt_depths(contacts)
    roomy, small = (solver(model, use_mujoco_contacts=False, nconmax=n, njmax=200) for n in (50, capacity))
    step(roomy, model.state(), contacts=contacts)
    with pytest.warns(NewtonWarning, match=f"nconmax={capacity}"):
        step(small, model.state(), contacts=contacts)
    all_, few = roomy.mjw_data, small.mjw_data
    needed = all_.ncon.numpy()
    assert (needed > 4).any()
    assert_same(few.ncon_needed.numpy(), needed)
    assert_same(few.ncon.numpy(), np.minimum(needed, capacity))
    assert_same(few.lost.numpy()[:, 0], np.maximum(needed - capacity, 0))
    before, slots = (s.only.external_contacts.slot.numpy() for s in (roomy, small))
    shape_world, stays = model.shape_world.numpy(), slots >= 0
    worlds = np.maximum(*(shape_world[getattr(contacts, f"rigid_contact_shape{k}").numpy()[stays]] for k in (0, 1)))
    assert stays.sum() == np.minimum(needed, capacity).sum()
    assert_same(few.contact_dist.numpy()[worlds, slots[stays]], all_.contact_dist.numpy()[worlds, before[stays]])
    for w, n in enumerate(needed):
        kept = deepest(all_.contact_dist.numpy()[w, :n], capacity)
        assert n <= capacity or capacity == 0 or kept[-1] >= capacity, "the first are the deepest: nothing is tested"
        for name in ("contact_dist", "contact_pos", "contact_geom", "contact_frame"):
            assert_same(getattr(few, name).numpy()[w, : len(kept)], getattr(all_, name).numpy()[w, kept], name)


def test_n_080_a_world_has_room_for_its_share_of_the_contacts_that_the_scene_holds(device):
    """More than its geoms suggest where a caller finds the contacts, as between shapes that are not convex; ``nconmax``
    is obeyed.
    """
    model = resting().finalize(device=device)
    assert solver(model).mjw_data.nconmax == 1
    assert solver(model, use_mujoco_contacts=False, nconmax=3).mjw_data.nconmax == 3
    model.rigid_contact_max = 40
    contacts, own = contacts_of(model), solver(model)
    step(own, model.state())
    own.update_contacts(contacts)
    contacts.rigid_contact_count.fill_(40)
    for name in ("shape0", "shape1", "point0", "point1", "normal", "margin0", "margin1"):
        array = getattr(contacts, f"rigid_contact_{name}")
        array.assign(np.repeat(array.numpy()[:1], 40, axis=0))
    s = solver(model, use_mujoco_contacts=False)
    step(s, model.state(), contacts=contacts)
    assert s.mjw_data.ncon.numpy().tolist() == [40] and not s.mjw_data.overflow.numpy().any()
    many = heap(3).finalize(device=device)
    many.rigid_contact_max = 301
    assert solver(many, use_mujoco_contacts=False).mjw_data.nconmax == 101


def tilt_depths(contacts) -> None:
    """Later rows deeper than earlier ones, each by its own amount."""
    n = int(contacts.rigid_contact_count.numpy()[0])
    points = contacts.rigid_contact_point1.numpy()
    normals = contacts.rigid_contact_normal.numpy()
    points[:n] -= 1e-4 * np.arange(n)[:, None] * normals[:n]
    contacts.rigid_contact_point1.assign(points)


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
def test_n_095_listed_contacts_have_points_normals_shapes_and_forces(device):
    """A ball at rest on the ground: one contact below it, pushing the ground down with the ball's weight."""
    model = resting(kd=100.0, ke=2500.0).finalize(device=device)
    model.request_contact_attributes("force")
    s, contacts = solver(model), contacts_of(model)
    step(s, model.state(), steps=1000)
    rows = contact_of(s, contacts)
    assert (rows["shape0"].tolist(), rows["shape1"].tolist()) == ([0], [1])
    assert_close(rows["normal"], [[0.0, 0.0, 1.0]], "kinematics")
    assert_close(rows["point1"], [[0.0, 0.0, -0.1]], "kinematics")
    assert_close(rows["force"], [[0.0, 0.0, -weight(model)]], "contact_rest")
    assert_close(contacts.force.numpy()[:1, :3], rows["force"], "same")


def test_n_095_listed_contacts_have_the_materials_of_their_shapes(device):
    """Friction follows from the shapes of a row, in each world from its own; what other contacts left in the rows is
    gone.
    """
    model = heap(2).finalize(device=device)
    mu = np.linspace(0.1, 0.9, model.shape_count)
    model.shape_material_mu.assign(mu)
    s = solver(model)
    contacts = newton.Contacts(model.contact_capacity, device=device, per_contact_shape_properties=True)
    for name in ("stiffness", "damping", "friction"):
        getattr(contacts, f"rigid_contact_{name}").fill_(7.0)
    step(s, model.state())
    rows = contact_of(s, contacts)
    worlds, slots = np.nonzero(np.arange(s.mjw_data.nconmax) < s.mjw_data.ncon.numpy()[:, None])
    felt = s.mjw_data.contact_friction.numpy()[worlds, slots, 0]
    assert set(worlds) == {0, 1}
    assert_close(felt, np.maximum(mu[rows["shape0"]], mu[rows["shape1"]]), "authored")
    for name in ("stiffness", "damping", "friction"):
        assert not getattr(contacts, f"rigid_contact_{name}").numpy()[: len(felt)].any()


def test_n_095_contact_points_lie_on_both_bodies(device):
    """In the world the two points are apart along the normal by the contact's distance, in every world."""
    model = heap(3).finalize(device=device)
    s, contacts, state = solver(model), contacts_of(model), model.state()
    step(s, state)
    rows = contact_of(s, contacts)
    body, q = model.shape_body.numpy(), state.body_q.numpy()
    ends = []
    for k in (0, 1):
        points = [turned(q, body[i], p) for i, p in zip(rows[f"shape{k}"], rows[f"point{k}"])]
        ends.append(np.array(points))
    worlds, slots = np.nonzero(np.arange(s.mjw_data.nconmax) < s.mjw_data.ncon.numpy()[:, None])
    dist = s.mjw_data.contact_dist.numpy()[worlds, slots]
    assert_close(ends[1] - ends[0], rows["normal"] * dist[:, None], "contact", floor=1.0)
    shape_world = model.shape_world.numpy()
    assert (np.maximum(shape_world[rows["shape0"]], shape_world[rows["shape1"]]) == worlds).all()


def turned(q, body, point):
    """A body's point in the world."""
    return (
        point if body < 0 else np.array(wp.transform_point(wp.transform(*q[body].tolist()), wp.vec3(*point.tolist())))
    )


def test_n_095_nothing_is_listed_without_asking_and_a_short_list_is_refused(device):
    model = heap().finalize(device=device)
    s = solver(model)
    contacts = newton.Contacts(s.get_max_contact_count(), 0, device=device)
    step(s, model.state(), contacts=contacts)
    assert contacts.rigid_contact_count.numpy()[0] == 0
    s.update_contacts(contacts)
    assert contacts.rigid_contact_count.numpy()[0] == s.mjw_data.ncon.numpy()[0] > 3
    with pytest.raises(CapacityError, match="exceeds Contacts capacity \\(3\\)"):
        s.update_contacts(newton.Contacts(3, 0, device=device))


def test_n_081_multiccd_is_off_unless_asked_for(device):
    model = resting().finalize(device=device)
    flags = {
        value: solver(model, enable_multiccd=value).mj_model.opt.disableflags & MjtDisableBit.MULTICCD
        for value in (None, False, True)
    }
    assert (bool(flags[None]), bool(flags[False]), bool(flags[True])) == (True, True, False)


def test_n_082_margins_are_zeroed_beside_boxes_with_a_warning(device):
    b = heap()
    b.shape_margin[2] = 0.01
    model = b.finalize(device=device)
    with pytest.warns(NewtonWarning, match=r"shape_\d+'?: shape margins are zeroed for NATIVECCD"):
        s = solver(model)
    assert not s.mj_model.geom_margin.any() and model.shape_margin.numpy()[2] == np.float32(0.01)


def test_n_082_margins_stay_without_boxes_and_for_given_contacts(device):
    b = resting(margin=0.01)
    assert_close(solver(b.finalize(device=device)).mj_model.geom_margin, [0.01, 0.01], "authored")
    b = heap()
    b.shape_margin[2] = 0.01
    s = solver(b.finalize(device=device), use_mujoco_contacts=False)
    assert_close(s.mj_model.geom_margin.max(keepdims=True), [0.01], "authored")


def test_n_082_margins_stay_where_both_collision_detections_are_off(device):
    b = builder()
    b.add_mjcf(
        '<mujoco><option><flag nativeccd="disable"/></option><worldbody><geom type="box" size="1 1 1"/><body pos="0 0 3"><freejoint/><geom size="1"/></body></worldbody></mujoco>'
    )
    b.shape_margin[1] = 0.01
    model = b.finalize(device=device)
    assert_close(solver(model, enable_multiccd=False).mj_model.geom_margin.max(keepdims=True), [0.01], "authored")
    with pytest.warns(NewtonWarning, match="zeroed for NATIVECCD/MULTICCD"):
        assert not solver(model, enable_multiccd=True).mj_model.geom_margin.any()


def test_n_083_gap_never_reaches_the_engine(device):
    b = builder()
    b.add_mjcf(
        '<mujoco><worldbody><geom type="plane" size="1 1 1" gap="0.1"/><body><freejoint/><geom size="1" gap="0.2"/></body></worldbody></mujoco>'
    )
    model = b.finalize(device=device)
    assert_close(model.shape_gap.numpy(), [0.2, 0.1], "authored")
    assert not solver(model).mj_model.geom_gap.any()


def test_n_084_the_engine_computes_bounding_radii_itself(device):
    model = resting().finalize(device=device)
    model.shape_collision_radius.fill_(77.0)
    assert_close(solver(model).mj_model.geom_rbound, [0.0, 0.1], "authored")


def test_n_085_groups_become_masks_that_say_who_meets_whom(device):
    """Group 0 meets nothing, a positive one itself and negative ones, a negative one all but itself; masks alone say
    it.
    """
    b = builder()
    groups = (0, 1, 1, 2, -1, -1, -2, 3)
    for group in groups:
        b.add_shape_sphere(b.add_body(), radius=0.1, cfg=b.ShapeConfig(collision_group=group))
    b.add_shape_collision_filter_pair(1, 4)
    s = solver(b.finalize(device=device))
    contype, conaffinity = s.mj_model.geom_contype, s.mj_model.geom_conaffinity
    want = {
        (1, 2),
        (2, 4),
        (3, 4),
        (1, 5),
        (2, 5),
        (3, 5),
        (1, 6),
        (2, 6),
        (3, 6),
        (4, 6),
        (5, 6),
        (4, 7),
        (5, 7),
        (6, 7),
    }
    meet = {
        (i, j) for i in range(8) for j in range(i + 1, 8) if contype[i] & conaffinity[j] or contype[j] & conaffinity[i]
    }
    assert meet == want
    assert len(s.mj_model.geom_exclude) == 0
    assert {tuple(sorted(p)) for p in s.mjw_model.cand_geom.numpy().tolist()} == want


def test_n_085_more_groups_than_bits_stay_exact_by_a_list(device):
    """Forty groups of two: masks have 32 bits, the engine's list of pairs says the rest."""
    b = builder()
    for k in range(80):
        b.add_shape_sphere(b.add_body(), radius=0.1, cfg=b.ShapeConfig(collision_group=1 + k // 2))
    s = solver(b.finalize(device=device))
    assert {tuple(sorted(p)) for p in s.mjw_model.cand_geom.numpy().tolist()} == {(2 * k, 2 * k + 1) for k in range(40)}
    assert (s.mj_model.geom_contype != 0).all()


def test_n_086_velocity_limits_are_ignored(device):
    b = builder(gravity=(0, 0, 0))
    body = b.add_link()
    b.add_shape_sphere(body, radius=0.1)
    b.add_articulation([b.add_joint_prismatic(-1, body, velocity_limit=0.1)])
    model = b.finalize(device=device)
    state = model.state()
    state.joint_qd.assign([5.0])
    assert_close(step(solver(model), state, steps=10).joint_qd.numpy(), [5.0], "force")


@pytest.mark.filterwarnings("ignore:.*is deprecated .by Newton")
def test_n_016_observed_contact_forces_are_the_listed_ones(device):
    model = heap().finalize(device=device)
    model.request_contact_attributes("force")
    s, contacts = solver(model), contacts_of(model)
    seen = s.observables(["contact_f", "overflow"], contacts=contacts)
    step(s, model.state(), observables=seen)
    s.update_contacts(contacts)
    assert_same(seen.contact_f.numpy(), contacts.force.numpy())
    assert seen.overflow.numpy().tolist() == [0] and np.abs(seen.contact_f.numpy()).max() > 1.0
    with pytest.raises(ModelError, match="some have a row per contact"):
        s.observables(["contact_f"])
    with pytest.raises(StateError, match=r"does not support \['colour'\]"):
        s.observables(["colour"])


def test_n_098_arguments_that_are_not_supported_are_refused(device):
    model = resting().finalize(device=device)
    for argument in ({"use_speculative_contacts": True}, {"update_data_interval": -1}):
        with pytest.raises(ModelError, match=next(iter(argument))):
            solver(model, **argument)


def test_n_095_listed_contacts_are_matched_with_none(device):
    """What a pipeline matched before says nothing of the solver's rows; those it has forces for stay as the pipeline
    left them.
    """
    model = heap(1).finalize(device=device)
    pipeline = newton.CollisionPipeline(model, contact_matching="latest", contact_report=True)
    state, contacts = model.state(), pipeline.contacts()
    for _ in range(2):
        pipeline.collide(state, contacts)
    index, generation = contacts.rigid_contact_match_index.numpy().copy(), int(contacts.contact_generation.numpy()[0])
    assert (index >= 0).any()
    given, own = solver(model, use_mujoco_contacts=False), solver(model)
    step(given, state, contacts=contacts)
    given.update_contacts(contacts)
    assert_same(contacts.rigid_contact_match_index.numpy(), index)
    step(own, state)
    own.update_contacts(contacts)
    assert (contacts.rigid_contact_match_index.numpy() == -1).all() and contacts.rigid_contact_match_generation.numpy()[
        0
    ] == -1
    assert contacts.rigid_contact_new_count.numpy()[0] == contacts.rigid_contact_broken_count.numpy()[0] == 0
    assert contacts.contact_generation.numpy()[0] == generation + 1
