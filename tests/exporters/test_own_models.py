"""Our compiled models on paper: MuJoCo reads them as the model of the file, and we read them as they were."""

import pytest

from newtonlite.core.errors import Error
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.export_scenes import SCENES, scene
from tests.harness.same_model import differences
from tests.harness.urdf_robots import FILES
from tests.oracle import HUMANOID, MODELS, compile_xml

NAMES = "arm_position_actuators ball_joint_limit tendon_fixed_coupled every_pair_of_shapes stacked_joints_on_one_body mixed_pairs_with_priorities".split()
RENDERED = ("tex_", "mat_", "light_", "cam_", "ntex", "mesh_vert")
"""Fields of the picture, which other tests look at; pixels of textures are not kept."""


def compiled(add, source, **options) -> object:
    """Our compiled model of a file or text."""
    builder = ModelBuilder()
    add(builder, str(source), **options)
    return compile_model(builder.finalize(device="cpu"))


def mjcf(builder, source, **options):
    """Read MJCF."""
    builder.add_mjcf(source, **options)


def urdf(builder, source):
    """Read URDF by MuJoCo's convention."""
    builder.add_urdf(source, convention="mujoco")


def worst(want, got) -> dict[str, float]:
    """The fields that differ, but for those of the picture."""
    return {name: error for name, error in differences(want, got).items() if not name.startswith(RENDERED)}


@pytest.mark.parametrize("path", [HUMANOID, *(MODELS / f"{name}.xml" for name in NAMES)], ids=lambda p: p.stem)
def test_mujoco_reads_what_we_compiled(path):
    model = compiled(mjcf, path)
    assert not worst(compile_xml(*write_mjcf(model)), model)


def test_a_flat_body_stays_one():
    text = """<mujoco><worldbody><body><freejoint/><inertial pos=".1 .2 .3" quat="0.92388 0 0.38268 0" mass="2" diaginertia="0.2 0.1 0.3"/>
      </body></worldbody></mujoco>"""
    model = compiled(mjcf, text)
    assert not worst(compile_xml(*write_mjcf(model)), model)


def test_the_sky_needs_no_name():
    text = '<mujoco><asset><texture type="skybox" builtin="gradient" width="4" height="4"/></asset></mujoco>'
    assert "name=" not in write_mjcf(compiled(mjcf, text))[0]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_mujoco_reads_robots_that_we_compiled(path):
    model = compiled(urdf, path)
    assert not worst(compile_xml(*write_mjcf(model)), model)
    assert not worst(compile_xml(*write_mjcf(model)), compiled(mjcf, write_mjcf(model)[0]))


@pytest.mark.parametrize("name", SCENES)
def test_we_read_what_mujoco_compiled(name):
    model = compile_xml(scene(name))
    text, files = write_mjcf(model)
    try:
        direct = compiled(mjcf, scene(name))
    except Error as problem:
        pytest.skip(f"the scene itself is refused: {problem}")
    assert not {
        n: e for n, e in worst(model, compiled(mjcf, text, assets=files)).items() if n not in worst(model, direct)
    }
