"""A compiled model comes back from its binary form bit for bit, and damaged files are refused."""

import numpy as np
import pytest

from newtonlite.core.errors import ParseError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from newtonlite.solvers.mujoco.compile.binary import load_model, save_model
from newtonlite.solvers.mujoco.compile.compiled import Section
from tests.oracle import HUMANOID, MODELS

NAMES = ("arm_position_actuators", "ball_joint_limit", "tendon_fixed_coupled", "every_pair_of_shapes")


def compiled(path):
    """A compiled model of a file."""
    builder = ModelBuilder()
    builder.add_mjcf(str(path))
    return compile_model(builder.finalize(device="cpu"))


def same(one, two) -> bool:
    """The same types and the same bits, all the way down."""
    if type(one) is not type(two):
        return False
    if isinstance(one, Section):
        return same(vars(one), vars(two))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[k], two[k]) for k in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, (np.ndarray, np.generic)):
        return one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes()
    return one == two


@pytest.mark.parametrize("path", [HUMANOID, *(MODELS / f"{name}.xml" for name in NAMES)], ids=lambda p: p.stem)
def test_what_is_saved_comes_back(path, tmp_path):
    model = compiled(path)
    back = load_model(save_model(model, tmp_path / "m.bin"))
    assert vars(model).keys() == vars(back).keys()
    assert all(same(value, getattr(back, name)) for name, value in vars(model).items())


def test_the_same_model_gives_the_same_bytes(tmp_path):
    one, two = (save_model(compiled(HUMANOID), tmp_path / name).read_bytes() for name in "ab")
    assert one == two


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "flipped", "none"])
def test_damaged_files_are_refused(damage, tmp_path):
    path = tmp_path / "m.bin"
    data = bytearray(save_model(compiled(HUMANOID), path).read_bytes())
    if damage == "flipped":
        rng = np.random.default_rng(0)
        for place in rng.integers(0, len(data), 60):
            changed = data.copy()
            changed[place] ^= 0x55
            path.write_bytes(changed)
            try:
                assert_equal(load_model(path))
            except ParseError as error:
                assert str(error).startswith(str(path))
        return
    path.write_bytes({"empty": b"", "text": b"<mujoco/>", "cut": data[: len(data) // 2], "none": b""}[damage])
    if damage == "none":
        path.unlink()
    with pytest.raises(ParseError, match="m.bin: "):
        load_model(path)


def assert_equal(model) -> None:
    """A byte that does not count, such as a date in the archive, may change nothing."""
    want = compiled(HUMANOID)
    assert all(same(value, getattr(model, name)) for name, value in vars(want).items())


def test_another_version_is_refused(tmp_path, monkeypatch):
    path = save_model(compiled(HUMANOID), tmp_path / "m.bin")
    monkeypatch.setattr("newtonlite.solvers.mujoco.compile.binary.VERSION", 2)
    with pytest.raises(ParseError, match="is version 1 of 'newtonlite compiled model'; this is version 2"):
        load_model(path)
