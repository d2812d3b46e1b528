"""An import says what it did with everything in the file."""

import pytest

from newtonlite.core.errors import NewtonWarning, ParseError
from newtonlite.importers.report import Report
from newtonlite.sim.builder import ModelBuilder

TEXT = """<mujoco model="m">
  <visual><global fovy="30"/></visual>
  <worldbody>
    <geom size="1" group="2"/>
    <geom size="1" group="3" pos="3 0 0"/>
  </worldbody>
</mujoco>"""


def test_used_and_ignored():
    report = Report()
    ModelBuilder().add_mjcf(TEXT, report=report)
    assert report.used["geom"] == 2
    group = next(g for g in report.ignored if g.what == "geom group")
    assert group.count == 2 and group.where == "<string>:4:20"
    assert "without influence: <string>:4:20: geom group (2 times): " in str(report)


def test_what_is_let_through_is_listed():
    report = Report()
    text = TEXT.replace("</mujoco>", "<extension><plugin plugin='x'/></extension></mujoco>")
    with pytest.warns(NewtonWarning):
        ModelBuilder().add_mjcf(text, report=report, on_unsupported="warn")
    assert len(report.refused) == 1 and "left out: <string>:7:" in str(report)


def test_a_failed_import_raises():
    with pytest.raises(ParseError, match="on_unsupported='maybe'"):
        Report("maybe")


def test_elements_go_with_their_plugins():
    """Of a plugin that is none of MuJoCo's, by its name and by an instance, in warnings where that is asked for."""
    text = TEXT.replace(
        "</mujoco>",
        "<sensor><plugin instance='i'/><plugin plugin='y'/><clock/></sensor>"
        "<extension><plugin plugin='x'><instance name='i'/></plugin></extension></mujoco>",
    )
    report = Report()
    with pytest.warns(NewtonWarning):
        ModelBuilder().add_mjcf(text, report=report, on_unsupported="warn")
    assert len(report.refused) == 3 and report.used["clock"] == 1
    with pytest.raises(ParseError, match="plugin .* not found; known are mujoco.pid"):
        ModelBuilder().add_mjcf(text)
