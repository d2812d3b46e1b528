"""What newtonlite raises.

Every message says where the problem is, what was found, and what to do about it.
"""


class Error(Exception):
    """Base of all errors that newtonlite raises on purpose."""


class ParseError(Error, ValueError):
    """A model file cannot be read: ``file:line:column: <element name="x"> attribute: problem; hint``."""


class ModelError(Error, ValueError):
    """A model is malformed, inconsistent, or asks for something that is not supported."""


class CapacityError(Error, RuntimeError):
    """Something needs more room than was reserved for it."""


class DeviceError(Error, ValueError):
    """An array lives on a different device than the one that uses it."""


class StateError(Error, ValueError):
    """A state or control does not belong to the model, or holds what cannot be simulated."""


class NewtonWarning(UserWarning):
    """Something works, but probably not as intended."""


class NewtonDeprecationWarning(NewtonWarning, DeprecationWarning):
    """A name or argument that still works and has a better successor."""
