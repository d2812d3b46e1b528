"""Records beside the physics: those that are damaged are named, and none takes more than a model may."""

import json
import zlib
from base64 import b64encode

import pytest

from newtonlite import ModelBuilder, ModelError
from newtonlite.core import archive
from newtonlite.solvers.mujoco.attributes import register
from newtonlite.solvers.mujoco.compile import compile_model

MESH = {"triangles": "", "tangents": "", "mode": "legacy", "file": "", "scale": [1, 1, 1]}
DAMAGED = {
    "no JSON": ("mesh", "{"),
    "no mesh": ("mesh", '{"vertices": 3}'),
    "a text that is no base64": ("mesh", json.dumps(MESH | {"vertices": "?"})),
    "heights without a shape": ("hfield", '{"heights": "", "size": [1, 1, 1, 1]}'),
    "a material without numbers": ("material", "{}"),
    "a list in place of a number": ("numeric", '{"size": [3], "data": []}'),
    "a size that takes all memory": ("numeric", '{"size": 1000000000000, "data": []}'),
    "user numbers that take all memory": ("size", '{"size": {"nuser_body": 1000000000000}}'),
    "a texture that takes all memory": (
        "texture",
        '{"type": 1, "colorspace": 0, "height": 1000000, "width": 1000000, "nchannel": 3}',
    ),
    "a mode that is none": ("lengthrange", '{"mode": "x"}'),
    "a kind that is none": ("cat", "{}"),
    "a nest of brackets": ("text", '{"data": ' + "[" * 100_000),
}


def scene(kind: str, values: str):
    """A finalized model with one record."""
    builder = ModelBuilder()
    register(builder)
    builder.add_custom_values(
        **{"mujoco:record_kind": kind, "mujoco:record_label": "x", "mujoco:record_values": values}
    )
    return builder.finalize(device="cpu")


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_record_is_refused_by_its_kind(what):
    kind, values = DAMAGED[what]
    with pytest.raises(ModelError, match=f"mujoco:record_values: {kind}"):
        compile_model(scene(kind, values))


def test_a_mesh_that_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(archive, "most", lambda name: {"ratio": 100}.get(name, 1000))
    bomb = b64encode(zlib.compress(bytes(10**6), 9)).decode()
    with pytest.raises(ModelError, match="unpack to more than"):
        compile_model(scene("mesh", json.dumps(MESH | {"vertices": bomb})))
