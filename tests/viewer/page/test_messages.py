"""What a page may send: kinds, fields and values that are let in, and all the others."""

import struct
import zlib

import pytest

msgspec = pytest.importorskip("msgspec", reason="no viser: pip install 'newtonlite[viewer]'")

from newtonlite.viewer.page import messages

CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0, 0, 0],
    "position": [3, 0.0, 1],
    "fov": 1.0,
    "near": 0.1,
    "far": 100,
    "image_height": 480,
    "image_width": 640,
    "look_at": [0.0, 0.0, 0.0],
    "up_direction": [0.0, 0.0, 1.0],
}
CLICK = {
    "type": "SceneNodeClickMessage",
    "name": "/worlds/0",
    "instance_index": 3,
    "ray_origin": [0, 0, 0],
    "ray_direction": [0, 0, 1],
    "screen_pos": [0.5, 0.5],
    "modifier": None,
    "owner": "",
}
DRAG = {
    "type": "SceneNodeDragMessage",
    "phase": "start",
    "name": "/worlds/0",
    "instance_index": None,
    "start_position": [0, 0, 0],
    "start_screen_pos": [0, 0],
    "end_position": [0, 0, 0],
    "end_screen_pos": [0, 0],
    "button": "left",
    "modifier": "cmd/ctrl",
    "owner": "",
}
NAN, HUGE = float("nan"), 1e300


class GuiNumberHandle:
    def __init__(self, value=0, low=0, high=3, disabled=False):
        self.value, self.min, self.max, self.disabled, self.label = value, low, high, disabled, "Number"


class GuiSliderHandle(GuiNumberHandle):
    pass


class GuiDropdownHandle:
    label, options, value, disabled = "Speed", ("1 x", "2 x"), "1 x", False


class GuiTextHandle:
    label, value, disabled = "Shown", "all", False


class GuiCheckboxHandle:
    label, value, disabled = "Record", True, False


class GuiButtonHandle:
    label, value, disabled = "Pause", False, False


class GuiUploadButtonHandle:
    label, value, disabled = "Upload", None, False


def admitted(message, handle=None):
    return messages.admitted(msgspec.msgpack.encode(message), lambda uuid: handle)


@pytest.mark.parametrize("message", [CAMERA, CLICK, DRAG])
def test_what_a_browser_sends_is_let_in(message):
    assert admitted(message)
    for key in messages.OPTIONAL:
        assert admitted({k: v for k, v in message.items() if k != key})


def test_pictures_are_let_in_by_their_size():
    def png(width, height):
        return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + zlib.compress(b"")

    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 720, 1280) + b"\x01" * 9
    send = lambda data: admitted({"type": "GetRenderResponseMessage", "payload": data, "render_uuid": "a"})
    assert send(png(1280, 720)) and send(jpeg)
    assert messages.pixels(jpeg) == 1280 * 720
    for data in (png(60000, 60000), png(0, 5), b"", b"GIF89a" * 9, b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\x00\x00" * 99):
        assert not send(data)


def test_other_kinds_are_passed_over():
    for kind in ("ShareUrlRequest", "FileTransferStartUpload", "GuiCloseModalMessage", "Message", "", None, 3, ["a"]):
        assert not admitted({**CAMERA, "type": kind})
    assert not admitted({k: v for k, v in CAMERA.items() if k != "type"})
    for data in ("text", b"", b"\x00", b"\xc1", b"\x91" * 5000, b"\xdd\xff\xff\xff\xff", b"\x80", None):
        assert not messages.admitted(data, lambda uuid: None)


@pytest.mark.parametrize("message", [CAMERA, CLICK, DRAG])
def test_fields_of_other_kinds_are_passed_over(message):
    for key in message.keys() - {"type"}:
        for value in (NAN, HUGE, -1, "x" * 600, [NAN] * 3, [1] * 5, ["a"] * 3, {}, b"a", [[0]] * 3, 2**60, -(2**60)):
            if isinstance(value, (int, float)) and key in ("fov", "near", "far") and value == -1:
                continue
            assert not admitted({**message, key: value}), (key, value)
    assert not admitted({**message, "more": 1})
    assert not admitted({k: v for k, v in message.items() if k not in ("wxyz", "ray_origin", "phase")})


def update(value, **more):
    return {"type": "GuiUpdateMessage", "uuid": "u", "updates": {"value": value, **more}}


GOOD = [
    (GuiCheckboxHandle(), False),
    (GuiButtonHandle(), True),
    (GuiTextHandle(), "0, 4-7 <b>"),
    (GuiTextHandle(), "²"),
    (GuiDropdownHandle(), "2 x"),
    (GuiNumberHandle(), 3),
    (GuiNumberHandle(), 2.0),
    (GuiSliderHandle(0.5, 0.0, 1.0), 0.25),
    (GuiNumberHandle(0.0, None, None), -5.5),
]
BAD = [
    (GuiCheckboxHandle(), 1),
    (GuiButtonHandle(), "on"),
    (GuiTextHandle(), 5),
    (GuiTextHandle(), "x" * 1001),
    (GuiTextHandle(), "a\nb"),
    (GuiTextHandle(), "\x00"),
    (GuiDropdownHandle(), "warp 9"),
    (GuiDropdownHandle(), 0),
    (GuiDropdownHandle(), None),
    (GuiNumberHandle(), 4),
    (GuiNumberHandle(), -1),
    (GuiNumberHandle(), 0.5),
    (GuiNumberHandle(), True),
    (GuiNumberHandle(), "1"),
    (GuiNumberHandle(), 10**30),
    (GuiSliderHandle(0.5, 0.0, 1.0), NAN),
    (GuiSliderHandle(0.5, 0.0, 1.0), float("inf")),
    (GuiSliderHandle(0.5, 0.0, 1.0), [0.5]),
    (GuiSliderHandle(0.5, 0.0, 1.0), {}),
    (GuiNumberHandle(0.0, None, None), 1e12),
]


@pytest.mark.parametrize(("handle", "value"), GOOD)
def test_controls_take_what_they_are_made_for(handle, value):
    assert admitted(update(value), handle)


@pytest.mark.parametrize(("handle", "value"), BAD)
def test_controls_refuse_the_rest_with_a_sentence(handle, value):
    if isinstance(value, int) and value > 2**63:
        return  # msgpack has no such numbers
    with pytest.raises(messages.RefusedValue, match=handle.label):
        admitted(update(value), handle)


def test_properties_other_than_the_value_are_passed_over():
    for updates in ({}, {"update_cb": []}, {"value": 1, "removed": True}, {"disabled": False}, {"__class__": 1}, 5):
        assert not admitted({"type": "GuiUpdateMessage", "uuid": "u", "updates": updates}, GuiNumberHandle())


def test_controls_that_are_gone_disabled_or_not_ours_are_passed_over():
    assert not admitted(update(1), None)
    assert not admitted(update(1), GuiNumberHandle(disabled=True))
    assert not admitted(update("a"), GuiUploadButtonHandle())
