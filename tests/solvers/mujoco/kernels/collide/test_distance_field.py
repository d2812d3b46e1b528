"""Contacts of distance fields are MuJoCo's, one by one: fields of plugins and of meshes, against all they touch."""

import numpy as np
import pytest

from tests import oracle
from tests.harness.engine import Engine
from tests.tolerance import assert_close, tolerance

PLUGINS = """<extension><plugin plugin="mujoco.sdf.torus"><instance name="torus"/></plugin>
  <plugin plugin="mujoco.sdf.bolt"><instance name="bolt"><config key="radius" value="0.255"/></instance></plugin>
  <plugin plugin="mujoco.sdf.nut"><instance name="nut"/></plugin>
  <plugin plugin="mujoco.sdf.bowl"><instance name="bowl"/></plugin>
  <plugin plugin="mujoco.sdf.gear"><instance name="gear"><config key="teeth" value="20"/></instance></plugin></extension>"""
CUBE = "-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"
OTHERS = {
    "sphere": '<geom size=".15"/>',
    "capsule": '<geom type="capsule" size=".08 .2" euler="20 70 10"/>',
    "ellipsoid": '<geom type="ellipsoid" size=".12 .2 .1" euler="20 70 10"/>',
    "cylinder": '<geom type="cylinder" size=".1 .15" euler="20 70 10"/>',
    "box": '<geom type="box" size=".1 .12 .15" euler="20 70 10"/>',
    "mesh": '<geom type="mesh" mesh="cube" euler="20 70 10"/>',
    "torus": '<geom type="sdf" mesh="torus" euler="20 70 10"><plugin instance="torus"/></geom>',
}
TOUCHING = [
    *(("torus", other, ".35 .1 .15") for other in OTHERS),
    ("bowl", "sphere", ".5 .2 -.75"),
    ("gear", "sphere", "1.4 .2 .15"),
    ("bolt", "capsule", ".2 .1 -.8"),
    ("nut", "torus", ".3 0 -.2"),
    ("cube", "sphere", ".05 .02 .2"),
    ("cube", "box", ".1 .05 .2"),
    ("cube", "mesh", ".12 .07 .22"),
]


def scene(field: str, other: str, where: str) -> str:
    """A field that stands, and a body that touches it."""
    mesh = lambda name: (
        f'<mesh name="cube" vertex="{CUBE}"/>'
        if name == "cube"
        else f'<mesh name="{name}"><plugin instance="{name}"/></mesh>'
    )
    used = {field, *({other} & {"torus"}), *({"cube"} if other == "mesh" else ())}
    plugin = "" if field == "cube" else f'<plugin instance="{field}"/>'
    return f"""<mujoco><option sdf_initpoints="24"/>{PLUGINS}<asset>{"".join(map(mesh, sorted(used)))}</asset><worldbody>
      <geom type="sdf" mesh="{field}" euler="5 -10 20">{plugin}</geom>
      <body pos="{where}"><freejoint/>{OTHERS[other]}</body></worldbody></mujoco>"""


def shifted(mj, count: int) -> oracle.States:
    """The reference pose, and others a little beside it."""
    qpos = np.repeat(mj.qpos0[None], count, axis=0)
    qpos[:, 0] += 0.004 * np.arange(count)
    still = np.zeros((count, mj.nv))
    return oracle.rounded(oracle.States(qpos, still, still, np.zeros((count, 0))))


def contacts(engine, world: int) -> dict[str, np.ndarray]:
    """Distances, positions and frames of a world's contacts."""
    count = int(engine.read("ncon")[world])
    return {name: engine.read(f"contact_{name}")[world, :count] for name in ("dist", "pos", "frame")}


def steady(mj, states, world: int, want) -> np.ndarray:
    """Mask of MuJoCo's contacts that stay where they are when the body moves by a ten-millionth: a descent that goes past
    the edge of a field goes on to either side.
    """
    mask = np.ones(want.ncon, bool)
    for k in range(6):
        moved = states[[world]]
        moved.qpos = moved.qpos + 1e-7 * np.random.default_rng(k).standard_normal(moved.qpos.shape)
        other = oracle.forward(mj, moved, 0)
        mask &= other.ncon == want.ncon and np.linalg.norm(other.contact.pos - want.contact.pos, axis=1) < tolerance(
            "hit_distance"
        )
    return mask


@pytest.mark.parametrize("field, other, where", TOUCHING)
def test_contacts_of_fields_are_mujocos(field, other, where, device):
    mj = oracle.compile_xml(scene(field, other, where))
    states = shifted(mj, 2)
    engine = Engine(mj, states, device, scratch="per_world").forward()
    for world in range(2):
        want, have = oracle.forward(mj, states, world), contacts(engine, world)
        assert len(have["dist"]) == want.ncon
        mask = steady(mj, states, world, want)
        assert mask.mean() > 0.5
        assert_close(have["dist"][mask], want.contact.dist[mask], "hit_distance", mj.geom_rbound.max(), what="dist")
        assert_close(have["pos"][mask], want.contact.pos[mask], "hit_position", what="pos")
        assert_close(have["frame"].reshape(-1, 9)[mask], want.contact.frame[mask], "hit_normal", what="frame")


def test_results_do_not_depend_on_the_other_worlds(device):
    mj = oracle.compile_xml(scene("torus", "box", ".35 .1 .15"))
    states = shifted(mj, 2)
    together = Engine(mj, states, device, scratch="per_world").forward()
    for world in range(2):
        alone = contacts(Engine(mj, states[[world]], device, scratch="per_world").forward(), 0)
        for name, value in contacts(together, world).items():
            assert np.array_equal(value, alone[name])
