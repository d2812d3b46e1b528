"""Rows of the schema are executed: what they bind is there, and what a row says is written and read back as it was."""

from itertools import groupby

import numpy as np
import pytest

from conformance import support
from newtonlite.core.table import FULL, REFUSED
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.exporters.usd import save_usd
from newtonlite.schema import MUJOCO
from newtonlite.schema.convert import PAIRS
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.schema_rows import Row, model, parts, rows
from tests.harness.schema_scene import FILES
from tests.tolerance import tolerance

ROWS = [
    row
    for row in rows()
    if row.attr.field
    and not row.of_class
    and not row.path.startswith("statistic")
    and not any(word in row.path for word in ("skin", "flex"))
]
"""Rows with fields; those of soft bodies and skins have tests of their own (``tests/importers/test_flexes.py``)."""
GROUPS = {path: list(group) for path, group in groupby(ROWS, lambda row: row.path)}
OF_CLASSES = {id(e) for _, e in MUJOCO.child("default").walk()}
NOT_IN_USD = ("sensor/camprojection", "sensor/tactile", "actuator/plugin", "sensor/plugin")
"""Sensors of cameras and meshes, and plugins, which are not written."""
ALONE = ("equality/joint",)
"""Elements of which USD has one per joint."""
MASKS = ("contype", "conaffinity")
"""In USD masks come back as others that mean the same, where some shape has none."""
pytestmark = pytest.mark.filterwarnings("ignore:.*Clamping opacity")


def all_rows():
    """(element, row) of all that is not refused, default classes apart."""
    for _, element in MUJOCO.walk():
        if element.status != REFUSED and id(element) not in OF_CLASSES:
            yield from ((element, attr) for attr in element.attrs if attr.status != REFUSED)


def test_every_simulated_row_has_columns_or_names_a_function_of_readers_or_writers():
    handled = [(e.name, a, support.handled(e, a)) for e, a in all_rows()]
    assert {name for _, _, name in handled if name} <= set(support.functions())
    assert [(e, a.name) for e, a, name in handled if not (name or a.binds or a.field or a.status != FULL)] == []


def test_conversions_of_rows_are_inverse():
    for element, attr in all_rows():
        assert attr.convert in PAIRS, (element.name, attr.name)
    samples = {
        "polynomial": (1.5, 2.0, 3.0),
        "each": (1.0, 2.0, 3.0),
        "both": 2.0,
        "numbers": (1.0, 0.1),
        "text": (0.0, 0.1),
        "bits": (0, 3),
    }
    for name, pair in PAIRS.items():
        value = samples.get(name, (7.0, 8.0))
        assert pair.join(*pair.split(value)) == value and len(pair.split(value)) == pair.parts, name


def compiled(add, source) -> object:
    """The compiled model of a file."""
    builder = ModelBuilder()
    add(builder, source)
    return compile_model(builder.finalize(device="cpu"))


def from_mjcf(builder, source) -> None:
    """Read an MJCF file, or text with its files."""
    text, assets = source if isinstance(source, tuple) else (source, None)
    builder.add_mjcf(text, **({"assets": assets} if assets else {}))


def from_usd(builder, source) -> None:
    """Read a USD file."""
    builder.add_usd(source)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that models name."""
    home = tmp_path_factory.mktemp("rows")
    for name, data in FILES.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_bytes(data)
    return home


def made(folder, found: list[Row]):
    """The compiled model of some rows, each with a value that is not the default."""
    path = folder / "model.xml"
    path.write_text(model([parts(row)[0] for row in found]))
    return compiled(from_mjcf, str(path))


def values(m, field: str) -> np.ndarray:
    """The rows of a field, or of an option, in an order of their own."""
    found = getattr(m, field) if hasattr(m, field) else getattr(m.opt, field)
    found = np.array(found, float).reshape(len(found) if np.ndim(found) else 1, -1)
    return found[np.lexsort(np.round(found, 6).T[::-1])] if found.size else found


def differing(found: list[Row], before, after) -> list[str]:
    """Names of rows whose arrays are not the same in two models."""
    wrong = []
    for row in found:
        for field in row.attr.field.split():
            one, two = values(before, field), values(after, field)
            same = one.shape == two.shape and np.abs(one - two).max(initial=0.0) <= tolerance("compiled") * max(
                1.0, np.abs(one).max(initial=0.0)
            )
            wrong += [] if same else [f"{row.name}: {field}"]
    return wrong


@pytest.mark.parametrize("path", GROUPS)
def test_rows_written_to_mjcf_are_read_back_as_they_were(folder, path):
    before = made(folder, GROUPS[path])
    assert differing(GROUPS[path], before, compiled(from_mjcf, write_mjcf(before))) == []


IN_USD = {
    path: [row for row in found if row.attr.usd and row.attr.name not in MASKS]
    for path, found in GROUPS.items()
    if path not in NOT_IN_USD
}


@pytest.mark.parametrize("path", [path for path, found in IN_USD.items() if found])
def test_rows_written_to_usd_are_read_back_as_they_were(folder, path):
    for found in [[row] for row in IN_USD[path]] if path in ALONE else [IN_USD[path]]:
        before = made(folder, found)
        save_usd(before, folder / "model.usda")
        assert differing(found, before, compiled(from_usd, str(folder / "model.usda"))) == []
