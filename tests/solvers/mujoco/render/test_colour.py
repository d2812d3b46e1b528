"""Colours of cameras, beside MuJoCo's own renderer and MuJoCo Warp's."""

import numpy as np
import pytest
import warp as wp

import newtonlite.mjwarp as mjw
from newtonlite.core.errors import StateError, UnsupportedError
from tests import oracle
from tests.harness.camera_scenes import COLOURED, LIT_BY_POINT, scene, similarity
from tests.tolerance import tolerance

WIDTH, HEIGHT = 120, 90
SEEN = {"render_rgb": True, "render_depth": False, "render_skybox": True, "use_shadows": True}


def forwarded(mj, worlds: int = 1, package=mjw, change=None):
    """Model and data at rest, after ``change(model)``."""
    with wp.ScopedDevice("cpu"):
        m, d = package.put_model(mj), package.make_data(mj, nworld=worlds)
        if change is not None:
            change(m)
        package.forward(m, d)
    return m, d


def colours(mj, worlds: int = 1, package=mjw, change=None, size=(WIDTH, HEIGHT), **options) -> np.ndarray:
    """Bytes [worlds, height, width, 3] of the first camera."""
    m, d = forwarded(mj, worlds, package, change)
    with wp.ScopedDevice("cpu"):
        rc = package.create_render_context(mj, worlds, size, **(SEEN | options))
        package.refit_bvh(m, d, rc)
        package.render(m, d, rc)
        out = wp.zeros((worlds, size[1], size[0]), dtype=wp.vec3)
        package.get_rgb(rc, 0, out)
    return np.rint(255.0 * out.numpy()).astype(np.uint8)


@pytest.mark.parametrize("name", COLOURED)
def test_pictures_look_like_mujocos(name):
    mj = oracle.compile_xml(COLOURED[name])
    data = oracle.mujoco.MjData(mj)
    oracle.mujoco.mj_forward(mj, data)
    try:
        theirs = oracle.picture(mj, data, 0, WIDTH, HEIGHT)
    except (ImportError, RuntimeError, AttributeError) as problem:
        pytest.skip(f"MuJoCo has no OpenGL here: {problem}")
    ours = colours(mj, shadow_light_fraction=0.0, samples_per_pixel=2)[0]
    assert 1.0 - similarity(ours, theirs) <= tolerance("picture")
    # other lights make another picture
    assert 1.0 - similarity(colours(mj, use_ambient_lighting=False)[0], theirs) > tolerance("picture") / 10


BESIDE = [
    (LIT_BY_POINT, {}),
    (COLOURED["textures"], {}),
    (COLOURED["materials"], {"use_textures": False, "enable_specular": False, "use_ambient_lighting": False}),
    (
        COLOURED["dim spot"],
        {"enable_emission": False, "enable_vertex_normals": False, "background_color": (0.2, 0.4, 0.6, 1.0)},
    ),
]
"""Scenes and options with which MuJoCo Warp, which compiles a kernel for each, is compared."""


@pytest.mark.parametrize("text, options", BESIDE)
def test_pixels_are_mujoco_warps(text, options):
    peer = pytest.importorskip("mujoco_warp")
    mj = oracle.compile_xml(text)
    options = options | {"render_skybox": "background_color" not in options}
    ours, theirs = colours(mj, mipmaps=False, **options).astype(int), colours(mj, package=peer, **options).astype(int)
    assert (np.abs(ours - theirs).max(axis=-1) <= 2).mean() > 0.99
    assert len(np.unique(theirs.reshape(-1, 3), axis=0)) > 40


@pytest.mark.parametrize(
    "options",
    [
        {"use_textures": False},
        {"enable_specular": False},
        {"enable_emission": False},
        {"use_ambient_lighting": False},
        {"enable_vertex_normals": False},
        {"use_shadows": False},
        {"shadow_light_fraction": 0.8},
        {"render_skybox": False},
        {"samples_per_pixel": 2},
        {"enabled_geom_groups": [1]},
    ],
)
def test_every_option_makes_another_picture(options):
    mj = oracle.compile_xml(COLOURED["materials"])
    assert (colours(mj, **options) != colours(mj)).any()


def test_a_picture_does_not_depend_on_other_worlds_or_on_which_are_rendered():
    mj = oracle.compile_xml(COLOURED["textures"])
    push = lambda m: setattr(m, "light_diffuse", np.linspace(0.2, 1.0, 3)[:, None, None] * np.ones((3, 1, 3)))
    every = colours(mj, 3, change=push)
    assert (every[0] != every[1]).any() and (every[1] != every[2]).any()
    alone = lambda m: setattr(m, "light_diffuse", 0.6 * np.ones((1, 1, 3)))
    np.testing.assert_array_equal(colours(mj, 1, change=alone)[0], every[1])
    m, d = forwarded(mj, 3, change=push)
    with wp.ScopedDevice("cpu"):
        rc = mjw.create_render_context(mj, 3, (WIDTH, HEIGHT), **SEEN)
        mask = wp.array([False, True, False], dtype=bool)
        rc.pictures.rgb.fill_(wp.uint32(7))
        mjw.render(m, d, rc, world_mask=mask)
        rgb = rc.picture("rgb", 0).numpy()
    assert (rgb[[0, 2]] == 7).all()
    np.testing.assert_array_equal((rgb[1][..., None] >> np.array([16, 8, 0])) & 255, every[1])


LOOKS = {
    "light_active": lambda m: np.array([[True], [False]]),
    "light_diffuse": lambda m: np.array([[[0.7, 0.7, 0.7]], [[0.9, 0.2, 0.1]]]),
    "light_ambient": lambda m: np.array([[[0.0, 0.0, 0.0]], [[0.3, 0.2, 0.1]]]),
    "light_dir": lambda m: np.array([[[-0.4, 0.3, -1.0]], [[0.6, 0.0, -0.8]]]),
    "light_castshadow": lambda m: np.array([[True], [False]]),
    "geom_rgba": lambda m: np.stack([m.geom_rgba.numpy()[0], m.geom_rgba.numpy()[0][::-1]]),
    "mat_rgba": lambda m: m.mat_rgba.numpy() * np.array([[[1.0]], [[0.5]]]),
    "mat_texid": lambda m: np.concatenate(
        [m.mat_texid.numpy(), np.where(m.mat_texid.numpy() == 0, 1, m.mat_texid.numpy())]
    ),
    "mat_texrepeat": lambda m: m.mat_texrepeat.numpy() * np.array([[[1.0]], [[2.0]]]),
    "cam_pos": lambda m: m.cam_pos.numpy() + np.array([[[0.0, 0.0, 0.0]], [[0.3, 0.1, 0.2]]]),
    "cam_fovy": lambda m: m.cam_fovy.numpy() * np.array([[1.0], [0.7]]),
}


@pytest.mark.parametrize("name", LOOKS)
def test_worlds_may_differ_in(name):
    """The second world's picture is that of a model with its values."""
    floor = '<geom type="plane" size="3 3 1" material="chk"/>'
    mj = oracle.compile_xml(scene(looks=('rgba=".3 1 .3 1"', 'material="chk"', 'material="glow"'), floor=floor))
    values = LOOKS[name](forwarded(mj)[0])
    both = colours(mj, 2, change=lambda m: setattr(m, name, values), use_precomputed_rays=False)
    single = colours(mj, 1, change=lambda m: setattr(m, name, values[1:]), use_precomputed_rays=False)
    np.testing.assert_array_equal(both[1], single[0])
    assert (both[0] != both[1]).mean() > 0.005


def test_a_geom_is_unseen_in_the_worlds_where_it_has_no_opacity():
    mj = oracle.compile_xml(COLOURED["directional"])
    m, d = forwarded(mj, 2)
    rgba = np.tile(m.geom_rgba.numpy(), (2, 1, 1))
    rgba[:, 2, 3] = 0.0
    m.geom_rgba = rgba
    with wp.ScopedDevice("cpu"):
        rc = mjw.create_render_context(mj, 2, (WIDTH, HEIGHT), render_rgb=True, render_seg=True)
        mjw.render(m, d, rc)
    assert not (rc.picture("seg", 0).numpy()[..., 0] == 2).any()


def test_a_model_of_the_packages_own_looks_like_mujocos():
    text = COLOURED["mesh coordinates"]
    ours, theirs = colours(mjw.load(text)), colours(oracle.compile_xml(text))
    assert (np.abs(ours.astype(int) - theirs).max(axis=-1) <= 2).mean() > 0.98


def test_more_lights_than_there_are_bits_cast_no_shadows():
    mj = oracle.compile_xml(scene(33 * SUN_OF_TESTS))
    with pytest.raises(UnsupportedError, match="33 lights"):
        mjw.create_render_context(mj, 1, (4, 4), render_rgb=True, use_shadows=True)


SUN_OF_TESTS = '<light directional="true" dir="0 0 -1"/>'


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("axis", [1, 3])
def test_colours_come_in_the_layouts_of_learners_without_a_copy(dtype, axis):
    torch = pytest.importorskip("torch")
    mj = oracle.compile_xml(COLOURED["materials"])
    m, d = forwarded(mj, 2)
    with wp.ScopedDevice("cpu"):
        rc = mjw.create_render_context(mj, 2, (24, 16), render_rgb=True, render_depth=True)
        mjw.render(m, d, rc)
        packed = rc.picture("rgb", 0).numpy()
        tensor = torch.zeros(
            (2, 16, 24, 3) if axis == 3 else (2, 3, 16, 24), dtype=getattr(torch, np.dtype(dtype).name)
        )
        mjw.get_rgb(rc, 0, wp.from_torch(tensor))
    plain = (packed[..., None] >> np.array([16, 8, 0])) & 255
    plain = plain if axis == 3 else np.moveaxis(plain, -1, 1)
    np.testing.assert_array_equal(
        tensor.numpy(), (plain if dtype == np.uint8 else plain / np.float32(255)).astype(dtype)
    )
    depth = wp.to_torch(rc.picture("depth", 0))
    assert depth.data_ptr() == rc.pictures.depth.ptr and depth.shape == (2, 16, 24)


def test_colours_of_another_shape_are_refused():
    mj = oracle.compile_xml(COLOURED["headlight"])
    with wp.ScopedDevice("cpu"):
        rc = mjw.create_render_context(mj, 1, (4, 6), render_rgb=True)
        with pytest.raises(StateError, match="rgb_out: expected vec3f"):
            mjw.get_rgb(rc, 0, wp.zeros((1, 4, 6), dtype=wp.vec3))
