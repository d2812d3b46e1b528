"""Capture: the launches of a step or reset, found once by running Python, and from then on run without it.

A term that is ``capturable`` launches the same kernels over the same arrays each time, as what is recorded in a CUDA graph
must; the others are called each time, between the launches. Whatever decides on launches counts its changes: after one
everything is found anew, by the next step or reset.
"""

import inspect
from collections.abc import Callable

import warp as wp

from newtonlite.core.versioned import Version, VersionedDict

PLAIN = (int, float, str, bool, type(None))
MOST_CAPTURED = 64


class Changes(Version):
    """The one count of changes, which copies of what is counted share."""

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return "CHANGES"


CHANGES = Changes()


class Counted:
    """An object whose attributes decide on launches: setting one, or an entry of one that is a dictionary, is counted."""

    def __setattr__(self, name, value):
        value = _counted(value)
        before = self.__dict__.get(name, CHANGES)
        object.__setattr__(self, name, value)
        if before is not value and not (value.__class__ in PLAIN and before.__class__ in PLAIN and before == value):
            CHANGES.count += 1


def capturable(term):
    """Declare that a term, a function or a class, launches the same each time: its kernels, arrays and numbers follow from its
    parameters, and from attributes of its object, the environment and the task. It allocates nothing after its first call.
    What is derived from the term, or wrapped around it, has to declare itself.
    """
    term.capturable = term
    if inspect.isclass(term):
        term.__setattr__ = Counted.__setattr__
    return term


def is_capturable(thing) -> bool:
    """Whether a term of a task is, or an object; a term with its parameters, which are numbers, texts, and tuples and
    dictionaries of such, where its function is given them each time.
    """
    func = thing.func if hasattr(thing, "params") else type(thing)
    if getattr(func, "capturable", None) is not func:
        return False
    return inspect.isclass(func) or all(map(_is_plain, thing.params.values()))


def _is_plain(value) -> bool:
    if isinstance(value, VersionedDict):
        return all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if value.__class__ is tuple else isinstance(value, PLAIN)


def _counted(value):
    """A dictionary, and those in it, as dictionaries whose changes are counted."""
    return VersionedDict({k: _counted(v) for k, v in value.items()}, CHANGES) if value.__class__ is dict else value


class Capture:
    """Runs functions of a mask by what they were found to launch; ``launch`` is the environment's launcher."""

    def __init__(self, env):
        self.env, self.launch, self.device = env, env.launch, env.launch.device
        model, data = env.sim.model, env.sim.batch.data
        self.versions = model.changes, model.settings, data.changes
        self.known: dict = {}

    def __call__(self, name: str, function: Callable[[wp.array], None], mask: wp.array) -> None:
        """Do what ``function(mask)`` does, whose captures are kept under a name."""
        model, settings, data = self.versions
        version = CHANGES.count + model.count + settings.count + data.count
        found = self.known.get((name, id(mask)))
        if found is None or found[0] != version or self.env.due or self.device.is_capturing:
            self._find(name, function, mask, version)
            return
        for call in found[1]:
            call()

    def _find(self, name: str, function: Callable, mask: wp.array, version: int) -> None:
        """Run the function, and keep what it launches."""
        if not self.launch.native or self.env.device.is_capturing or self.env.due:
            function(mask)
            return
        self.launch.calls = calls = []
        try:
            function(mask)
        finally:
            self.launch.calls = None
        if len(self.known) >= MOST_CAPTURED:
            self.known.clear()
        self.known[name, id(mask)] = version, self.launch.joined(calls), calls, mask
