"""Every row of the schema in a model: it means to us what it means to MuJoCo, and it means something."""

from itertools import groupby

import pytest

from newtonlite.core.table import FULL, METADATA
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.schema import MUJOCO
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness import import_fields, same_model
from tests.harness.schema_rows import Row, model, parts, rows, taken
from tests.harness.schema_scene import FILES
from tests.oracle import compile_xml
from tests.tolerance import tolerance

ONCE = ("", "compiler", "compiler/lengthrange", "option", "option/flag", "size", "statistic", "default")
"""Elements that count once in a file; the rows of others stand side by side in one model."""
PICTURE = "visual"
"""Settings of the picture are no part of the fields that are compared."""
IDLE = """
    compiler@autolimits compiler/lengthrange@useexisting compiler/lengthrange@maxforce compiler/lengthrange@timeconst compiler/lengthrange@inttotal
    compiler/lengthrange@interval compiler/lengthrange@tolrange asset/model@content_type actuator/intvelocity@actlimited
    sensor/ballquat@cutoff sensor/framequat@cutoff sensor/framexaxis@cutoff sensor/frameyaxis@cutoff sensor/framezaxis@cutoff
    default/intvelocity@actlimited keyframe/key@plastic extension/plugin@plugin actuator/plugin@plugin actuator/plugin@actdim actuator/plugin@actlimited
    sensor/plugin@plugin sensor/plugin@objtype
""".split()
"""Rows that change no model here: what they forbid, or settle how a length is found that comes out the same; the cutoff
of units can only be 0, and without springs that yield there are no rest poses to restore.
"""
APART = ("skin", "flex")
"""Skins, soft bodies and meshes of distance fields have models of their own (``tests/importers/test_flexes.py``)."""
ROWS = [
    row
    for row in rows()
    if not row.path.startswith(PICTURE)
    and not any(word in row.path for word in APART)
    and row.path != "asset/mesh/plugin"
]
pytestmark = pytest.mark.filterwarnings("ignore:.*Clamping opacity")
GROUPS = {path: list(group) for path, group in groupby(ROWS, lambda row: row.path)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that models name."""
    home = tmp_path_factory.mktemp("rows")
    for name, data in FILES.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_bytes(data)
    return home


def written(folder, text: str):
    """The path of a model."""
    path = folder / "model.xml"
    path.write_text(text)
    return path


def differing(folder, found: list[Row]) -> tuple[dict[str, float], dict[str, float]]:
    """The fields in which our model of some rows is not MuJoCo's; those in which MuJoCo's model of what we write is
    not.
    """
    path = written(folder, model([parts(row)[0] for row in found]))
    builder = ModelBuilder()
    builder.add_mjcf(str(path))
    want, ours = compile_xml(path), compile_model(builder.finalize(device="cpu"))
    wrong, turned = import_fields.differences(want, ours, tolerance("compiled"))
    return {} if turned else wrong, same_model.differences(want, compile_xml(*write_mjcf(ours)))


@pytest.mark.parametrize("path", [path for path in GROUPS if path not in ONCE])
def test_rows_of_an_element_mean_what_they_mean_to_mujoco_read_and_written(folder, path):
    assert differing(folder, GROUPS[path]) == ({}, {})


@pytest.mark.parametrize("row", [row for row in ROWS if row.path in ONCE], ids=lambda row: row.name)
def test_rows_that_count_once_mean_what_they_mean_to_mujoco_read_and_written(folder, row):
    assert differing(folder, [row]) == ({}, {})


def test_every_row_that_we_simulate_has_a_model():
    """Rows of status full are all among those above, at every place of the schema where they stand."""
    tried = {row.name for group in GROUPS.values() for row in group}
    simulated = {row.name for row in rows() if row.attr.status == FULL and "flex" not in row.path}
    assert simulated <= tried
    assert {id(row.element) for row in ROWS} == {
        id(e)
        for path, e in taken(MUJOCO)
        if e.attrs
        and PICTURE not in path
        and not any(word in path for word in APART)
        and not path.endswith(("mesh/plugin", "geom/plugin"))
    }


def means(folder, row: Row) -> bool:
    """Whether MuJoCo's model changes with a row, or is one only with it."""
    with_it, without = parts(row)
    having = compile_xml(written(folder, model([with_it])))
    try:
        lacking = compile_xml(written(folder, model([without])))
    except ValueError:
        return True
    found = {
        name: e
        for name, e in import_fields.compare(having, lacking).items()
        if not name.startswith("names_") and not e <= tolerance("compiled")
    }
    return bool(found) or having.names != lacking.names


@pytest.mark.parametrize("path", GROUPS)
def test_rows_of_an_element_count(folder, path):
    """Without this the tests above would show nothing."""
    given = [row for row in GROUPS[path] if row.attr.status != METADATA and row.attr.name != "name"]
    assert [row.name for row in given if not means(folder, row)] == [
        name for name in IDLE if name.rpartition("@")[0] == path
    ]
