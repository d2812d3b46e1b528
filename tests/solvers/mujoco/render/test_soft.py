"""Flexes and skins in pictures: the triangles that MuJoCo draws, hit by rays in float64, and its own colours."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from tests import oracle
from tests.harness.camera_scenes import silhouettes, similarity
from tests.tolerance import tolerance

WIDTH, HEIGHT = 72, 54
VISUAL = '<visual><quality offsamples="4" shadowsize="2048"/></visual>'
ASSETS = """<asset><texture name="chk" type="2d" builtin="checker" width="64" height="64" rgb1=".9 .2 .2" rgb2=".1 .7 .3"/>
<material name="chk" texture="chk"/></asset>"""
FLEXES = f"""<mujoco>{VISUAL}{ASSETS}<worldbody><light directional="true" pos="0 0 3" dir="-.2 .1 -1"/>
<camera name="c" pos=".9 -1.6 2.3" xyaxes="1 .2 0 -.15 .65 .75" fovy="45"/><geom type="box" size="2 2 .1" pos="0 0 .3" rgba=".7 .7 .8 1"/>
<flexcomp name="cloth" type="grid" count="4 3 1" spacing=".2 .2 .2" dim="2" radius=".02" pos="0 .1 1" euler="20 10 0" material="chk"
  texcoord="0 0 0 1 0 2 1 0 1 1 1 2 2 0 2 1 2 2 3 0 3 1 3 2"><edge damping="1"/></flexcomp>
<flexcomp name="block" type="grid" count="3 3 3" spacing=".1 .1 .1" dim="3" radius=".02" pos="1.1 .2 1" rgba="0 0 1 1"><edge damping="1"/></flexcomp>
<flexcomp name="ball" type="ellipsoid" count="5 5 5" spacing=".1 .1 .1" dim="3" pos=".6 .9 .9" rgba="0 1 1 1"><edge damping="1"/></flexcomp>
<flexcomp name="hidden" type="grid" count="2 2 1" spacing=".9 .9 .9" dim="2" pos=".5 0 1.5" group="4"><edge damping="1"/></flexcomp>
</worldbody></mujoco>"""
SKIN = """<mujoco><worldbody><light directional="true" dir="0 0 -1"/><camera name="c" pos=".2 -.7 .5" xyaxes="1 0 0 0 .58 .81"/>
<body name="a"><joint axis="0 1 0"/><geom size=".01"/><body name="b" pos=".2 0 0"><joint axis="0 1 0"/><geom size=".01"/></body></body></worldbody>
<deformable><skin name="s" inflate=".01" rgba=".2 .9 .3 1" vertex="0 -.1 0 0 .1 0 .2 -.1 0 .2 .1 0 .4 0 0" face="0 2 1 2 3 1 2 4 3">
<bone body="a" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 3"/>
<bone body="b" bindpos=".2 0 0" bindquat="1 .1 0 0" vertid="2 3 4" vertweight="3 1 2"/></skin></deformable></mujoco>"""
SCENES = {"flexes": FLEXES, "skin": SKIN}


def moved(mj, worlds: int) -> np.ndarray:
    """Configurations [worlds, nq], each another."""
    low = -0.02 if mj.nflex else -0.5
    return (mj.qpos0 + np.random.default_rng(4).uniform(low, -low, (worlds, mj.nq))).astype(np.float32)


def filmed(mj, qpos, device="cpu", mask=None, **options):
    """Depth, segmentation and colours [nworld, height, width] of the first camera, and the context."""
    with wp.ScopedDevice(device):
        m, d = mjw.put_model(mj), mjw.make_data(mj, nworld=len(qpos))
        d.qpos = qpos
        mjw.forward(m, d)
        every = {"render_rgb": True, "render_depth": True, "render_seg": True, "use_shadows": True}
        options = every | {"shadow_light_fraction": 0.0} | options
        rc = mjw.create_render_context(mj, len(qpos), (WIDTH, HEIGHT), **options)
        mjw.render(m, d, rc, world_mask=mask)
    return [rc.picture(kind, 0).numpy() for kind in ("depth", "seg", "rgb")]


def expected(mj, qpos):
    """Depth, and object with number, of each pixel: MuJoCo's rays at geoms, and float64 at what it draws of flexes and skins."""
    data = oracle.mujoco.MjData(mj)
    data.qpos[:] = qpos
    oracle.mujoco.mj_forward(mj, data)
    tall = 2.0 * np.tan(np.radians(mj.cam_fovy[0]) / 2.0)
    u = ((np.arange(WIDTH) + 0.5) / WIDTH - 0.5)[None, :] * tall * WIDTH / HEIGHT
    v = (0.5 - (np.arange(HEIGHT) + 0.5) / HEIGHT)[:, None] * tall
    way = np.stack(np.broadcast_arrays(u, v, -1.0), axis=-1).reshape(-1, 3)
    rays, eye = way @ data.cam_xmat[0].reshape(3, 3).T, data.cam_xpos[0]
    depth, what, id = np.full(len(way), np.inf), np.full((len(way), 2), -1), np.zeros(1, np.int32)
    for i, ray in enumerate(rays):
        t = oracle.mujoco.mj_ray(mj, data, eye, ray, np.array([1, 1, 1, 0, 0, 0], np.uint8), 1, -1, id)
        if t >= 0:
            depth[i], what[i] = t, (id[0], int(oracle.mujoco.mjtObj.mjOBJ_GEOM))
    for kind, number, triangles in oracle.soft_triangles(mj, data):
        for a, b, c in triangles:
            with np.errstate(divide="ignore", invalid="ignore"):
                n = np.cross(b - a, c - a)
                t = (n @ (a - eye)) / (rays @ n)
                at = eye + t[:, None] * rays
                inside = [np.cross(q - p, at - p) @ n >= 0 for p, q in ((a, b), (b, c), (c, a))]
                seen = np.logical_and.reduce(inside) & (t > 0) & (t < depth) & (rays @ n < 0)
            depth[seen], what[seen] = t[seen], (number, kind)
    depth[np.isinf(depth)] = 0.0
    return depth.reshape(HEIGHT, WIDTH), what.reshape(HEIGHT, WIDTH, 2)


@pytest.mark.parametrize("name", SCENES)
def test_depth_is_that_of_the_triangles_that_mujoco_draws(name, device):
    mj = oracle.compile_xml(SCENES[name])
    qpos = moved(mj, 2)
    depth, seg, _ = filmed(mj, qpos, device)
    soft = (oracle.mujoco.mjtObj.mjOBJ_FLEX, oracle.mujoco.mjtObj.mjOBJ_SKIN)
    for world in range(2):
        far, what = expected(mj, qpos[world])
        inside = ~silhouettes(what[..., 0] + 100 * what[..., 1])
        assert np.isin(what[..., 1], soft).sum() > 100
        same = (seg[world] == what).all(-1) & (np.abs(depth[world] - far) <= tolerance("ray") * np.maximum(far, 1.0))
        assert same[inside].mean() >= 0.999


@pytest.mark.parametrize("name", SCENES)
def test_colours_are_mujocos(name):
    mj = oracle.compile_xml(SCENES[name])
    qpos = moved(mj, 1)
    data = oracle.mujoco.MjData(mj)
    data.qpos[:] = qpos[0]
    oracle.mujoco.mj_forward(mj, data)
    try:
        theirs = oracle.picture(mj, data, 0, WIDTH, HEIGHT)
    except (ImportError, RuntimeError, AttributeError) as problem:
        pytest.skip(f"MuJoCo has no OpenGL here: {problem}")
    rgb = filmed(mj, qpos, samples_per_pixel=2)[2][0]
    ours = ((rgb[..., None] >> np.array([16, 8, 0], np.uint32)) & 255).astype(np.uint8)
    assert 1.0 - similarity(ours, theirs) <= tolerance("picture")


def test_a_world_is_the_same_alone_and_the_others_stay(device):
    mj = oracle.compile_xml(FLEXES)
    qpos = moved(mj, 3)
    every = filmed(mj, qpos, device)
    alone = filmed(mj, qpos[1:2], device)
    masked = filmed(mj, qpos, device, wp.array([False, True, False], dtype=wp.bool, device=device))
    for a, b, c in zip(every, alone, masked, strict=True):
        np.testing.assert_array_equal(a[1], b[0])
        np.testing.assert_array_equal(a[1], c[1])
        assert not c[0].any() and not c[2].any()


def test_ropes_are_capsules_about_their_edges():
    mj = oracle.compile_xml("""<mujoco><worldbody><camera name="c" pos=".3 0 2"/><flexcomp name="rope" type="grid" count="3 1 1" spacing=".3 .3 .3"
        dim="1" radius=".05" pos=".3 0 0"><edge equality="true"/></flexcomp></worldbody></mujoco>""")
    depth, seg, _ = filmed(mj, mj.qpos0[None].astype(np.float32))
    np.testing.assert_array_equal(seg[0][HEIGHT // 2, WIDTH // 2], (0, oracle.mujoco.mjtObj.mjOBJ_FLEX))
    # a rope along x, seen from above: its top is a radius nearer, and it is as wide as two
    tall = 2.0 * np.tan(np.radians(mj.cam_fovy[0]) / 2.0) / HEIGHT
    aside = 0.5 * tall * 1.95
    assert depth[0][HEIGHT // 2, WIDTH // 2] == pytest.approx(2.0 - np.sqrt(0.05**2 - aside**2), abs=tolerance("ray"))
    wide = (seg[0][:, WIDTH // 2, 1] >= 0).sum() * 2.0 * tall
    assert wide == pytest.approx(0.1, abs=2.0 * 2.0 * tall)


def test_flat_triangles_differ_from_smooth_ones_in_colour_alone():
    mj = oracle.compile_xml(FLEXES)
    qpos = moved(mj, 1)
    smooth, flat = filmed(mj, qpos), filmed(mj, qpos, flex_render_smooth=False)
    np.testing.assert_array_equal(smooth[0], flat[0])
    assert (smooth[2] != flat[2]).mean() > 0.02
