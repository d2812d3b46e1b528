"""Contacts of fast geoms before they meet (flag ``speculative``): MuJoCo's."""

import numpy as np
import pytest

from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.pipeline import FWD_POSITION
from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close

HULL = '<asset><mesh name="m" vertex=".06 .05 .04 -.06 .05 0 -.06 -.05 .04 .06 -.05 -.02 .01 .015 .06 .05 .005 -.03"/></asset>'
SIZES = {"sphere": ".05", "capsule": ".03 .06", "ellipsoid": ".05 .04 .08", "cylinder": ".05 .03", "box": ".05 .04 .03"}
STILL = {
    "plane": '<geom type="plane" size="1 1 1"/>',
    "plate": '<geom type="box" size="1 1 .005"/>',
    "box": '<geom type="box" size=".15 .1 .05" euler="20 30 0"/>',
    "mesh": '<geom type="mesh" mesh="m" euler="50 30 0"/>',
}
WORLDS = 24
SPHERE = '<body name="s" pos="0 0 .5"><freejoint/><geom name="s" size=".05" mass="1"{}/></body>'
PLATE = '<geom name="p" type="box" size="1 1 .005"/>'


def geom(kind: str) -> str:
    return '<geom type="mesh" mesh="m"/>' if kind == "mesh" else f'<geom type="{kind}" size="{SIZES[kind]}" mass="1"/>'


def scene(body: str, option: str = "", flag: str = "", more: str = "") -> str:
    return (
        f'<mujoco><option timestep=".01" gravity="0 0 0" {option}><flag speculative="enable" {flag}/></option>{HULL}'
        f"<worldbody>{body}</worldbody>{more}</mujoco>"
    )


def states_of(mj, seed: int, spin: float, count: int = WORLDS) -> oracle.States:
    """The last body falls fast in any pose; others move slowly."""
    rng = np.random.default_rng(seed)
    states = oracle.rollout_states(mj, count, length=1)
    states.qpos[:] = mj.qpos0
    states.qpos[:, -4:] = rng.normal(size=(count, 4))
    states.qvel[:] = rng.normal(size=states.qvel.shape) * 3
    states.qvel[:, -3:] = rng.normal(size=(count, 3)) * spin
    states.qvel[:, -4] -= rng.uniform(20, 120, count)
    return oracle.rounded(states)


def compare(mj, states, device, some: int, **options) -> Engine:
    """Contacts of all worlds beside MuJoCo's, in their order; at least ``some`` of them are speculative."""
    engine = Engine(mj, states, device, mode="staged", **options).forward()
    got = {n: engine.read(f"contact_{n}") for n in ("dist", "pos", "frame", "geom", "speculative")}
    ncon, nefc, found = engine.read("ncon").ravel(), engine.read("nefc").ravel(), 0
    for w in range(len(states)):
        d = oracle.forward(mj, states, w)
        n = d.ncon
        assert (ncon[w], nefc[w]) == (n, d.nefc), w
        ahead = (d.contact.dist >= d.contact.includemargin) & (d.contact.exclude == 0)
        assert (got["speculative"][w, :n] >= ahead).all(), w
        np.testing.assert_array_equal(np.sort(got["geom"][w, :n]), np.sort(d.contact.geom))
        assert_close(got["dist"][w, :n, None], d.contact.dist[:, None], "contact", 1.0)
        assert_close(got["pos"][w, :n], d.contact.pos, "hit_position", 1.0)
        assert_close(got["frame"][w, :n, 0], d.contact.frame[:, :3], "hit_normal")
        found += got["speculative"][w, :n].sum()
    assert found >= some
    return engine


@pytest.mark.parametrize("spin", (0.0, 10.0))
@pytest.mark.parametrize("kind", [*SIZES, "mesh"])
@pytest.mark.parametrize("still", STILL)
def test_contacts_are_mujocos(still, kind, spin, device):
    if (still, kind) == ("plane", "cylinder"):
        pytest.skip("which corners of a cap stay is a tie")
    body = f'{STILL[still]}<body pos=".01 -.02 .5"><freejoint/>{geom(kind)}</body>'
    mj = oracle.compile_xml(scene(body, flag="" if still == "plane" else 'multiccd="disable"'))
    compare(mj, states_of(mj, 1, spin), device, 6)


@pytest.mark.parametrize("kind", ("sphere", "capsule", "box", "mesh"))
def test_both_may_move(kind, device):
    body = "".join(
        f'<body pos="{x} 0 {z}"><freejoint/>{geom(k)}</body>' for k, x, z in ((kind, 0, 0), ("box", 0.02, 0.4))
    )
    mj = oracle.compile_xml(scene(body, flag='multiccd="disable"'))
    states = states_of(mj, 2, 5.0)
    states.qvel[:, 2] = 30
    compare(mj, states, device, 8)


@pytest.mark.parametrize("euler", ("0 0 0", "0 1 0", "4 1 30"))
@pytest.mark.parametrize("spin", (0, 8))
@pytest.mark.parametrize("kind", ("box", "cylinder"))
def test_faces_that_meet_have_several(kind, spin, euler, device):
    """Patches at the impact, which MuJoCo brings back to the start of the step."""
    body = f'{PLATE}<body pos="0 0 .5" euler="{euler}"><freejoint/>{geom("box")}</body>'
    if kind == "cylinder":
        body = (
            f'<geom type="cylinder" size=".3 .01"/><body pos="0 0 .5" euler="{euler}"><freejoint/>{geom("box")}</body>'
        )
    mj = oracle.compile_xml(scene(body))
    states = states_of(mj, 3, 0.0, 4)
    states.qpos[:] = mj.qpos0
    states.qvel[:, :3] = [[0, 0, -60], [5, -3, -70], [0, 0, -100], [1, 0, -55]]
    states.qvel[:, 3:] = [0, spin, 0]
    compare(mj, states, device, 4)


@pytest.mark.parametrize("integrator", ("Euler", "implicitfast", "RK4", "discrete"))
@pytest.mark.parametrize("flag", ("", 'refsafe="disable"'))
@pytest.mark.parametrize("solref", (".02 1", ".05 .5", ".004 1", ".02 .1", "-1000 -20", "0 -49"))
def test_the_distance_by_solref_and_integrator(solref, flag, integrator, device):
    shapes = (PLATE + SPHERE.format("")).replace("<geom", f'<geom solref="{solref}"')
    mj = oracle.compile_xml(scene(shapes, f'integrator="{integrator}"', flag))
    states = states_of(mj, 4, 0.0, 4)
    states.qvel[:] = 0
    states.qvel[:, 2] = -np.array([46, 60, 100, 200])
    engine = compare(mj, states, device, 3)
    want = np.array([oracle.forward(mj, states, w).qacc for w in range(4)])
    assert_close(engine.read("qacc")[:, : mj.nv], want, "qacc")


@pytest.mark.parametrize("integrator", ("Euler", "implicitfast", "discrete"))
def test_a_step_ends_at_the_surface(integrator, device):
    mj = oracle.compile_xml(scene(PLATE + SPHERE.format(""), f'integrator="{integrator}"'))
    states = states_of(mj, 5, 0.0, 8)
    states.qpos[:] = mj.qpos0
    states.qvel[:] = [0, 0, -60, 0, 0, 0]
    engine, want = Engine(mj, states, device).step(), oracle.step(mj, states)
    assert_close(engine.read("qvel"), want.qvel, "next", want.pull)
    assert (abs(engine.read("qpos")[:, 2] - 0.055) < 0.01).all()  # 2 % of the gap is left


MARGINS = {
    "margin": SPHERE.format(' margin=".1"'),
    "margin and gap": SPHERE.format(' margin=".1" gap=".2"'),
    "gap": SPHERE.format(' gap=".6"'),
    "margin beyond the distance": SPHERE.format(' margin=".5"'),
    "distance in the gap": SPHERE.format(' margin=".4" gap=".1"'),
}


@pytest.mark.parametrize("name", MARGINS)
def test_margins_and_gaps(name, device):
    mj = oracle.compile_xml(scene(PLATE + MARGINS[name]))
    states = states_of(mj, 6, 0.0, 4)
    states.qpos[:] = mj.qpos0
    states.qvel[:, :3] = [[0, 0, -60], [0, 0, -41], [0, 0, -90], [0, 0, -0.1]]
    compare(mj, states, device, 0 if name.startswith("margin beyond") else 2)


def test_an_explicit_pair_has_its_own_parameters(device):
    pair = '<contact><pair geom1="p" geom2="s" margin=".1" gap=".05" solref="-20000 -10" condim="1"/></contact>'
    mj = oracle.compile_xml(scene(PLATE + SPHERE.format(""), more=pair))
    states = states_of(mj, 7, 0.0, 2)
    states.qvel[:] = [0, 0, -60, 0, 0, 0]
    compare(mj, states, device, 2)


FLAT = '<geom type="box" size=".2 .2 .005" pos="0 0 .2"{}/>'
THIRD = f'<body name="t" pos="0 0 0"><freejoint/>{FLAT}</body>'
SMALL = '<geom size=".02" pos="0 0 -.2"/>'
BETWEEN = {
    "a static box": PLATE + FLAT.format("") + SPHERE.format(""),
    "a box that collides with nothing": PLATE + FLAT.format(' contype="0" conaffinity="0"') + SPHERE.format(""),
    "a free box": PLATE + SPHERE.format("") + THIRD.format(""),
    "what the plate meets alone": PLATE.replace("/>", ' contype="3" conaffinity="3"/>')
    + SPHERE.format(' contype="1" conaffinity="1"')
    + THIRD.format(' contype="2" conaffinity="2"'),
    "what the sphere meets alone": PLATE.replace("/>", ' contype="2" conaffinity="2"/>')
    + SPHERE.format(' contype="3" conaffinity="3"')
    + THIRD.format(' contype="1" conaffinity="1"'),
    "another geom of the body": PLATE + SPHERE.format("").replace("</body>", SMALL + "</body>"),
    "a plane": PLATE + SPHERE.format("") + '<geom type="plane" size="1 1 1" pos="0 0 .1"/>',
    "a mesh": PLATE + SPHERE.format("") + '<geom type="mesh" mesh="m" pos="0 0 .2"/>',
    "what is touched": PLATE + SPHERE.format("") + '<geom type="capsule" fromto=".06 0 .5 -.06 0 .2" size=".02"/>',
    "what is nearly touched": PLATE
    + SPHERE.format("")
    + '<geom type="capsule" fromto=".08 0 .5 -.08 0 .2" size=".02"/>',
}


@pytest.mark.parametrize("broadphase", ("nxn", "sap"))
@pytest.mark.parametrize("name", BETWEEN)
def test_what_is_in_the_way_hides(name, broadphase, device):
    mj = oracle.compile_xml(scene(BETWEEN[name]))
    states = states_of(mj, 8, 0.0, 2)
    states.qpos[:] = mj.qpos0
    states.qvel[:] = 0
    states.qvel[:, 2] = -60
    compare(mj, states, device, 2, broadphase=broadphase)


@pytest.mark.parametrize("place", (0.1, 0.15, 0.2, 0.24, 0.3))
@pytest.mark.parametrize("mask", (1, 2))
def test_both_ways_end_at_the_slower_geom(place, mask, device):
    body = (
        '<body><freejoint/><geom size=".05" mass="1" contype="5" conaffinity="5"/></body>'
        + SPHERE.format(' contype="6" conaffinity="6"')
        + f'<geom type="box" size=".1 .1 .001" pos="0 0 {place}" contype="{mask}" conaffinity="{mask}"/>'
    )
    mj = oracle.compile_xml(scene(body))
    states = states_of(mj, 9, 0.0, 1)
    states.qpos[:] = mj.qpos0
    states.qvel[:] = 0
    states.qvel[:, [2, 8]] = 20, -40
    compare(mj, states, device, 1)


@pytest.mark.parametrize("broadphase", ("nxn", "sap"))
def test_many_at_once(broadphase, device):
    """A heap of fast geoms over a thin plate, by either broad phase."""
    rng = np.random.default_rng(10)
    kinds = ("sphere", "capsule", "box", "ellipsoid")
    place = lambda: " ".join(f"{x:.3f}" for x in (*rng.uniform(-0.6, 0.6, 2), rng.uniform(0.3, 0.6)))
    bodies = "".join(f'<body pos="{place()}"><freejoint/>{geom(kinds[i % 4])}</body>' for i in range(12))
    mj = oracle.compile_xml(scene(PLATE + bodies, flag='multiccd="disable"'))
    states = states_of(mj, 11, 5.0, 6)
    states.qvel[:, 2::6] = rng.uniform(-90, -40, size=states.qvel[:, 2::6].shape)
    compare(mj, states, device, 30, broadphase=broadphase)


def test_contacts_without_room_are_counted(device):
    body = "".join(f'<body pos="{x} 0 .5"><freejoint/>{geom("sphere")}</body>' for x in (-0.4, 0, 0.4))
    mj = oracle.compile_xml(scene(PLATE + body))
    states = states_of(mj, 12, 0.0, 2)
    states.qvel[:] = 0
    states.qvel[:, 2::6] = -60
    engine = Engine(mj, states, device, mode="staged", nconmax=2)
    engine.run(FWD_POSITION)
    np.testing.assert_array_equal(engine.read("ncon").ravel(), 2)
    np.testing.assert_array_equal(engine.read("ncon_needed").ravel(), 3)


def test_a_scene_says_so_by_its_flag():
    builder = ModelBuilder()
    builder.add_mjcf(scene(PLATE + SPHERE.format("")))
    model = builder.finalize("cpu")
    solver, state = SolverMuJoCo(model), model.state()
    speed = state.body_qd.numpy()
    speed[-1, 2] = -60
    joint = state.joint_qd.numpy()
    joint[2] = -60
    state.joint_qd.assign(joint)
    state.body_qd.assign(speed)
    for _ in range(3):
        solver.step(state, state, model.control(), None, 0.01)
    assert 0.03 < state.joint_q.numpy()[2] < 0.1
