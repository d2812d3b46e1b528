"""Errors and warnings of newtonlite.

Every message says where the problem is, what was found, and what to do about it.
"""

import sys


def external() -> int:
    """The ``stacklevel`` with which a warning points at the first caller outside of newtonlite, and of the decorators of its
    functions.
    """
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("newtonlite", "contextlib"):
        frame, level = frame.f_back, level + 1
    return level


class Error(Exception):
    """Base of all errors that newtonlite raises on purpose."""


class ParseError(Error, ValueError):
    """A model file cannot be read: ``file:line:column: <element name="x"> attribute: problem; hint``."""


class MissingError(ParseError, KeyError):
    """A file refers to something that it does not hold."""

    __str__ = Exception.__str__


class FileError(ParseError, OSError):
    """A file cannot be read: ``path: reason``; the reason is kept apart, for messages that say who asked for it."""

    def __init__(self, path, reason: str | None = None):
        super().__init__(str(path) if reason is None else f"{path}: {reason}")
        self.reason = str(path) if reason is None else reason

    __str__ = Exception.__str__


class MissingFileError(FileError, FileNotFoundError):
    """A file that was asked for, by the caller or by another file, does not exist."""


class ModelError(Error, ValueError):
    """A model is malformed, inconsistent, or asks for something that is not supported."""


class CapacityError(Error, RuntimeError, ValueError):
    """A capacity is too small: something needs more memory or rows than were reserved for it. Newton raises a
    RuntimeError then, MuJoCo Warp a ValueError.
    """


class UnsupportedError(ModelError, NotImplementedError):
    """Two things that each work and do not work together."""


class DeviceError(Error, ValueError):
    """An array lives on a different device than the one that uses it."""


class StateError(Error, ValueError):
    """A state or control does not belong to the model, or holds what cannot be simulated."""


class NotKeptError(StateError, AttributeError):
    """An intermediate result was asked for that a step does not keep."""


class SettingError(StateError):
    """A setting of the environment is none of those there are: ``name: expected ..., got ...``."""


class NewtonWarning(UserWarning):
    """Warning: something works, but probably not as intended."""


class NewtonDeprecationWarning(NewtonWarning, DeprecationWarning):
    """A name or argument that still works and has a better successor."""


class WrongTypeError(ModelError, TypeError):
    """A value of another kind than the one that belongs there."""


class RangeError(ModelError, IndexError):
    """A number beyond those there are."""


class WorldContextError(ModelError, RuntimeError):
    """A world is opened inside another, or closed when none is open."""


class UnknownNameError(ModelError, KeyError):
    """A name that nothing has; the message lists those there are."""

    __str__ = Exception.__str__


class UndeclaredError(ModelError, AttributeError):
    """A custom attribute that nothing declares, or an attribute that cannot be set under this name."""


class ArgumentError(ModelError, TypeError):
    """Arguments of a call that are missing, or say the same thing twice."""
