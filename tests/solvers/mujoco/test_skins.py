"""Skins: compiled as MuJoCo has them, and their vertices, which are those of its pictures."""

import struct

import numpy as np
import pytest

import newtonlite
from conformance import fuzz_files
from newtonlite.core.errors import ParseError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco import SolverMuJoCo
from newtonlite.solvers.mujoco.adapter.skins import skin_vertices
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness import import_fields
from tests.oracle import compile_xml, skinned
from tests.tolerance import assert_close, tolerance

SCENE = """<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom size=".05"/>
    <body name="b" pos=".2 0 0"><joint axis="0 0 1"/><geom size=".05"/></body></body></worldbody>
  <asset><material name="m"/></asset>
  <deformable><skin name="s" inflate=".01" material="m" group="2" vertex="0 -.1 0 0 .1 0 .2 -.1 0 .2 .1 0 .4 0 0"
      texcoord="0 0 0 1 1 0 1 1 .5 .5" face="0 2 1 2 3 1 2 4 3">
    <bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 3"/>
    <bone body="b" bindpos=".2 0 0" bindquat="2 .1 0 0" vertid="2 3 4" vertweight="3 1 2"/></skin></deformable></mujoco>"""


def test_skins_are_compiled_and_written_as_mujoco_has_them():
    builder = ModelBuilder()
    builder.add_mjcf(SCENE)
    ours, theirs = compile_model(builder.finalize(device="cpu")), compile_xml(SCENE)
    assert import_fields.differences(theirs, ours, tolerance("compiled"))[0] == {}
    again = compile_xml(*write_mjcf(ours))
    for name in (name for name in dir(theirs) if name.startswith("skin_") and name != "skin_pathadr"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), atol=tolerance("compiled")), name
        assert np.allclose(getattr(again, name), getattr(theirs, name), atol=tolerance("compiled")), name


def test_vertices_and_normals_of_every_world_are_those_of_mujocos_pictures(device):
    robot = ModelBuilder()
    robot.add_mjcf(SCENE)
    scene = ModelBuilder()
    scene.replicate(robot, 2)
    model = scene.finalize(device=device)
    solver, state = SolverMuJoCo(model), model.state()
    qpos = np.array([[0.3, 0.5], [-1.0, 0.2]])
    state.joint_q.assign(qpos.astype(np.float32).ravel())
    newtonlite.eval_fk(model, state.joint_q, state.joint_qd, state)
    points, normals = skin_vertices(solver, state)
    for world in range(2):
        want = skinned(compile_xml(SCENE), qpos[world])
        assert_close(points[world], want[0], "contact", what="vertices")
        assert_close(normals[world], want[1], "contact", what="normals")


WRONG = {
    "Both skin data and file": ('inflate=".01"', 'inflate=".01" file="a.skn"'),
    "unknown body 'c' in skin": ('bone body="b"', 'bone body="c"'),
    "vertex 4 must have positive total weight": ('vertweight="3 1 2"', 'vertweight="3 1 0"'),
    "face vertex index 9 out of range": ('face="0 2 1', 'face="0 2 9'),
    "Missing data in skin": ('face="0 2 1 2 3 1 2 4 3"', ""),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_does_not_fit_together_is_an_error_in_mujocos_words(message):
    with pytest.raises(ParseError, match=message):
        ModelBuilder().add_mjcf(SCENE.replace(*WRONG[message]))


@pytest.mark.parametrize("place", [16, 16 + 36, 16 + 36 + 24 + 12 + 40, 16 + 36 + 24 + 12 + 40 + 44])
def test_numbers_of_files_are_finite(place):
    data = fuzz_files.skins()[0]
    fuzz_files.read_skin(data)
    damaged = data[:place] + struct.pack("<f", float("nan")) + data[place + 4 :]
    with pytest.raises(ParseError, match=r"<string>:1:\d+: .*s\.skn.* not finite"):
        fuzz_files.read_skin(damaged)


TREE = '<body name="y"><geom size=".1"/><body name="z"><geom size=".1"/></body></body><body name="w"><geom size=".1"/></body>'
NAMELESS = TREE + '<body><geom size=".1"/></body><body><geom size=".1"/></body><body name="x"><geom size=".1"/></body>'
COPIES = f'<replicate count="2" offset="1 0 0">{TREE}</replicate>'
OWN = TREE + '<attach body="y" prefix="k_"/>'
FUSED = f'</worldbody><compiler fusestatic="true"/><worldbody>{TREE}'
ATTACH = '<attach model="k" prefix="p_"/>'
HOSTS = ["", ATTACH, f'<replicate count="2">{ATTACH}</replicate>', ATTACH + ATTACH.replace("p_", "q_")]
PART = '<attach model="k" body="y" prefix="p_"/>'
BOUND = [(world, names) for world in (TREE, COPIES, OWN, FUSED) for names in ("y", "y w", "y z")]
BOUND += [(NAMELESS, ""), (NAMELESS, "y "), (COPIES, "y0"), (COPIES, "y world"), (OWN, "k_y"), (TREE, "y world")]


def skin_of(names: str, kind: str) -> tuple[str, dict[str, bytes]]:
    """A skin of a triangle over some bodies, as text or as a file beside it."""
    bodies = names.split(" ")
    if kind == "text":
        rows = 'bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"'
        bones = "".join(f'<bone body="{name}" {rows}/>' for name in bodies)
        return f'<skin name="s" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">{bones}</skin>', {}
    data = struct.pack("<4i9f3i", 3, 0, 1, len(bodies), *(0, 0, 0, 1, 0, 0, 0, 1, 0), *(0, 1, 2))
    for name in bodies:
        data += name.encode().ljust(40, b"\0") + struct.pack("<7f4i3f", 0, 0, 0, 1, 0, 0, 0, 3, 0, 1, 2, 1, 1, 1)
    return '<skin name="s" file="s.skn"/>', {"s.skn": data}


@pytest.mark.filterwarnings("ignore:.*ties what is")
@pytest.mark.parametrize("kind", ["text", "file"])
@pytest.mark.parametrize("host", [*HOSTS, PART])
@pytest.mark.parametrize(("world", "names"), BOUND)
def test_bones_find_their_bodies_as_in_mujoco(world, names, host, kind):
    """Bodies without a name, numbered copies, bodies that would be fused; skins of attached models, which come along
    with all their bodies or not at all, but for those of files.
    """
    skin, files = skin_of(names, kind)
    text = f'<mujoco model="k"><worldbody>{world}</worldbody><deformable>{skin}</deformable></mujoco>'
    if host:
        files["k.xml"] = text.encode()
        text = f'<mujoco><asset><model name="k" file="k.xml"/></asset><worldbody>{host}</worldbody></mujoco>'
    try:
        theirs = compile_xml(text, files)
    except ValueError:
        return
    builder = ModelBuilder()
    builder.add_mjcf(text, assets=files)
    ours = compile_model(builder.finalize(device="cpu"))
    assert ours.names_skin == [theirs.skin(i).name for i in range(theirs.nskin)]
    assert ours.skin_bonebodyid.tolist() == theirs.skin_bonebodyid.tolist()
    again = compile_xml(*write_mjcf(ours))
    assert again.skin_bonebodyid.tolist() == theirs.skin_bonebodyid.tolist()
