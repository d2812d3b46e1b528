"""Camera sensors under Newton's names: pictures against closed forms, lenses against the distortions they undo."""

import math

import numpy as np
import pytest
import warp as wp

import newtonlite
from newtonlite.core.errors import ModelError, UnsupportedError
from newtonlite.sensors import SensorCamera, SensorTiledCamera
from newtonlite.sim.sense.camera import lens
from tests.tolerance import tolerance

WIDTH, HEIGHT, FOV, RADIUS, AWAY = 24, 16, 1.0, 0.75, 2.0
COLOUR = (0.25, 0.5, 0.75)
NAMES = {
    "color_image": "color",
    "hdr_color_image": "color_hdr",
    "depth_image": "depth",
    "forward_depth_image": "depth_forward",
    "shape_index_image": "shape_index",
    "normal_image": "normal",
    "albedo_image": "albedo",
}


def spheres(*places: float):
    """A model of a world for each place along x of a sphere before a camera at the origin."""
    scene = newtonlite.ModelBuilder()
    for x in places:
        world = newtonlite.ModelBuilder()
        body = world.add_body(xform=wp.transform(wp.vec3(x, 0.0, -AWAY), wp.quat_identity()))
        world.add_shape_sphere(body, radius=RADIUS, color=COLOUR)
        scene.add_world(world)
    return scene.finalize(device="cpu")


def poses(count: int) -> wp.array:
    """Poses of cameras at the origin."""
    return wp.array(np.tile([0, 0, 0, 0, 0, 0, 1], (count, 1)).astype(np.float32), dtype=wp.transform, device="cpu")


def pictures(camera: SensorCamera, model, views: int, names=tuple(NAMES), rays=None, **options) -> dict:
    """Pictures of views by a sensor."""
    if rays is None:
        rays = SensorCamera.compute_camera_rays_pinhole(WIDTH, HEIGHT, camera_fov=FOV, device="cpu")
    made = {n: getattr(camera, f"allocate_image_{NAMES[n]}")(views, rays.shape[1], rays.shape[0]) for n in names}
    camera.update(model.state(), poses(views), rays, **made, **options)
    return {name: array.numpy() for name, array in made.items()}


def linear(colour) -> np.ndarray:
    """Linear light of an sRGB colour."""
    c = np.asarray(colour)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def test_depth_normal_and_number_of_a_sphere():
    model = spheres(0.0)
    rays = SensorCamera.compute_camera_rays_pinhole(WIDTH, HEIGHT, camera_fov=FOV, device="cpu")
    found, way = pictures(SensorCamera(model), model, 1), rays.numpy()[:, :, 0, 1].astype(float)
    # |t d - c|^2 = r^2
    along = -AWAY * way[..., 2]
    root = along**2 - AWAY**2 + RADIUS**2
    seen = root > 0.0
    distance = np.where(seen, along - np.sqrt(np.maximum(root, 0.0)), 0.0)
    assert 10 < seen.sum() < seen.size
    np.testing.assert_array_equal(found["shape_index_image"][0], np.where(seen, 0, 0xFFFFFFFF))
    np.testing.assert_allclose(found["depth_image"][0], distance, atol=tolerance("ray"))
    np.testing.assert_allclose(found["forward_depth_image"][0], -distance * way[..., 2], atol=tolerance("ray"))
    normal = (distance[..., None] * way - [0.0, 0.0, -AWAY]) / RADIUS
    np.testing.assert_allclose(found["normal_image"][0][seen], normal[seen], atol=tolerance("ray"))
    assert not found["normal_image"][0][~seen].any()


def test_light_is_ambient_between_sky_and_ground_and_of_a_lamp():
    model = spheres(0.0)
    camera, y, x = SensorCamera(model), HEIGHT // 2, WIDTH // 2
    dim = pictures(camera, model, 1)
    n = dim["normal_image"][0, y, x].astype(float)
    above = 0.5 * (n[2] + 1.0)
    ambient = above * np.array([0.2, 0.2, 0.225]) + (1 - above) * np.array([0.05, 0.05, 0.06])
    np.testing.assert_allclose(
        dim["hdr_color_image"][0, y, x], linear(COLOUR) * ambient, rtol=tolerance("camera_light")
    )
    assert dim["albedo_image"][0, y, x].tobytes()[:3] == bytes(int(c * 255.0 + 1e-3) for c in COLOUR)
    camera.create_default_light(direction=(0.0, 0.0, -1.0), color=(1.0, 2.0, 0.5))
    lit = pictures(camera, model, 1)["hdr_color_image"][0, y, x]
    np.testing.assert_allclose(
        lit, linear(COLOUR) * (ambient + n[2] * np.array([1.0, 2.0, 0.5])), rtol=tolerance("camera_light")
    )


def test_a_shadow_leaves_three_tenths_of_the_lamp():
    scene = newtonlite.ModelBuilder()
    scene.add_shape_box(-1, xform=wp.transform(wp.vec3(0, 0, -4), wp.quat_identity()), hx=3, hy=3, hz=0.1)
    scene.add_shape_sphere(-1, xform=wp.transform(wp.vec3(2, 0, -2), wp.quat_identity()), radius=0.5)
    model = scene.finalize(device="cpu")
    camera = SensorCamera(model)
    # the sphere stands between the middle of the picture and the lamp
    camera.create_default_light(direction=np.array([-1.9, 0.0, -1.9]) / np.hypot(1.9, 1.9))
    lights = [
        pictures(camera, model, 1, render_config=camera.RenderConfig(enable_shadows=on, enable_ambient_lighting=False))
        for on in (False, True)
    ]
    free, hidden = (found["hdr_color_image"][0] for found in lights)
    lit = free[..., 0] > 0.0
    share = hidden[lit][:, 0] / free[lit][:, 0]
    assert share.min() == pytest.approx(0.3, abs=tolerance("camera_light")) and share.max() == pytest.approx(1.0)


def test_views_show_the_worlds_they_are_told_to_and_others_change_no_bit():
    model, alone = spheres(0.0, 0.3), spheres(0.3)
    camera = SensorCamera(model)
    both = pictures(camera, model, 2)
    single = pictures(SensorCamera(alone), alone, 1)
    for name in ("depth_image", "normal_image", "color_image"):
        assert both[name][1].tobytes() == single[name][0].tobytes()
    flag = camera.WorldRenderFlag
    chosen = wp.array([1, int(flag.DISABLE_CLEAR), int(flag.DISABLE_PRESERVE), 7, -1], dtype=int, device="cpu")
    rays = SensorCamera.compute_camera_rays_pinhole(WIDTH, HEIGHT, camera_fov=FOV, device="cpu")
    depth = wp.full((5, HEIGHT, WIDTH), 9.0, dtype=float, device="cpu")
    clear = camera.ClearData(clear_depth=-1.0)
    camera.update(model.state(), poses(5), rays, depth_image=depth, world_indices=chosen, clear_data=clear)
    found = depth.numpy()
    np.testing.assert_array_equal(found[0], np.where(both["depth_image"][1] > 0, both["depth_image"][1], -1.0))
    assert (found[[1, 3, 4]] == -1.0).all() and (found[2] == 9.0).all()


def test_colours_of_several_rays_are_their_mean():
    model = spheres(0.0)
    camera = SensorCamera(model)
    one = SensorCamera.compute_camera_rays_pinhole(1, 1, camera_fov=FOV, device="cpu")
    rays = np.zeros((1, 1, 2, 2, 3), np.float32)
    rays[:, :, 0] = one.numpy()[:, :, 0]
    rays = wp.array(rays, dtype=wp.vec3, device="cpu")
    config = camera.RenderConfig(anti_aliasing=camera.AntiAliasing.SSAA)
    whole, half = pictures(camera, model, 1, rays=one), pictures(camera, model, 1, rays=rays, render_config=config)
    np.testing.assert_allclose(half["hdr_color_image"], 0.5 * whole["hdr_color_image"], rtol=tolerance("camera_light"))
    assert half["depth_image"] == whole["depth_image"] and half["shape_index_image"] == whole["shape_index_image"]
    with pytest.raises(ModelError, match="anti_aliasing"):
        pictures(camera, model, 1, rays=rays)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_samples_lie_about_the_middle_of_the_pixel(count):
    places = lens.sample_places(count)
    assert ((places > 0.0) & (places < 1.0)).all()
    np.testing.assert_allclose(places.mean(axis=0), 0.5, atol=tolerance("frame"))


def test_rays_of_a_distorted_pinhole_come_from_their_pixels():
    k, p, s = (0.2, -0.05, 0.01, 0.1, 0.02, 0.0), (0.01, -0.02), (0.004, 0.0, -0.003, 0.001)
    named = dict(zip("k1 k2 k3 k4 k5 k6 p1 p2 s1 s2 s3 s4".split(), (*k, *p, *s)))
    rays = SensorCamera.compute_camera_rays_pinhole_opencv(32, 20, 20.0, 22.0, 15.0, 11.0, **named, device="cpu")
    way = rays.numpy()[:, :, 0, 1].astype(float)
    u, v = lens.distorted(-way[..., 0] / way[..., 2], way[..., 1] / way[..., 2], k, p, s)
    np.testing.assert_allclose(
        20.0 * u + 15.0, np.broadcast_to(np.arange(32) + 0.5, (20, 32)), atol=tolerance("lens_pixel")
    )
    np.testing.assert_allclose(
        22.0 * v + 11.0, np.broadcast_to(np.arange(20)[:, None] + 0.5, (20, 32)), atol=tolerance("lens_pixel")
    )


def test_rays_of_fisheyes_have_the_angle_of_their_radius():
    make = {
        "opencv": lambda: SensorCamera.compute_camera_rays_fisheye_opencv(
            32, 32, 9.0, 9.0, 16.0, 16.0, k1=0.05, k2=0.01, max_fov=3.0, device="cpu"
        ),
        "ftheta": lambda: SensorCamera.compute_camera_rays_fisheye_ftheta(
            32, 32, 16.0, 16.0, k1=9.0, k2=0.3, max_fov=3.0, device="cpu"
        ),
        "kannala": lambda: SensorCamera.compute_camera_rays_fisheye_kannala_brandt(
            32, 32, 16.0, 16.0, k0=9.0, k1=0.4, max_fov=3.0, device="cpu"
        ),
    }
    radius = {
        "opencv": lambda t: 9.0 * t * (1 + 0.05 * t**2 + 0.01 * t**4),
        "ftheta": lambda t: 9.0 * t + 0.3 * t**2,
        "kannala": lambda t: 9.0 * t + 0.4 * t**3,
    }
    x, y = np.meshgrid(np.arange(32) - 15.5, np.arange(32) - 15.5)
    for kind, rays in make.items():
        way = rays().numpy()[:, :, 0, 1].astype(float)
        inside = np.hypot(x, y) <= radius[kind](1.5)
        assert 0 < inside.sum() < inside.size
        assert not way[~inside].any()
        angle = np.arccos(np.clip(-way[..., 2], -1.0, 1.0))
        np.testing.assert_allclose(radius[kind](angle)[inside], np.hypot(x, y)[inside], atol=tolerance("lens_pixel"))
        np.testing.assert_allclose((way[..., 0] * -y - way[..., 1] * x)[inside], 0.0, atol=tolerance("lens_pixel"))


def test_tiled_pictures_are_those_of_views():
    model = spheres(0.0, 0.3)
    views = pictures(SensorCamera(model), model, 2)
    with pytest.warns(DeprecationWarning, match="SensorCamera"):
        tiled = SensorTiledCamera(model)
    u = tiled.utils
    rays = u.compute_camera_rays_pinhole(WIDTH, HEIGHT, camera_fovs=[0.6, FOV])
    color, depth = u.create_color_image_output(WIDTH, HEIGHT, 2), u.create_depth_image_output(WIDTH, HEIGHT, 2)
    both = wp.array(np.stack([poses(2).numpy()] * 2), dtype=wp.transform, device="cpu")
    tiled.update(model.state(), both, rays, color_image=color, depth_image=depth)
    np.testing.assert_array_equal(depth.numpy()[:, 1], views["depth_image"])
    np.testing.assert_array_equal(color.numpy()[:, 1], views["color_image"])
    assert (depth.numpy()[:, 0] > 0).sum() > (depth.numpy()[:, 1] > 0).sum()
    flat = u.flatten_color_image_to_rgba(color, worlds_per_row=1).numpy()
    assert flat.shape == (2 * HEIGHT, 2 * WIDTH, 4)
    expected = np.ascontiguousarray(color.numpy()).view(np.uint8).reshape(2, 2, HEIGHT, WIDTH, 4)
    np.testing.assert_array_equal(flat[HEIGHT:, :WIDTH], expected[1, 0])


def test_pictures_for_people():
    depth = wp.array(np.array([[[0.0, 1.0, 2.0]]], np.float32), dtype=float, device="cpu")
    grey = SensorCamera.Utils.to_rgba_from_depth(depth).numpy()
    assert grey[0, 0, :, 0].tolist() == [0, 255, 50] and (grey[..., 3] == 255).all()
    number = wp.array(np.array([[[0, 1, 0xFFFFFFFF]]], np.uint32), dtype=wp.uint32, device="cpu")
    hashed = SensorCamera.Utils.to_rgba_from_shape_index(number).numpy()[0, 0, :, :3]
    assert not hashed[2].any() and hashed[0].any() and (hashed[0] != hashed[1]).any()
    table = wp.array(np.array([[1, 2, 3]], np.uint8), dtype=wp.uint8, device="cpu")
    named = SensorCamera.Utils.to_rgba_from_shape_index(number, colors=table).numpy()[0, 0, :, :3]
    assert named.tolist() == [[1, 2, 3], [0, 0, 0], [0, 0, 0]]


def test_what_does_not_fit_is_refused_by_name():
    model = spheres(0.0)
    camera = SensorCamera(model)
    rays = SensorCamera.compute_camera_rays_pinhole(WIDTH, HEIGHT, camera_fov=FOV, device="cpu")
    with pytest.raises(ModelError, match="world_count"):
        camera.update(model.state(), poses(2), rays)
    with pytest.raises(ModelError, match="depth_image must have shape"):
        camera.update(model.state(), poses(1), rays, depth_image=camera.allocate_image_depth(2, WIDTH, HEIGHT))
    with pytest.raises(UnsupportedError, match="enable_textures"):
        camera.update(model.state(), poses(1), rays, render_config=camera.RenderConfig(enable_textures=True))
    with pytest.raises(UnsupportedError, match="checkerboard"):
        camera.assign_checkerboard_material(shape_indices=[0])
    with pytest.raises(ModelError, match="camera_fov must be in"):
        SensorCamera.compute_camera_rays_pinhole(4, 4, camera_fov=math.pi)
    with pytest.raises(ModelError, match="together"):
        SensorCamera.compute_camera_rays_pinhole(4, 4, focal_length=1.0)


def test_rays_and_poses_of_a_usd_camera():
    usd = pytest.importorskip("pxr.Usd")
    geom = pytest.importorskip("pxr.UsdGeom")
    stage = usd.Stage.CreateInMemory()
    geom.SetStageUpAxis(stage, "Y")
    prim = geom.Camera.Define(stage, "/eye")
    prim.CreateFocalLengthAttr(20.0)
    prim.CreateHorizontalApertureAttr(30.0)
    prim.CreateVerticalApertureAttr(20.0)
    prim.AddTranslateOp().Set((1.0, 2.0, 3.0))
    rays = SensorCamera.compute_camera_rays_pinhole_usd(3, 2, prim, device="cpu").numpy()[:, :, 0, 1]
    np.testing.assert_allclose(rays[0, 2, :2] / -rays[0, 2, 2], [0.5, 0.25], atol=tolerance("camera_usd"))
    pose = SensorCamera(spheres(0.0)).compute_camera_transforms_usd(prim).numpy()[0]
    # y up becomes z up
    np.testing.assert_allclose(pose[:3], [1.0, -3.0, 2.0], atol=tolerance("camera_usd"))
