"""Edits of a resolved model: the passes are a list, and one that nobody asks for changes nothing."""

from newtonlite.importers.mjcf import load_mjcf
from newtonlite.importers.mjcf.edit import PASSES, edit
from newtonlite.importers.mjcf.options import Options

MODEL = """<mujoco><worldbody>
  <body name="fixed"><body name="a"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z"/>
    <geom size=".1"/><body name="b"><geom size=".1"/></body></body></body>
  </worldbody><keyframe><key qpos=".1 .2 .3"/></keyframe></mujoco>"""


def summary(spec) -> tuple:
    """Bodies, joints and keyframes of a model."""
    return [b.name for b in spec.bodies], [j.name for j in spec.joints], spec.keys[0]["qpos"]


def test_no_pass_changes_anything_unasked():
    spec, _, _ = load_mjcf(MODEL)
    before = summary(spec)
    edit(spec, Options())
    assert summary(spec) == before and not spec.carried


def test_passes_run_in_their_order():
    """A ball is made of hinges before bodies are fused, and fixed bodies vanish last."""
    names = [change.__name__ for change in PASSES]
    assert names.index("select") < names.index("merge_hinges") < names.index("set_base") < names.index("fuse_fixed")
    spec, _, _ = load_mjcf(MODEL)
    edit(spec, Options(balls=True, merge=True))
    assert (summary(spec)[0], summary(spec)[1]) == (["world", "a"], ["x_y_z"])
    assert len(summary(spec)[2]) == 4
