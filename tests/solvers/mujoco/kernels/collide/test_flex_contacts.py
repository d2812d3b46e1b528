"""Contacts of flexes: MuJoCo's, one by one and in its order."""

import numpy as np
import pytest

from newtonlite import mjwarp
from newtonlite.solvers.mujoco.kernels.collide.flex_reduction import LEFT
from tests.harness.flex_scenes import (
    BLOCK_AND_CLOTH,
    SHAPES,
    TWO_CLOTHS,
    TWO_ROPES,
    contact_errors,
    flex,
    folded,
    on_shape,
    own_contacts,
    same_ids,
    world,
)
from tests.harness.soft_bodies import Softened
from tests.tolerance import tolerance

CLOSED = [(s, d) for s in ("plane", "sphere", "capsule", "box") for d in (1, 2, 3) if (s, d) != ("box", 3)]
SEARCHED = [(s, d) for s in SHAPES for d in (1, 2, 3) if (s, d) not in CLOSED]


def check(source: str, device, pos: str = "hit_position", normal: str = "hit_normal", bend: float = 0.02) -> int:
    """Compare all contacts of some bent states; those of a flex as it was laid flat are ties. Returns how many there are."""
    s = Softened(source, device, worlds=4, bend=bend, seed=3).forward()
    count, off = 0, []
    for w, data in list(enumerate(s.datas))[1:]:
        own = own_contacts(s, w)
        assert same_ids(own, data), (w, len(own["dist"]), data.ncon)
        count += data.ncon
        errors = {"dist": "hit_distance", "pos": pos, "frame": normal}
        wrong = [contact_errors(own, data, name) > tolerance(limit) for name, limit in errors.items()]
        off += np.any(wrong, axis=0).tolist()
    assert np.mean(off) <= tolerance("scene_ties"), np.flatnonzero(off)
    return count


@pytest.mark.parametrize("shape, dim", CLOSED)
def test_contacts_in_closed_form(shape, dim, device):
    assert check(on_shape(shape, dim), device) > 3


@pytest.mark.parametrize("shape, dim", SEARCHED)
def test_contacts_of_the_convex_search(shape, dim, device):
    assert check(on_shape(shape, dim), device, "patch_position", "searched_normal") > 3


@pytest.mark.parametrize("source", (TWO_CLOTHS, BLOCK_AND_CLOTH), ids=("cloths", "block and cloth"))
def test_contacts_of_two_flexes(source, device):
    assert check(source, device, "patch_position", "searched_normal") > 100


def test_contacts_of_two_ropes(device):
    assert check(TWO_ROPES, device) > 3


@pytest.mark.parametrize("dim", (1, 2, 3))
@pytest.mark.parametrize("kind", ("auto", "sap", "bvh", "narrow"))
def test_contacts_with_itself(kind, dim, device):
    """In the order of a sweep, or of elements."""
    assert check(folded(dim, kind), device, "patch_position", "searched_normal", bend=0.1) > 0


WOUND = """
<mujoco><option timestep=".002"/><worldbody>
  <flexcomp name="c" type="direct" dim="2" radius=".005" mass=".2"
    point="0 0 0  0 .06 0  .06 0 .001  .06 .06 .001  .12 0 .006  .12 .06 .006
           .07 0 .0105  .07 .06 .0108  .01 0 .0102  .01 .06 .0104"
    element="0 2 3 0 3 1 2 4 5 2 5 3 4 6 7 4 7 5 6 8 9 6 9 7">
    <edge equality="true"/><contact selfcollide="{kind}"/>
  </flexcomp>
</worldbody></mujoco>"""
"""A strip folded back, whose last elements come early in the tree of boxes."""


@pytest.mark.parametrize("kind", ("bvh", "narrow"))
def test_the_first_of_two_elements_is_that_with_the_lower_place_in_the_tree(kind, device):
    assert check(WOUND.format(kind=kind), device, "patch_position", "searched_normal", bend=0.002) > 0


INTERPOLATED = {
    "trilinear": {"dim": 3, "dof": "trilinear", "cellcount": "2 1 1"},
    "quadratic": {"dim": 3, "dof": "quadratic"},
}


@pytest.mark.parametrize("kind", INTERPOLATED)
@pytest.mark.parametrize("shape", ("sphere", "capsule", "box", "mesh"))
def test_contacts_of_interpolated_flexes(shape, kind, device):
    """Fewer than 50, so that none is left out."""
    body = f'<body name="o"><freejoint/><geom {SHAPES[shape]}/></body>'
    source = world(body, flex(count="3 3 2", pos="0 0 .05", spacing=".06 .06 .06", **INTERPOLATED[kind]))
    closed = shape in ("sphere", "capsule")
    limits = ("hit_position", "hit_normal") if closed else ("patch_position", "searched_normal")
    assert check(source, device, *limits) > 3


@pytest.mark.parametrize("kind", ("auto", "narrow", "bvh", "sap"))
def test_an_interpolated_flex_touches_itself_across_cells(kind, device):
    """Elements in the same cell or in neighbouring ones do not meet; a vertex between two cells is in both."""
    given = {"dof": "trilinear", "cellcount": "6 5 1", "count": "4 4 2", "radius": ".001", "spacing": ".05 .05 .05"}
    s = Softened(world(flex(dim=3, selfcollide=kind, **given)), device, worlds=3, bend=0.0).forward()
    nodes = s.datas[0].xpos[1:] - s.datas[0].xpos[1:].mean(axis=0)
    for w, data in enumerate(s.datas):
        fold = -nodes * (1.3, 0.5, 0.3) + np.random.default_rng(w).normal(0.0, 0.02, nodes.shape)
        data.qpos[:] = fold.astype(np.float32).ravel()
    s.d.qpos.assign(np.array([data.qpos for data in s.datas], np.float32))
    s.forward()
    for w, data in enumerate(s.datas):
        own = own_contacts(s, w)
        if data.ncon < LEFT:
            assert same_ids(own, data)
            assert not len(own["dist"]) or contact_errors(own, data, "dist").max() < tolerance("hit_distance")
    assert any(LEFT > data.ncon > 0 for data in s.datas)


def test_contacts_of_cells_and_a_cloth_are_all_kept(device):
    """Of two flexes fifty stay if both are interpolated or rigid, and all if one is neither."""
    cells = flex(dim=3, dof="trilinear", count="4 4 2", spacing=".04 .04 .04")
    cloth = flex("g", count="4 4 1", spacing=".04 .04 .04", pos=".005 .003 .026")
    assert check(world(cells, cloth), device, "patch_position", "searched_normal") > 3 * LEFT


def test_contacts_of_geoms_and_flexes_are_in_one_order(device):
    """By the lower body, and a body's planes before its other geoms."""
    s = Softened(
        world(
            '<geom type="sphere" size=".05" pos=".03 .02 -.048"/>',
            '<geom type="plane" size="1 1 .1" pos="0 0 -.002"/>',
            '<geom type="box" size=".04 .04 .04" pos="-.06 -.05 -.038"/>',
            flex(count="3 3 1", radius=".005"),
            '<body name="x" pos=".1 .1 -.05"><freejoint/><geom type="sphere" size=".05"/>'
            '<geom type="capsule" size=".03 .05" pos="0 0 .02" euler="90 0 0"/></body>',
            '<body name="y" pos=".1 .12 -.05"><freejoint/><geom type="sphere" size=".05"/></body>',
        ),
        device,
        bend=0.003,
    ).forward()
    for w, data in enumerate(s.datas):
        own = own_contacts(s, w)
        assert same_ids(own, data) and (own["geom"][:, 1] >= 0).any() and (own["geom"][:, 1] < 0).any()
        assert contact_errors(own, data, "pos").max() < tolerance("hit_position")


@pytest.mark.parametrize("more", ('priority="1"', 'priority="-1"', 'solref="-100 -3"', 'solmix="0"', ""))
def test_parameters_are_mixed_as_those_of_geoms(more, device):
    """Margins and gaps add up."""
    plane = (
        '<geom type="plane" size="1 1 .1" margin=".01" gap=".004" solref=".04 .5" solimp=".9 .95 .002" solmix="3"'
        ' friction=".7 .05 .2" condim="4"/>'
    )
    own = {"margin": ".001", "gap": ".002", "solref": ".01 1", "solimp": ".8 .9 .001", "friction": ".5 .1 .1"}
    name, _, value = more.partition("=")
    given = {"condim": "1", **own, **({name: value.strip('"')} if name else {})}
    touch = " ".join(f'{key}="{x}"' for key, x in given.items())
    s = Softened(world(plane, flex(contact=touch, pos="0 0 .0189")), device, bend=0.003).forward()
    for w, data in enumerate(s.datas):
        mine = own_contacts(s, w)
        assert same_ids(mine, data) and data.ncon > 10
        for field in ("dim", "includemargin", "solref", "solimp", "friction"):
            assert contact_errors(mine, data, field).max() < tolerance("authored"), field


def test_an_option_that_overrides_has_flexes_too(device):
    """Its margin is that of both sides together; gaps stay."""
    option = (
        '<option o_margin=".01" o_solref=".03 .9" o_friction=".4 .4 .01 .001 .001"><flag override="enable"/></option>'
    )
    plane = '<geom type="plane" size="1 1 .1" margin=".002" gap=".001"/>'
    s = Softened(world(plane, flex(pos="0 0 .0189"), option=option), device, bend=0.003).forward()
    for w, data in enumerate(s.datas):
        mine = own_contacts(s, w)
        assert same_ids(mine, data) and data.ncon > 10
        for field in ("includemargin", "solref", "solimp", "friction"):
            assert contact_errors(mine, data, field).max() < tolerance("authored"), field


BALL = '<geom size=".05" pos="0 0 -.045"/>'
CLOTH = flex(count="3 3 1", pos="0 0 .004", radius=".005", inside='<pin id="4"/>')
RIGID = flex(count="3 3 1", pos="0 0 .004", radius=".005", rigid="true")
OTHER = RIGID.replace('name="f"', 'name="g"')
FILTERS = {
    "on the body of a pin": world(BALL, CLOTH),
    "on another body": world(f'<body name="s">{BALL}</body>', CLOTH),
    "masked": world(BALL.replace("geom", 'geom contype="2" conaffinity="4"'), CLOTH),
    "rigid in the world": world(f'<body name="s">{BALL}</body>', RIGID),
    "rigid on a parent": world(
        f'<body name="s"><freejoint/>{BALL}{RIGID}<body>{BALL}</body><body><joint/>{BALL}</body></body>'
    ),
    "two rigid ones": world(f'<body name="s"><freejoint/>{BALL}{RIGID}{OTHER}</body>'),
    "layers": world('<geom size=".1" pos="0 0 -.1"/>', flex(dim=3, count="5 5 5", contact='activelayers="2"')),
    "no middle phase": world(
        BALL,
        '<geom type="plane" size="1 1 .1"/>',
        flex(count="3 3 1", pos="0 0 .004"),
        option='<option><flag midphase="disable"/></option>',
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_those_of_mujoco(name, device):
    """As many contacts between the same things, and as many rows."""
    s = Softened(FILTERS[name], device, worlds=2, bend=0.0).forward()
    own = own_contacts(s, 0)
    assert same_ids(own, s.datas[0]) and s.d.engine.nefc.numpy()[0] == s.datas[0].nefc


@pytest.mark.parametrize("kind", ("rigid", "trilinear"))
def test_fifty_contacts_of_a_stiff_flex_stay(kind, device):
    """The deepest, and others far from each other: none that is left out is farther from them than they from each other."""
    given = {"rigid": "true"} if kind == "rigid" else {"dim": 3, "dof": "trilinear", "count": "10 10 2"}
    part = flex(pos="0 0 .004", **{"count": "10 10 1", **given})
    body = f'<body name="b" euler=".1 .2 0"><freejoint/><geom size=".01" contype="0" conaffinity="0"/>{part}</body>'
    ground = '<geom type="plane" size="2 2 .1" pos="0 0 .02"/>'
    s = Softened(world(ground, body if kind == "rigid" else part), device, worlds=2, bend=0.0).forward()
    own = own_contacts(s, 0)
    assert len(own["dist"]) == s.datas[0].ncon == LEFT
    assert own["dist"].min() == pytest.approx(s.datas[0].contact.dist.min(), abs=tolerance("contact"))
    assert (np.diff(own["vert"][:, 1]) > 0).all()
    vertices = s.d.flexvert_xpos.numpy()[0]
    kept, places = vertices[own["vert"][:, 1], :2], vertices[vertices[:, 2] < 0.02, :2]
    apart = np.linalg.norm(kept[:, None] - kept, axis=2) + 9.0 * np.eye(LEFT)
    missed = np.linalg.norm(places[:, None] - kept, axis=2).min(axis=1)
    assert missed.max() <= apart.min() + tolerance("hit_position")


def test_the_deepest_contacts_stay_where_not_all_fit(device):
    source = on_shape("sphere", 2).replace("<worldbody>", '<worldbody><geom type="plane" size="1 1 1" pos="0 0 -.15"/>')
    every = Softened(source, device, worlds=3, seed=3).forward()
    few = Softened(source, device, worlds=3, seed=3)
    few.d = mjwarp.make_data(few.mjm, 3, nconmax=5, device=device)
    few.d.qpos.assign(every.d.qpos.numpy())
    mjwarp.forward(few.m, few.d)
    for w in range(3):
        full, own = own_contacts(every, w), own_contacts(few, w)
        kept = np.sort(np.argsort(full["dist"], kind="stable")[:5])
        assert len(full["dist"]) > 5 == len(own["dist"])
        assert few.d.engine.ncon_needed.numpy()[w] == len(full["dist"])
        for name in ("dist", "pos", "elem", "geom"):
            np.testing.assert_array_equal(own[name], full[name][kept])


def test_contacts_have_the_names_of_mujoco_warp(device):
    s = Softened(TWO_CLOTHS, device, worlds=3).forward()
    contact = s.d.contact
    total = int(contact.nacon.numpy()[0])
    assert total == sum(data.ncon for data in s.datas)
    for name in ("flex", "elem", "vert", "geom"):
        want = np.concatenate([np.asarray(getattr(data.contact, name)) for data in s.datas])
        np.testing.assert_array_equal(getattr(contact, name).numpy()[:total], want)


@pytest.mark.parametrize(
    "source", (on_shape("capsule", 2), folded(2, "sap"), BLOCK_AND_CLOTH), ids=("geom", "self", "two")
)
def test_a_world_does_not_depend_on_others(source, device):
    """Bit for bit the same alone."""
    together = Softened(source, device, worlds=4, bend=0.05).forward()
    alone = Softened(source, device, worlds=1, bend=0.05)
    for name in ("qpos", "qvel"):
        getattr(alone.d, name).assign(getattr(together.d, name).numpy()[3:])
    mjwarp.forward(alone.m, alone.d)
    one, other = own_contacts(alone, 0), own_contacts(together, 3)
    assert len(one["dist"]) > 1
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name])
    np.testing.assert_array_equal(alone.d.qacc.numpy()[0], together.d.qacc.numpy()[3])
