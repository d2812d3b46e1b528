"""Core types: enumerations, errors, field tables, axes."""


def __getattr__(name: str):
    """Axes and their turns, loaded when asked for."""
    if name in ("Axis", "AxisType", "MAXVAL", "quat_between_axes"):
        from newtonlite.core import types

        return getattr(types, name)
    raise AttributeError(f"module 'newtonlite.core' has no attribute {name!r}")
