"""Signed distance fields: of primitives, of meshes, and as tables."""

import time

import numpy as np
import pytest
import trimesh
import warp as wp

import newtonlite as newton
from newtonlite.core.errors import ModelError
from newtonlite.geometry.signed_distance import build, cache, narrow_band, primitive
from newtonlite.geometry.signed_distance.mesh import mesh_field
from tests.tolerance import assert_close, tolerance

HALF = (0.5, 0.35, 0.15)
COUNT = 400


@wp.kernel(enable_backward=False)
def primitives(points: wp.array[wp.vec3], fields: wp.array2d[wp.vec4]):
    """Every primitive's field at each point."""
    i = wp.tid()
    p = points[i]
    fields[0, i] = primitive.box_field(p, wp.vec3(0.5, 0.35, 0.15))
    fields[1, i] = primitive.ellipsoid_field(p, wp.vec3(0.5, 0.35, 0.15))
    fields[2, i] = primitive.cone_field(p, 0.5, 0.35)
    fields[3, i] = primitive.cylinder_field(p, 0.5, 0.35)
    fields[4, i] = primitive.capsule_field(p, 0.5, 0.35)
    fields[5, i] = primitive.sphere_field(p, 0.5)
    fields[6, i] = primitive.plane_field(p)


@wp.kernel(enable_backward=False)
def of_mesh(mesh: wp.uint64, points: wp.array[wp.vec3], fields: wp.array[wp.vec4]):
    """A mesh's field at each point."""
    fields[wp.tid()] = mesh_field(mesh, points[wp.tid()], 100.0)


def evaluate(points, device):
    """Fields [7, n, 4]."""
    found = wp.zeros((7, len(points)), dtype=wp.vec4, device=device)
    wp.launch(
        primitives,
        dim=len(points),
        inputs=[wp.array(points, dtype=wp.vec3, device=device)],
        outputs=[found],
        device=device,
    )
    return found.numpy()


def test_the_gradient_leads_to_the_surface_by_the_distance(device):
    """Also at the centre, on axes and on faces, where several ways are equally short."""
    some = np.random.default_rng(0).uniform(-1, 1, (COUNT, 3))
    special = [
        [0, 0, 0],
        [0, 0, 0.1],
        [0.2, 0, 0],
        [0, 0, 0.35],
        [0.5, 0, 0],
        [0, 0, -2],
        [0, 0, 0.15],
        [0.5, 0.35, 0.15],
    ]
    points = np.concatenate([some, special])
    for kind, field in enumerate(evaluate(points, device)):
        assert_close(np.linalg.norm(field[:, :3], axis=1), np.ones(len(points)), "kinematics", what=str(kind))
        there = evaluate(points - field[:, 3:] * field[:, :3], device)[kind]
        assert np.abs(there[:, 3]).max() < tolerance("hit_distance"), kind


def test_distances_are_those_of_meshes_of_the_same_shape(device):
    points = np.random.default_rng(1).uniform(-1, 1, (60, 3))
    field = evaluate(points, device)
    cone = trimesh.creation.cone(0.5, 0.7, sections=2000)
    cone.apply_translation([0, 0, -0.35])
    for kind, mesh in ((0, trimesh.creation.box(2 * np.array(HALF))), (2, cone)):
        want = nearest(mesh, points, device)[:, 3]
        assert np.abs(field[kind, :, 3] - want).max() < tolerance("hit_distance"), kind


def nearest(mesh, points, device):
    """The field of a mesh by its triangles."""
    made = wp.Mesh(
        wp.array(mesh.vertices, dtype=wp.vec3, device=device),
        wp.array(np.ravel(mesh.faces), dtype=int, device=device),
        support_winding_number=True,
    )
    found = wp.zeros(len(points), dtype=wp.vec4, device=device)
    wp.launch(
        of_mesh,
        dim=len(points),
        inputs=[made.id, wp.array(points, dtype=wp.vec3, device=device)],
        outputs=[found],
        device=device,
    )
    return found.numpy()


def torus(fine: bool = True):
    """A ring, and its true distance."""
    made = trimesh.creation.torus(0.03, 0.01, major_sections=64 if fine else 24, minor_sections=32 if fine else 12)
    return newton.Mesh(
        made.vertices, made.faces.ravel()
    ), lambda p: np.hypot(np.hypot(p[:, 0], p[:, 1]) - 0.03, p[:, 2]) - 0.01


def test_a_table_has_the_distances_of_its_mesh(device):
    mesh, distance = torus()
    sdf = mesh.build_sdf(max_resolution=64, margin=0.005, narrow_band_range=(-0.004, 0.004), device=device)
    assert mesh.sdf is sdf and not sdf.is_empty() and (sdf.table.block >= 0).any() and (sdf.table.block < 0).any()
    points = np.random.default_rng(2).uniform(-0.05, 0.05, (1000, 3)) * [1, 1, 0.4]
    near = np.abs(distance(points)) < 0.003
    got, gradient = sdf.sample(points, device)
    assert np.abs(got - distance(points))[near].max() < tolerance("table_distance")
    on = points - got[:, None] * gradient
    assert np.abs(distance(on))[near].max() < tolerance("table_distance")
    far = np.array([[0.2, 0.1, -0.3], [0.0, 0.0, 1.0]])
    assert np.abs(sdf.sample(far, device)[0] / distance(far) - 1).max() < tolerance("table_far")
    again = sdf.extract_isomesh(device=device)
    assert np.abs(distance(again.vertices)).max() < tolerance("table_distance")


def test_open_and_inside_out_meshes_have_an_inside(device):
    """A sphere without its cap winds around its middle; turned inside out it has none."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.5)
    open_ = newton.Mesh(ball.vertices, ball.faces[ball.triangles_center[:, 2] < 0.4].ravel())
    assert not open_.is_watertight
    inside, outside = [[0, 0, 0], [0.2, 0, 0.1], [0, 0, -0.4]], [[0, 0, -0.6], [0.6, 0, 0], [1, 1, 1]]
    got = open_.build_sdf(max_resolution=32, device=device).sample(inside + outside, device)[0]
    assert (got[:3] < 0).all() and (got[3:] > 0).all()
    turned = newton.Mesh(ball.vertices, ball.faces[:, ::-1].ravel())
    assert turned.build_sdf(max_resolution=32, device=device).is_empty()


def test_the_nearest_triangle_gives_the_distance_of_a_mesh(device):
    mesh, distance = torus()
    points = np.random.default_rng(3).uniform(-0.05, 0.05, (300, 3))
    got = nearest(trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False), points, device)
    assert np.abs(got[:, 3] - distance(points)).max() < tolerance("table_distance")
    assert_close(np.linalg.norm(got[:, :3], axis=1), np.ones(len(points)), "kinematics")


def test_tables_are_kept_by_content_in_memory_and_on_disk(tmp_path, device, monkeypatch):
    mesh, _ = torus(fine=False)
    settings = {"max_resolution": 16, "margin": 0.005, "cache_dir": tmp_path, "device": device}
    cache.forget()
    first = mesh.build_sdf(**settings)
    again = torus(fine=False)[0].build_sdf(**settings)
    assert again.table is first.table and len(list(tmp_path.iterdir())) == 1
    cache.forget()
    monkeypatch.setattr(cache, "build", lambda *_: pytest.fail("made again"))
    loaded = torus(fine=False)[0].build_sdf(**settings)
    assert loaded.table is not first.table and np.array_equal(loaded.table.fine, first.table.fine)
    cache.forget()
    monkeypatch.undo()
    file = next(tmp_path.iterdir())
    file.write_bytes(file.read_bytes()[:100])  # a broken file is made again
    assert np.array_equal(torus(fine=False)[0].build_sdf(**settings).table.fine, first.table.fine)
    monkeypatch.setattr(cache, "MOST_KEPT", 1)
    torus(fine=False)[0].build_sdf(max_resolution=24, device=device)
    assert len(cache._kept) == 1


BAD = {
    "max_resolution": ({"max_resolution": 20}, "max_resolution: 20; give a multiple of 8"),
    "voxel": ({"target_voxel_size": -1.0}, "target_voxel_size: -1.0; give a positive length"),
    "band": ({"narrow_band_range": (0.1, 0.2)}, "give a negative and a positive distance"),
    "margin": ({"margin": float("nan")}, "margin: nan"),
    "sign": ({"sign_method": "guess"}, "sign_method: 'guess'"),
    "resolution that is no number": (
        {"max_resolution": float("nan")},
        "max_resolution: nan; give numbers that are finite",
    ),
    "resolution without end": ({"max_resolution": float("inf")}, "max_resolution: inf"),
    "words": ({"max_resolution": "fine"}, "max_resolution: fine"),
    "band that is no pair": ({"narrow_band_range": 0.1}, "narrow_band_range"),
    "memory beyond counting": ({"target_voxel_size": 1e-9}, "the table would take"),
    "scale": ({"scale": (1.0, float("nan"), 1.0)}, "a vertex is not finite"),
    "flattened": ({"scale": (1.0, 0.0, 0.0)}, "no triangle of the mesh has area"),
    "memory": ({"target_voxel_size": 1e-6}, "the table would take .* raise target_voxel_size"),
}


@pytest.mark.parametrize("settings, message", BAD.values(), ids=BAD)
def test_settings_that_no_table_can_have_are_refused(settings, message, device):
    mesh, _ = torus(fine=False)
    with pytest.raises(ModelError, match=f"SDF.create_from_mesh.*{message}"):
        mesh.build_sdf(device=device, **settings)
    assert mesh.sdf is None


TOO_FINE = {
    "as a rule": {},
    "thin": {"narrow_band_range": (-1e-5, 1e-5)},
    "inside": {"narrow_band_range": (-1.0, 1e-5)},
}


@pytest.mark.parametrize("settings", TOO_FINE.values(), ids=TOO_FINE)
def test_a_table_of_too_many_fine_blocks_is_refused_in_time(settings, device):
    """Five million blocks, which alone are no more than is allowed."""
    mesh, _ = torus(fine=False)
    began = time.process_time()
    with pytest.raises(
        ModelError, match="SDF.create_from_mesh: the table would take at least .* raise target_voxel_size"
    ):
        mesh.build_sdf(device=device, max_resolution=2048, **settings)
    assert time.process_time() - began < 5.0
    assert mesh.sdf is None


@pytest.mark.parametrize("band", [(-1.0, 1e-5), (-1e-5, 1.0), (-0.3, 1e-5)], ids=str)
@pytest.mark.parametrize("shape", ["bowl", "unwelded plate"])
def test_open_meshes_with_much_to_look_at_are_refused_in_time(shape, band, device):
    """Little or nothing is inside, so that hardly a block is fine; the side of millions is not known before it is
    looked at.
    """
    ball, plate = trimesh.creation.icosphere(subdivisions=3, radius=0.5), trimesh.creation.box((1.0, 1.0, 0.01))
    mesh = newton.Mesh(ball.vertices, ball.faces[ball.triangles_center[:, 2] < 0.0].ravel(), compute_inertia=False)
    if shape != "bowl":
        mesh = newton.Mesh(
            plate.vertices[plate.faces].reshape(-1, 3), np.arange(plate.faces.size), compute_inertia=False
        )
    began = time.process_time()
    with pytest.raises(
        ModelError, match="SDF.create_from_mesh: the (mesh is open|table would take at least).* raise target_voxel_size"
    ):
        mesh.build_sdf(device=device, max_resolution=2048, narrow_band_range=band, margin=0.3)
    assert time.process_time() - began < 5.0
    assert mesh.sdf is None


@pytest.mark.parametrize("band", [(-0.1, 0.1), (-0.001, 0.002), (-1.0, 0.001), (-0.001, 1.0)])
def test_blocks_near_the_surface_are_those_that_looking_at_all_finds(band, device):
    """Of a closed mesh, one that is open, and one inside out."""
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    for faces in (ball.faces, ball.faces[ball.triangles_center[:, 2] < 0.4], ball.faces[:, ::-1]):
        distance = build.Distances(ball.vertices, faces, build.WINDING, device)
        reach = None if narrow_band.is_closed(faces) else distance.unsigned
        low, width, cells = np.array([-0.6, -0.6, -0.6]), 0.05, np.array([24, 24, 23])
        found = narrow_band.near_blocks(distance, reach, low, width, cells, band, lambda *count: None)
        middle, half = distance(build.lattice(low + 0.5 * width, width, cells)), 0.5 * np.sqrt(3.0) * width
        assert np.array_equal(found, (middle + half >= band[0]) & (middle - half <= band[1]))


def test_a_mesh_is_closed_where_every_edge_goes_both_ways():
    box = trimesh.creation.box().faces
    assert narrow_band.is_closed(box) and narrow_band.is_closed(box[:, ::-1])
    turned = box.copy()
    turned[0] = turned[0, ::-1]
    assert not narrow_band.is_closed(box[1:]) and not narrow_band.is_closed(turned)


def test_a_mesh_has_one_field_until_it_is_cleared_or_changed(device):
    mesh, _ = torus(fine=False)
    mesh.build_sdf(max_resolution=8, device=device)
    with pytest.raises(ModelError, match="call clear_sdf first"):
        mesh.build_sdf()
    assert mesh.copy().sdf is mesh.sdf and mesh.copy(vertices=2 * mesh.vertices).sdf is None
    mesh.vertices = 2 * mesh.vertices
    assert mesh.sdf is None


def test_shapes_ask_for_the_field_of_their_mesh(device):
    mesh, _ = torus(fine=False)
    b = newton.ModelBuilder()
    cfg = b.ShapeConfig()
    cfg.configure_sdf(max_resolution=16, padding=0.002)
    b.add_shape_mesh(b.add_body(), mesh=mesh, cfg=cfg)
    b.add_shape_mesh(b.add_body(), mesh=mesh, cfg=cfg)
    assert mesh.sdf is None
    b.finalize(device=device)
    assert mesh.sdf.settings.resolution == 16 and mesh.sdf.settings.padding == 0.002
    other, _ = torus(fine=False)
    b.add_shape_mesh(b.add_body(), mesh=other, cfg=cfg)
    b.add_shape_mesh(b.add_body(), mesh=other, cfg=b.ShapeConfig(sdf_max_resolution=24))
    with pytest.raises(ModelError, match="wants another signed distance field"):
        b.finalize(device=device)
    with pytest.raises(ModelError, match="'colour' is unknown"):
        cfg.configure_sdf(colour=1)
