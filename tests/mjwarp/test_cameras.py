"""Cameras in batches: what each pixel sees, beside MuJoCo's rays, and independence of worlds."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import CapacityError, ModelError, StateError, UnsupportedError
from tests import oracle
from tests.tolerance import tolerance

WIDTH, HEIGHT = 52, 44
SCENE = """<mujoco><asset><mesh name="tetrahedron" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale=".5 .5 .5"/>
<hfield name="hills" nrow="4" ncol="5" size="1 1.2 .4 .1" elevation="0 1 0 2 1 3 0 1 0 2 1 3 1 0 0 1 0 2 1 3"/></asset><worldbody>
<camera name="perspective" pos="0 -3 2" xyaxes="1 0 0 0 .5 .86" output="depth"/>
<camera name="wide" pos="2.5 2 1.5" xyaxes="-.6 .8 0 -.3 -.2 .9" fovy="70" output="depth segmentation"/>
<camera name="flat" projection="orthographic" fovy="3" pos="0 -3 2" xyaxes="1 0 0 0 .5 .86"/>
<body pos="0 -3 2"><joint/><geom size=".01" mass="1" group="4"/><camera name="lens" xyaxes="1 0 0 0 .5 .86" sensorsize=".036 .024" focal=".03 .028" principal=".002 -.001"/></body>
<geom type="plane" size="3 3 1"/><geom type="hfield" hfield="hills" pos="0 2.4 0"/>
<body pos="0 0 .4"><freejoint/><geom size=".3"/></body><body pos="1 0 .4" euler="30 40 0"><freejoint/><geom type="box" size=".3 .2 .1"/></body>
<body pos="-1 0 .5" euler="60 10 0"><freejoint/><geom type="capsule" size=".15 .3"/></body>
<body pos="0 1 .4" euler="60 10 0"><freejoint/><geom type="cylinder" size=".2 .3"/></body>
<body pos="1 1 .5"><freejoint/><geom type="ellipsoid" size=".2 .3 .1"/></body>
<body pos="-1 1 .3" euler="20 0 50"><freejoint/><geom type="mesh" mesh="tetrahedron"/></body>
<body pos="0 -1 1"><freejoint/><geom size=".4" rgba="1 1 1 0"/><geom size=".4" group="3"/></body></worldbody></mujoco>"""
CAMERAS = ("perspective", "wide", "flat", "lens")


def posed(mj, worlds: int, seed: int = 3) -> np.ndarray:
    """Configurations [worlds, nq], each another."""
    rng = np.random.default_rng(seed)
    qpos = np.tile(mj.qpos0, (worlds, 1)) + rng.uniform(-0.15, 0.15, (worlds, mj.nq))
    return qpos.astype(np.float32)


def engine_of(mj, qpos, device):
    """Model and data of MuJoCo Warp's names at configurations."""
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.make_data(mj, nworld=len(qpos))
    d.qpos = qpos
    mjw.kinematics(m, d)
    mjw.com_pos(m, d)
    mjw.camlight(m, d)
    return m, d


def pictures(mj, qpos, device, **options):
    """Depths, segmentation and normals [camera, world, height, width] of all cameras."""
    m, d = engine_of(mj, qpos, device)
    with wp.ScopedDevice(device):
        every = {"render_rgb": False, "render_depth": True, "render_seg": True, "render_normal": True}
        rc = mjw.create_render_context(mj, len(qpos), (WIDTH, HEIGHT), **every, **options)
    mjw.render(m, d, rc)
    return read(rc, len(qpos), device)


def read(rc, worlds: int, device):
    """The pictures of a context."""
    found = ([], [], [])
    for camera in range(len(rc.cameras)):
        shape = (worlds, HEIGHT, WIDTH)
        depth, seg, normal = (wp.zeros(shape, dtype=kind, device=device) for kind in (float, wp.vec2i, wp.vec3))
        mjw.get_depth(rc, camera, 100.0, depth)
        mjw.get_segmentation(rc, camera, seg)
        mjw.get_normal(rc, camera, normal)
        for one, values in zip(found, (depth.numpy() * 100.0, seg.numpy(), normal.numpy())):
            one.append(values)
    return [np.stack(one) for one in found]


def pixel_rays(mj, camera: int):
    """Origins and directions [height, width, 3] of a camera's rays in its frame, as its manual has them."""
    x = ((np.arange(WIDTH) + 0.5) / WIDTH - 0.5)[None, :]
    y = (0.5 - (np.arange(HEIGHT) + 0.5) / HEIGHT)[:, None]
    tall, origin = 2.0 * np.tan(np.radians(mj.cam_fovy[camera]) / 2.0), np.zeros((HEIGHT, WIDTH, 3))
    wide = tall * WIDTH / HEIGHT
    u, v = np.broadcast_arrays(x * wide, y * tall)
    if mj.cam_projection[camera]:
        tall = mj.cam_fovy[camera]
        origin[..., 0], origin[..., 1] = x * tall * WIDTH / HEIGHT, y * tall
        u = v = np.zeros((HEIGHT, WIDTH))
    elif mj.cam_sensorsize[camera].any():
        (fx, fy, cx, cy), (width, height) = mj.cam_intrinsic[camera], mj.cam_sensorsize[camera]
        part = min(width / WIDTH, height / HEIGHT)
        u, v = np.broadcast_arrays((x * WIDTH * part + cx) / fx, (y * HEIGHT * part - cy) / fy)
    way = np.stack([u, v, -np.ones_like(u)], axis=-1)
    return origin, way / np.linalg.norm(way, axis=-1, keepdims=True)


def expected(mj, qpos, camera: int):
    """Depth along the axis, geom and normal of each pixel, by MuJoCo's rays in float64."""
    data = oracle.mujoco.MjData(mj)
    data.qpos[:] = qpos
    oracle.mujoco.mj_forward(mj, data)
    origin, way = pixel_rays(mj, camera)
    pose, groups = data.cam_xmat[camera].reshape(3, 3), np.array([1, 1, 1, 0, 0, 0], np.uint8)
    depth, geom, normal = np.zeros((HEIGHT, WIDTH)), np.zeros((HEIGHT, WIDTH), int), np.zeros((HEIGHT, WIDTH, 3))
    id, n = np.zeros(1, np.int32), np.zeros(3)
    for at in np.ndindex(HEIGHT, WIDTH):
        start = data.cam_xpos[camera] + pose @ origin[at]
        t = oracle.mujoco.mj_ray(mj, data, start, pose @ way[at], groups, 1, -1, id, n)
        geom[at] = id[0]
        if t >= 0:
            depth[at], normal[at] = -t * way[at][2], n
    return depth, geom, normal


def edges(geom: np.ndarray) -> np.ndarray:
    """Pixels beside one that sees another geom."""
    edge = np.zeros(geom.shape, bool)
    for axis in (0, 1):
        other = np.diff(geom, axis=axis) != 0
        low, high = ([slice(None)] * 2 for _ in range(2))
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        edge[tuple(low)] |= other
        edge[tuple(high)] |= other
    return edge


@pytest.mark.parametrize("camera", range(len(CAMERAS)), ids=CAMERAS)
def test_pixels_see_what_mujocos_rays_meet(camera, device):
    mj = oracle.compile_xml(SCENE)
    qpos = posed(mj, 2)
    depth, seg, normal = pictures(mj, qpos, device)
    for world in range(2):
        far, geom, up = expected(mj, qpos[world], camera)
        same = seg[camera, world, ..., 0] == geom
        assert same[~edges(geom)].all() and same.mean() > 0.99
        assert len(np.unique(geom)) > 4
        seen = same & ~edges(geom) & (geom >= 0)
        error = np.abs(depth[camera, world] - far) / np.maximum(far, 1.0)
        turned = np.linalg.norm(normal[camera, world] - up, axis=-1)
        assert error[seen].max() <= tolerance("ray") and turned[seen].max() <= 10.0 * tolerance("hit_normal")
        nothing = seg[camera, world, ..., 0] < 0
        assert not depth[camera, world][nothing].any() and not normal[camera, world][nothing].any()
        kinds = np.where(nothing, -1, int(oracle.mujoco.mjtObj.mjOBJ_GEOM))
        np.testing.assert_array_equal(seg[camera, world, ..., 1], kinds)


def test_a_picture_does_not_depend_on_other_worlds_or_on_which_are_rendered(device):
    mj = oracle.compile_xml(SCENE)
    qpos = posed(mj, 5)
    every = pictures(mj, qpos, device)
    for ours, alone in zip(every, pictures(mj, qpos[3:4], device)):
        np.testing.assert_array_equal(ours[:, 3], alone[:, 0])
    m, d = engine_of(mj, qpos, device)
    with wp.ScopedDevice(device):
        kinds = {"render_rgb": False, "render_depth": True, "render_seg": True, "render_normal": True}
        rc = mjw.create_render_context(mj, 5, (WIDTH, HEIGHT), **kinds)
        mask = wp.array([False, True, False, True, False], dtype=bool)
    rc.pictures.depth.fill_(7.0)
    mjw.render(m, d, rc, world_mask=mask)
    depth = read(rc, 5, device)[0]
    np.testing.assert_array_equal(depth[:, [1, 3]], every[0][:, [1, 3]])
    np.testing.assert_array_equal(depth[:, [0, 2, 4]], 7.0)


def test_more_geoms_than_a_tile_lists_are_seen(device):
    """The picture is the one of a context that sees them in two halves."""
    rng, balls = np.random.default_rng(1), []
    for k in range(300):
        x, y, z = rng.uniform(-1, 1, 3)
        balls.append(f'<geom size=".04" pos="{x} {y} {z}" group="{k % 2}"/>')
    mj = oracle.compile_xml(
        f'<mujoco><worldbody>{"".join(balls)}<camera pos="0 0 60" fovy="2.2"/></worldbody></mujoco>'
    )
    qpos = np.zeros((1, 0), np.float32)
    depth, seg, _ = pictures(mj, qpos, device)
    halves = [pictures(mj, qpos, device, enabled_geom_groups=[k]) for k in (0, 1)]
    far = np.stack([np.where(half[1][..., 0] >= 0, half[0], np.inf) for half in halves])
    np.testing.assert_array_equal(np.where(seg[..., 0] >= 0, depth, np.inf), far.min(axis=0))
    assert len(np.unique(seg[..., 0])) > 100


def test_surfaces_are_seen_from_outside_unless_it_is_asked_for(device):
    mj = oracle.compile_xml(
        '<mujoco><asset><mesh name="m" vertex="-1 -1 -1 2 0 0 0 2 0 0 0 2" scale="2 2 2"/></asset><worldbody><camera pos="0 0 0"/>'
        '<geom type="mesh" mesh="m"/><geom size=".3"/><geom type="box" size="5 5 5"/><geom size=".1" pos="0 0 -3"/></worldbody></mujoco>'
    )
    qpos = np.zeros((1, 0), np.float32)
    outside, inside = (pictures(mj, qpos, device, enable_backface_culling=culling)[1] for culling in (True, False))
    assert set(np.unique(outside[..., 0])) == {-1, 3} and set(np.unique(inside[..., 0])) == {1}


def test_fields_of_view_may_differ_between_worlds(device):
    mj = oracle.compile_xml(SCENE)
    qpos = np.tile(mj.qpos0, (2, 1)).astype(np.float32)
    m, d = engine_of(mj, qpos, device)
    fovy = np.tile(mj.cam_fovy, (2, 1))
    fovy[1] *= 0.7
    m.cam_fovy = fovy.astype(np.float32)
    with wp.ScopedDevice(device):
        kinds = {"render_rgb": False, "render_depth": True, "render_seg": True, "render_normal": True}
        rc = mjw.create_render_context(mj, 2, (WIDTH, HEIGHT), use_precomputed_rays=False, **kinds)
    mjw.render(m, d, rc)
    depth = read(rc, 2, device)[0]
    mj.cam_fovy[:] = fovy[1]
    np.testing.assert_array_equal(depth[:, 1], pictures(mj, qpos[1:], device)[0][:, 0])
    assert (depth[:3, 0] != depth[:3, 1]).mean() > 0.5


def test_cameras_and_their_pictures_are_the_models_where_nothing_else_is_said(device):
    mj = oracle.compile_xml(SCENE.replace('output="depth"', 'output="depth" resolution="16 9"'))
    with wp.ScopedDevice(device):
        rc = mjw.create_render_context(mj, 1, cam_active=["wide", "perspective"], render_rgb=False)
        assert rc.cameras == [1, 0] and rc.resolutions == [(1, 1), (16, 9)]
        assert rc.picture("depth", 1).shape == (1, 9, 16) and rc.picture("seg", 0).shape == (1, 1, 1)
        with pytest.raises(StateError, match="render_seg=True"):
            rc.picture("seg", 1)
        assert mjw.create_render_context(mj, 1, cam_active=[], render_rgb=False).cameras == []
        flags = [True, False, False, True]
        assert mjw.create_render_context(mj, 1, cam_active=flags, render_rgb=False).cameras == [0, 3]


def test_a_model_of_the_packages_own_is_rendered_too(device):
    text = SCENE
    with wp.ScopedDevice(device):
        mj = mjw.load(text)
        rc = mjw.create_render_context(mj, 1, (8, 8), cam_active=["wide"], render_rgb=False, render_depth=True)
    assert rc.cameras == [1] and rc.picture("depth", 0).shape == (1, 8, 8)


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"render_rgb": True, "samples_per_pixel": 0}, ModelError, "whole number from 1"),
        ({"render_rgb": False, "splat_position": np.zeros((1, 3))}, UnsupportedError, "splats"),
        ({"render_rgb": False, "cam_active": ["wid"]}, ModelError, "no camera 'wid'"),
        ({"render_rgb": False, "cam_active": [4]}, ModelError, "camera 4 of 4"),
        ({"render_rgb": False, "cam_active": [True]}, ModelError, "1 flags for 4 cameras"),
        ({"render_rgb": False, "cam_res": [(4, 4), (4, 4)]}, ModelError, "2 resolutions for 4"),
        ({"render_rgb": False, "cam_res": (4, 0)}, ModelError, "from 1"),
        (
            {"render_rgb": False, "cam_res": (10**9, 10**9)},
            CapacityError,
            "a picture of 1000000000 by 1000000000 pixels",
        ),
        ({"render_rgb": False, "render_depth": [True, False]}, ModelError, "2 flags for 4"),
        ({"render_rgb": False, "nworld": 0}, ModelError, "at least 1"),
        ({"render_rgb": False, "shadows": True}, TypeError, "unexpected keyword argument 'shadows'"),
    ],
)
def test_what_cannot_be_rendered_is_refused(options, error, words):
    with pytest.raises(error, match=words):
        mjw.create_render_context(oracle.compile_xml(SCENE), **options)


def test_data_and_outputs_that_do_not_fit_are_refused(device):
    mj = oracle.compile_xml(SCENE)
    m, d = engine_of(mj, posed(mj, 2), device)
    with wp.ScopedDevice(device):
        rc = mjw.create_render_context(mj, 3, (4, 4), render_rgb=False, render_depth=True)
        small = wp.zeros((3, 4, 5), dtype=float)
    with pytest.raises(StateError, match="for 3 worlds and the data has 2"):
        mjw.render(m, d, rc)
    with pytest.raises(StateError, match="depth_out: expected float32"):
        mjw.get_depth(rc, 0, 1.0, small)
    with pytest.raises(StateError, match="camera_index 4"):
        mjw.get_depth(rc, 4, 1.0, small)
