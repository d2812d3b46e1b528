"""Messages of pages: which kinds are let in, what their fields may hold, and what each kind of control accepts.

A page may send anything. What is not in these tables never reaches the library of the page or the program that steps:
a message of another kind is passed over (there are kinds that would open a connection to a server of others, or upload
files), a control's value that it does not accept is refused with a sentence.
"""

import math
import struct
from collections.abc import Callable
from typing import Any

LARGEST = 8 << 20  # bytes of a message
LONGEST = 1000  # characters of a text that is typed
LONGEST_NAME = 500
FARTHEST = 1e9  # of any number on the page
MOST_PIXELS = 4 << 20  # of a picture that a browser draws for the program


class RefusedValue(ValueError):
    """A value that a control does not accept."""


def number(value: Any) -> bool:
    """A finite number."""
    return type(value) in (int, float) and math.isfinite(value) and abs(value) <= FARTHEST


def whole(value: Any) -> bool:
    """A whole number that counts something."""
    return type(value) is int and 0 <= value < 1 << 31


def vector(count: int) -> Callable[[Any], bool]:
    """Finite numbers."""
    return lambda value: isinstance(value, (list, tuple)) and len(value) == count and all(map(number, value))


def name(value: Any) -> bool:
    """A text that names something."""
    return isinstance(value, str) and len(value) <= LONGEST_NAME


def updates(value: Any) -> bool:
    """The new value of a control, and no other of its properties."""
    return isinstance(value, dict) and list(value) == ["value"]


def one_of(*known: Any) -> Callable[[Any], bool]:
    """One of a few texts."""
    return lambda value: value is None and None in known or isinstance(value, str) and value in known


def optional(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """None, or what the check accepts."""
    return lambda value: value is None or check(value)


def picture(value: Any) -> bool:
    """A PNG or JPEG file of a size that pages are asked for."""
    return isinstance(value, bytes) and 0 < pixels(value) <= MOST_PIXELS


KEYS = optional(one_of(*("+".join(k) for k in (
    ("cmd/ctrl",), ("alt",), ("shift",), ("cmd/ctrl", "alt"), ("cmd/ctrl", "shift"), ("alt", "shift"),
    ("cmd/ctrl", "alt", "shift"),
))))  # fmt: skip
KINDS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "ViewerCameraMessage": {
        "wxyz": vector(4),
        "position": vector(3),
        "fov": number,
        "near": number,
        "far": number,
        "image_height": whole,
        "image_width": whole,
        "look_at": vector(3),
        "up_direction": vector(3),
    },
    "GuiUpdateMessage": {"uuid": name, "updates": updates},
    "CommandTriggerMessage": {"uuid": name},
    "SceneNodeClickMessage": {
        "name": name,
        "instance_index": optional(whole),
        "ray_origin": vector(3),
        "ray_direction": vector(3),
        "screen_pos": vector(2),
        "modifier": KEYS,
        "owner": name,
    },
    "SceneNodeDragMessage": {
        "phase": one_of("start", "update", "end"),
        "name": name,
        "instance_index": optional(whole),
        "start_position": vector(3),
        "start_screen_pos": vector(2),
        "end_position": vector(3),
        "end_screen_pos": vector(2),
        "button": one_of("left", "middle", "right"),
        "modifier": KEYS,
        "owner": name,
    },
    "TransformControlsUpdateMessage": {"name": name, "wxyz": vector(4), "position": vector(3), "owner": name},
    "TransformControlsDragStartMessage": {"name": name, "owner": name},
    "TransformControlsDragEndMessage": {"name": name, "owner": name},
    "GetRenderResponseMessage": {"payload": picture, "render_uuid": name},
}
"""Fields of the kinds of messages that are let in."""
OPTIONAL = ("owner", "instance_index", "modifier")


def checkbox(handle: Any, value: Any) -> str | None:
    """On or off."""
    return None if isinstance(value, bool) else "on or off"


def within(handle: Any, value: Any) -> str | None:
    """A number between the control's ends; a whole one where it counts."""
    low = -FARTHEST if handle.min is None else handle.min
    high = FARTHEST if handle.max is None else handle.max
    counts = type(handle.value) is int
    slack = 1e-6 * (high - low)  # browsers round to steps
    if number(value) and low - slack <= value <= high + slack and not (counts and value != int(value)):
        return None
    return f"a {'whole ' if counts else ''}number from {low:g} to {high:g}"


def choice(handle: Any, value: Any) -> str | None:
    """One of the control's options."""
    return None if isinstance(value, str) and value in handle.options else f"one of {', '.join(handle.options)}"


def typed(handle: Any, value: Any) -> str | None:
    """A text of reasonable length."""
    fits = isinstance(value, str) and len(value) <= LONGEST and value.isprintable()
    return None if fits else f"a line of at most {LONGEST} characters"


def pressed(handle: Any, value: Any) -> str | None:
    """A press."""
    return None if value is True else "a press"


ACCEPTED: dict[str, Callable[[Any, Any], str | None]] = {
    "GuiCheckboxHandle": checkbox,
    "GuiSliderHandle": within,
    "GuiNumberHandle": within,
    "GuiDropdownHandle": choice,
    "GuiTextHandle": typed,
    "GuiButtonHandle": pressed,
}
"""Check of each kind of control: None where it accepts a value, else what it expects."""


def admitted(raw: Any, control_of: Callable[[str], Any]) -> bool:
    """Whether a message is let in. Refused where a control does not accept its value; ``control_of`` finds a control by
    its handle's name, None where there is none.
    """
    import msgspec  # comes with the library of the page, an extra

    if not isinstance(raw, bytes):
        return False
    try:
        message = msgspec.msgpack.decode(raw)
    except (ValueError, RecursionError):
        return False
    fields = KINDS.get(message.pop("type", None)) if isinstance(message, dict) and _hashable(message) else None
    if fields is None or not fields.keys() >= message.keys():
        return False
    if not all(fields[key](message[key]) if key in message else key in OPTIONAL for key in fields):
        return False
    if "updates" in message:
        return _accepted(control_of(message["uuid"]), message["updates"]["value"])
    return True


def _hashable(message: dict) -> bool:
    return isinstance(message.get("type"), str) and all(isinstance(key, str) for key in message)


def _accepted(handle: Any, value: Any) -> bool:
    """Whether a control takes a value; Refused says what it expects."""
    accepts = ACCEPTED.get(type(handle).__name__)
    if accepts is None or getattr(handle, "disabled", False):
        return False
    expected = accepts(handle, value)
    if expected is not None:
        shown = value if isinstance(value, (str, int, float)) else type(value).__name__
        raise RefusedValue(f"{handle.label}: {str(shown)[:60]!r} is not {expected}")
    return True


def pixels(payload: bytes) -> int:
    """Pixels of a PNG or JPEG file by its head; 0 for another file."""
    if payload[:8] == b"\x89PNG\r\n\x1a\n" and len(payload) > 24:
        width, height = struct.unpack(">II", payload[16:24])
        return width * height
    at = 2 if payload[:2] == b"\xff\xd8" else len(payload)
    while at + 9 < len(payload) and payload[at] == 0xFF:
        mark, length = payload[at + 1], struct.unpack(">H", payload[at + 2 : at + 4])[0]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", payload[at + 5 : at + 9])
            return width * height
        at += 2 + length
    return 0
