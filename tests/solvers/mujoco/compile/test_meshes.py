"""Meshes and height fields from file to engine: MuJoCo's frames, sizes and hulls, and the same contacts; bad ones are
refused by name.
"""

import time

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, ParseError
from newtonlite.core.mujoco import MjtGeom
from newtonlite.geometry.heightfield import Heightfield
from newtonlite.geometry.hull import find_hull
from newtonlite.geometry.mesh import Mesh
from newtonlite.geometry.polygons import merge
from newtonlite.math.quat import matrix
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers import SolverMuJoCo
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.derive import hull
from tests import oracle
from tests.harness.engine_scenes import builder
from tests.tolerance import assert_close, tolerance

MODELS = ("heap_of_convex_shapes", "balls_and_pills_on_hills")
QUICK = 5.0  # seconds
RNG = np.random.default_rng(4)
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SIDES = find_hull(CUBE).triangles


def imported(name: str, device):
    """A model as MuJoCo compiles it and as we do."""
    b = builder()
    b.add_mjcf(str(oracle.MODELS / f"{name}.xml"))
    return oracle.compile_xml(oracle.MODELS / f"{name}.xml"), compile_model(b.finalize(device=device))


@pytest.mark.parametrize("name", MODELS)
def test_assets_equal_mujocos(name, device):
    mj, m = imported(name, device)
    assert (m.nmesh, m.nhfield) == (mj.nmesh, mj.nhfield)
    for field in "mesh_vertnum mesh_vertadr mesh_facenum mesh_polynum mesh_graphadr hfield_nrow hfield_ncol hfield_adr geom_dataid".split():
        np.testing.assert_array_equal(getattr(m, field), getattr(mj, field), err_msg=field)
    for field in "mesh_pos mesh_vert hfield_size hfield_data geom_pos geom_size geom_rbound".split():
        assert_close(
            np.atleast_2d(getattr(m, field)), np.atleast_2d(getattr(mj, field)), "authored", floor=1.0, what=field
        )
    used = np.isin(mj.geom_type, (MjtGeom.MESH, MjtGeom.HFIELD))
    assert_close(np.abs(np.sum(m.geom_quat * mj.geom_quat, axis=1))[used], np.ones(used.sum()), "authored")


@pytest.mark.filterwarnings("ignore:.*Clamping opacity")
@pytest.mark.parametrize(
    "robot", ("unitree_g1/g1_29dof.xml", "unitree_h1/mjcf/h1_with_hand.xml", "unitree_go1_mjlab/xmls/go1.xml")
)
def test_meshes_of_robots_are_mujocos(robot, assets, device):
    path = assets / "mjcf" / robot
    if not path.exists():
        pytest.skip(f"no {robot}")
    b = builder()
    b.add_mjcf(str(path))
    mj, m = oracle.compile_xml(path), compile_model(b.finalize(device=device))
    np.testing.assert_array_equal(m.geom_dataid, mj.geom_dataid)
    for (
        field
    ) in "mesh_vertnum mesh_face mesh_polynum mesh_polyvertnum mesh_polyvert mesh_polymapnum mesh_polymap".split():
        np.testing.assert_array_equal(getattr(m, field), getattr(mj, field), err_msg=field)
    for field in "mesh_pos mesh_quat mesh_vert mesh_polynormal".split():
        assert np.abs(getattr(m, field) - getattr(mj, field)).max() <= tolerance("authored"), field
    for i in np.unique(mj.geom_dataid[hull.solid_meshes(mj)]):
        ours, theirs = (x.mesh_graph[x.mesh_graphadr[i] :] for x in (m, mj))
        assert ours[:2].tolist() == theirs[:2].tolist()
        assert set(ours[2 + ours[0] : 2 + 2 * ours[0]]) == set(theirs[2 + ours[0] : 2 + 2 * ours[0]])


@pytest.mark.parametrize("scale", ("1 1 .1", ".2 .2 .2", "-1 1 .1"))
def test_polygons_of_scaled_hulls_are_mujocos_in_order(scale, device):
    """Contacts come in the order of polygons and their corners, which Qhull finds of the points as they are in the
    file.
    """
    angles = np.arange(24) * np.pi / 12
    prism = [
        [*(r * np.cos(angles[k]), r * np.sin(angles[k])), h] for h, r in ((0.0, 0.6), (0.1, 0.5)) for k in range(24)
    ]
    meshes = "".join(
        f'<mesh name="m{k}" scale="{scale}" vertex="{" ".join(f"{x:.6f}" for x in np.ravel(points))}"/>'
        for k, points in enumerate((CUBE, prism))
    )
    geoms = "".join(f'<body pos="{3 * k} 0 0"><freejoint/><geom type="mesh" mesh="m{k}"/></body>' for k in range(2))
    text = f"<mujoco><asset>{meshes}</asset><worldbody>{geoms}</worldbody></mujoco>"
    b = builder()
    b.add_mjcf(text)
    mj, m = oracle.compile_xml(text), compile_model(b.finalize(device=device))
    for field in "mesh_polynum mesh_polyvertnum mesh_polyvert mesh_polymap".split():
        np.testing.assert_array_equal(getattr(m, field), getattr(mj, field), err_msg=field)
    assert np.abs(m.mesh_polynormal - mj.mesh_polynormal).max() <= tolerance("authored")


@pytest.mark.parametrize("name", MODELS)
def test_a_scene_of_meshes_steps_as_in_mujoco(name, device):
    """From file through State and back, until things have fallen. Margins beside boxes and meshes are zero in Newton's
    document.
    """
    xml = (oracle.MODELS / f"{name}.xml").read_text().replace(' margin=".01" gap=".005"', "")
    b = builder()
    b.add_mjcf(xml)
    model = b.finalize(device=device)
    solver = SolverMuJoCo(model, overflow="raise")
    one, two, control = model.state(), model.state(), model.control()
    mj = oracle.compile_xml(xml)
    data = oracle.mujoco.MjData(mj)
    for _ in range(100):
        solver.step(one, two, control, None, mj.opt.timestep)
        one, two = two, one
        oracle.mujoco.mj_step(mj, data)
    ours = one.joint_q.numpy().reshape(-1, 7)[:, :3]
    assert np.abs(ours - data.qpos.reshape(-1, 7)[:, :3]).max() <= tolerance("contact_rest")


def scene(shape):
    """A free body with a shape that ``shape`` adds to it."""
    b = builder()
    body = b.add_body(mass=1.0, inertia=np.eye(3))
    shape(b, body)
    return b.finalize(device="cpu")


@pytest.mark.parametrize(
    "vertices, faces, words",
    [(CUBE * [1, 1, 0], SIDES, "volume"), (np.ones((8, 3)), SIDES, "volume"), (CUBE * [1, 0, 0], SIDES, "volume")],
)
def test_flat_meshes_are_refused_by_name(vertices, faces, words):
    began = time.perf_counter()
    model = scene(
        lambda b, body: b.add_shape_mesh(body, mesh=Mesh(vertices, faces, compute_inertia=False), label="bad")
    )
    with pytest.raises(ModelError, match=f"'bad'.*{words}"):
        compile_model(model)
    assert time.perf_counter() - began < QUICK


@pytest.mark.parametrize("corners", [3, 4])
def test_plane_meshes_beside_the_engines_contacts_load_in_mujoco(corners, tmp_path):
    """A vertex beside the plane is added, which MuJoCo asks of colliders; all others are where they were."""
    vertices = np.array([[-5, -5, 0], [5, -5, 0], [-5, 5, 0], [5, 5, 0]], float)[:corners] + [1.0, 2.0, 3.0]
    faces = np.array([[0, 1, 2], [1, 3, 2]])[: corners - 2]
    b = builder()
    b.add_shape_sphere(b.add_body(), radius=0.1)
    b.add_shape_mesh(-1, mesh=Mesh(vertices, faces, compute_inertia=False))
    path = tmp_path / "plane.xml"
    s = SolverMuJoCo(b.finalize(device="cpu"), use_mujoco_contacts=False, save_to_mjcf=str(path))
    found = oracle.compile_xml(path)
    g = int(np.flatnonzero(found.geom_type == MjtGeom.MESH)[0])
    placed = found.geom_pos[g] + found.mesh_vert @ matrix(found.geom_quat[g]).T
    assert len(placed) == corners + 1 == s.mj_model.mesh_vertnum[0]
    near = np.linalg.norm(placed[:, None] - vertices, axis=-1).min(axis=0)
    assert_close(near, np.zeros(corners), "authored", floor=10.0)
    assert np.abs(placed[:, 2] - 3.0).max() < 0.02


@pytest.mark.parametrize("bad", ("vertex='1 1 1  1 1 1  1 1 1  1 1 1'", "vertex='0 0 0 1 0 0 nan 1 0 0 0 1'"))
def test_bad_meshes_of_a_file_are_refused_at_their_place(bad):
    xml = f"<mujoco><asset><mesh name='m' {bad}/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m' mass='1'/></body></worldbody></mujoco>"
    began = time.perf_counter()
    with pytest.raises(ParseError, match=r":1:\d+: <mesh"):
        builder().add_mjcf(xml)
    assert time.perf_counter() - began < QUICK


def test_a_huge_cloud_has_a_hull_soon():
    began = time.perf_counter()
    points = RNG.standard_normal((200_000, 3))
    few = find_hull(points, 64)
    assert 4 <= len(few.vertices) <= 64
    assert time.perf_counter() - began < QUICK


def test_hull_of_a_cube_has_six_squares():
    points = np.concatenate([CUBE, 0.5 * CUBE])
    corners, sizes = merge(points, find_hull(points).triangles)
    assert sizes.tolist() == [4] * 6
    for p in points[corners.reshape(-1, 4)]:
        assert np.cross(p[1] - p[0], p[2] - p[1]) @ p[0] > 0


def test_a_flat_height_field_has_a_height():
    b = builder()
    b.add_body(mass=1.0, inertia=np.eye(3))
    b.add_shape_heightfield(heightfield=Heightfield(np.zeros((3, 3)), 3, 3), label="ground")
    m = compile_model(b.finalize(device="cpu"))
    assert m.nhfield == 1 and m.geom_type.tolist() == [MjtGeom.HFIELD] and m.hfield_size[0, 2] > 0


def test_scaled_meshes_are_meshes_of_their_own():
    mesh = Mesh(0.1 * CUBE, SIDES)
    b = builder()
    for scale in ((1, 1, 1), (2, 1, 1), (1, 1, 1)):
        b.add_shape_mesh(b.add_body(), mesh=mesh, scale=scale)
    m = compile_model(b.finalize(device="cpu"))
    assert m.nmesh == 2 and m.geom_dataid.tolist() == [0, 1, 0]
    assert np.allclose(
        np.sort(m.geom_size, axis=1), [[0.1, 0.1, 0.1], [0.1, 0.1, 0.2], [0.1, 0.1, 0.1]], atol=tolerance("authored")
    )


def test_a_robot_of_many_meshes_is_read_in_three_seconds_once_its_hulls_are_kept(assets, tmp_path, monkeypatch):
    """133 meshes; the time is that of one thread."""
    monkeypatch.setenv("NEWTONLITE_CACHE_PATH", str(tmp_path))
    taken = []
    for _ in range(2):
        start = time.process_time()
        b = builder()
        b.add_mjcf(str(assets / "mjcf" / "mjwarp_bench" / "aloha" / "scene_pot.xml"))
        m = compile_model(b.finalize(device="cpu"))
        taken.append(time.process_time() - start)
    assert m.nmesh > 60 and taken[1] < 3.0, taken


CORNERS = "v 0 0 0\nv 1 0 0\nv 0 2 .5\nv 0 0 3\n"
OBJECTS = {
    "triangles": CORNERS + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    "normals and texture": CORNERS
    + "vt 0 0\nvn 1 0 0\nf 1/1/1 3/1/1 2/1/1\nf 1/1/1 2/1/1 4/1/1\nf 2/1/1 3/1/1 4/1/1\nf 3/1/1 1/1/1 4/1/1\n",
    "lines of Windows": "# a\r\n\r\n" + (CORNERS + "s off\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n").replace("\n", "\r\n"),
    "counted from the end": CORNERS + "f -4 -2 -3\nf 1 2 4\nf 2 3 4\nf 3 1 4",
    "two objects": "o a\n" + CORNERS + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\no b\nv 5 5 5\nf 1 2 5\n",
    "quads": CORNERS + "v 1 2 .5\nf 1 3 5 2\nf 1 2 4\nf 2 5 4\nf 5 3 4\nf 3 1 4\n",
    "colours": CORNERS.replace("\n", " .1 .2 .3\n") + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
    "indented": CORNERS + "  f 1 3 2\nf\t1 2 4\nf 2 3 4\nf 3 1 4\n",
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_obj_files_are_read_as_by_mujoco(kind):
    text = '<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    assets = {"m.obj": OBJECTS[kind].encode()}
    builder = ModelBuilder()
    builder.add_mjcf(text, assets=assets)
    got, want = compile_model(builder.finalize(device="cpu")), oracle.compile_xml(text, assets)
    assert len(got.mesh_face) == want.nmeshface and len(got.mesh_vert) == want.nmeshvert
    assert_close(got.body_mass, want.body_mass, "compiled")
    assert_close(got.mesh_pos, want.mesh_pos, "compiled")
