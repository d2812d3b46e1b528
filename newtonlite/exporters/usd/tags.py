"""Numbers, poses and ranges of MJCF elements that are about to be written."""

from typing import Any

import numpy as np
from lxml.etree import _Element as XmlElement

from newtonlite.math.transform import quat_between, transform


def quick(tag: XmlElement, name: str, default: Any) -> tuple[float, ...]:
    """Numbers of an attribute."""
    text = tag.attrib.get(name)
    return default if text is None else tuple(float(x) for x in text.split())


def frame(tag: XmlElement) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position and quaternion (w, x, y, z) of a tag."""
    return quick(tag, "pos", (0.0, 0.0, 0.0)), quick(tag, "quat", (1.0, 0.0, 0.0, 0.0))


def pose_of(tag: XmlElement) -> np.ndarray:
    """The pose [7] of a tag."""
    pos, (w, x, y, z) = frame(tag)
    return transform(pos, (x, y, z, w))


def wxyz(pose: np.ndarray) -> tuple[float, ...]:
    """The quaternion (w, x, y, z) of a pose."""
    return (pose[6], *pose[3:6])


def limited(tag: XmlElement, flag: str, band: str) -> tuple[float, float] | None:
    """A range that counts; None where there is none."""
    low, high = quick(tag, band, (0.0, 0.0))
    word = tag.attrib.get(flag, "auto")
    return (low, high) if word == "true" or (word == "auto" and band in tag.attrib and low < high) else None


def letter_of(axis: np.ndarray) -> tuple[str, np.ndarray]:
    """The letter nearest to an axis, and the turn [7] that brings the letter onto it."""
    k = int(np.argmax(np.abs(axis)))
    return "XYZ"[k], transform(q=quat_between(np.eye(3)[k], axis))


def linear(display: float) -> float:
    """A value of sRGB as linear Rec.709."""
    return display / 12.92 if display <= 0.04045 else ((display + 0.055) / 1.055) ** 2.4
