"""Version: a count of changes, by which a call knows without looking that what it prepared is still right."""


class Version:
    """Count of changes of one thing or several. It only grows, so the sum of several shows a change of any."""

    __slots__ = ("count",)

    def __init__(self):
        self.count = 0


class VersionedDict(dict):
    """A dictionary that counts its changes: every way to change which values it has adds to ``version``. What is
    written into a value in place does not.
    """

    version = Version()  # of those that are being copied or unpickled

    def __init__(self, values, version: Version):
        super().__init__(values)
        self.version = version


def _counted(name: str):
    """The method of ``dict`` of this name, which counts a change."""
    change = getattr(dict, name)

    def method(self, *args, **kwargs):
        self.version.count += 1
        return change(self, *args, **kwargs)

    method.__name__, method.__doc__ = name, change.__doc__
    return method


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(VersionedDict, _name, _counted(_name))
