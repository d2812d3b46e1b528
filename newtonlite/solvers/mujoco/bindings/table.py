"""Bindings of a scene to the engine: the kinds of rows, and the compiler's form of the plain ones.

``Bind`` copies numbers of an attribute into a field. ``Derived`` computes fields; its NumPy form runs in the compiler,
in float64, its kernel form on the device, in float32. ``Watch`` names numbers whose change alters the engine's lists.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import warp as wp

from newtonlite.core.enums import ModelFlags as Flag
from newtonlite.solvers.mujoco.bindings.update_kernel import UpdateKernel, update_kernel
from newtonlite.solvers.mujoco.kernels.state_io.model_update import update_value

DOF = Flag.JOINT_DOF_PROPERTIES | Flag.JOINT_DOF_FORCE_PROPERTIES
INERTIA = Flag.JOINT_DOF_PROPERTIES | Flag.JOINT_DOF_INERTIAL_PROPERTIES
FRAME = Flag.JOINT_PROPERTIES | Flag.BODY_PROPERTIES | Flag.JOINT_REFERENCE_POSE_PROPERTIES
ANCHOR = Flag.JOINT_PROPERTIES | Flag.JOINT_DOF_PROPERTIES
REFERENCE = DOF | Flag.JOINT_REFERENCE_POSE_PROPERTIES
SHAPE, EQUALITY = Flag.SHAPE_PROPERTIES, Flag.CONSTRAINT_PROPERTIES
TENDON, ACTUATOR = Flag.TENDON_PROPERTIES, Flag.ACTUATOR_PROPERTIES
WEIGHT = FRAME | ANCHOR | INERTIA | Flag.BODY_INERTIAL_PROPERTIES | EQUALITY | TENDON | ACTUATOR
"""Flags by which masses, inverse weights and lengths at the reference pose may change."""
LIMIT = WEIGHT | DOF | SHAPE
"""Flags by which gains of limits may change, which are scaled by inverse weights."""


@dataclass(frozen=True)
class Bind:
    """``field`` takes ``attribute``, number by number.

    ``rows(m)`` is, for each thing of the engine, its row within a world of the scene (-1: none). ``parts`` are (word of
    the field, word of the attribute, factor), all words in order when empty. ``mask(m)`` says which things, or things
    and words, take the number. ``unless(m)`` says likewise where something else has the last word, such as actuators
    that add to it: the device then leaves it to that. ``plus`` is an attribute that is added.
    """

    field: str
    attribute: str
    rows: Callable
    flags: int
    parts: tuple = ()
    mask: Callable | None = None
    unless: Callable | None = None
    plus: str = ""


@dataclass(frozen=True)
class Derived:
    """``fields`` (names, separated by spaces) follow from attributes, in two forms.

    ``numpy(m, w)`` gives {field: values} from a compiled model whose structure is there and the scene's worlds; None
    for fields that only the engine has. ``kernel`` writes the fields for each world and thing, where they differ by
    more than rounding. ``tables(m)`` gives the tables of its view ``t``, all of one length (0: nothing to do);
    ``arrays`` says what its plain arguments are: attributes of the scene, or ``m.`` and a field of the engine.
    ``late`` rows come after the constants of the reference pose.
    """

    fields: str
    flags: int
    numpy: Callable | None
    kernel: UpdateKernel
    tables: Callable
    arrays: dict = field(default_factory=dict, hash=False)
    late: bool = False

    @property
    def sources(self) -> list[str]:
        """Attributes of the scene that it follows from."""
        found = [*self.kernel.fields.get("s", ()), *(f"mujoco:{name}" for name in self.kernel.fields.get("mjc", ()))]
        return found + [name for name in self.arrays.values() if not name.startswith("m.")]


def derived(fields: str, flags: int, numpy: Callable | None, tables: Callable, late: bool = False, **kinds) -> Callable:
    """Decorator that makes the row of a kernel form; ``kinds`` are the element types of tables that are no integers."""
    return lambda function: Derived(fields, flags, numpy, UpdateKernel(function, kinds), tables, late=late)


@dataclass(frozen=True)
class Watch:
    """Words of ``attribute`` that must not come to pass ``test`` (see ``kernels.state_io.structure_check``), or, where
    the test is SAME, must not change.

    ``words(m, w)`` are their numbers within a world; by default all that fail the test in all worlds, or, with ``one``
    (a single word that passes is enough for all), none if any passes.
    """

    attribute: str
    test: int
    words: Callable | None = None
    one: bool = False


SAME = -1
NONE = np.zeros(0, int)


def named(names: str, rows: Callable, flags: int, to: str, of: str, **more) -> tuple:
    """Plain rows of fields ``to + name`` that the scene calls ``of + name``."""
    return tuple(Bind(to + name, of + name, rows, flags, **more) for name in names.split())


@update_kernel(scale=float)
def move_words(t, source, offset, target, changed):
    """``target[to] = scale source[of] + offset[plus]``, number by number; no offset where ``plus`` is -1."""
    world, k = wp.tid()
    value = t.scale[k] * source[world, t.of[k]]
    if t.plus[k] >= 0:
        value += offset[world, t.plus[k]]
        value = update_value(target[world, t.to[k]], value, 0.0, world, changed)
    if value != target[world, t.to[k]]:
        target[world, t.to[k]] = value
        changed[world] = 1


def copied(field: str, source: str, flags: int, words: Callable, numpy: Callable | None = None) -> Derived:
    """Numbers of a field of the engine that are those of another; ``words(m)`` are their places in both."""

    def tables(m) -> dict:
        to, of = words(m)
        return dict(to=to, of=of, scale=np.ones(len(to)), plus=np.full(len(to), -1))

    arrays = {"source": f"m.{source}", "offset": f"m.{source}", "target": f"m.{field}"}
    return Derived(field, flags, numpy, move_words, tables, arrays, late=True)


def component(k: int) -> tuple:
    """Parts of a number that is one component of a vector."""
    return ((k, 0, 1.0),)


def where(rows, chosen) -> np.ndarray:
    """``rows`` where ``chosen``, else -1."""
    return np.where(chosen, rows, -1)


def words_of(rows, width: int) -> np.ndarray:
    """Words of vectors of a width at some rows."""
    return (np.asarray(rows, int)[:, None] * width + np.arange(width)).ravel()


def selection(function: Callable | None, m, width: int) -> np.ndarray:
    """Words that a ``mask`` or ``unless`` chooses: bool that broadcasts to [n, width]; False where there is none."""
    chosen = np.asarray(function(m) if function else False, bool)
    return chosen.reshape(-1, 1) if chosen.ndim == 1 else chosen


def fill(m, w, binds) -> None:
    """Write plain rows into the fields of a compiled model, zeros where they are not there yet.

    This is the NumPy form of ``move_words``.
    """
    for bind in binds:
        if not hasattr(m, bind.field):
            m.set(**{bind.field: m.zeros(bind.field)})
        rows = np.asarray(bind.rows(m), int)
        things = np.flatnonzero(rows >= 0)
        if len(things):
            m.set(**{bind.field: moved(m, w, bind, things, rows[things])})


def moved(m, w, bind: Bind, things, rows) -> np.ndarray:
    """A field with the numbers of one row, [...] or [nworld, ...] where worlds differ."""
    old, rank = np.asarray(getattr(m, bind.field)), m.rank(bind.field)
    shape, width = old.shape[old.ndim - rank :], math.prod(old.shape[old.ndim - rank + 1 :])
    values = w.words(bind.attribute)[..., rows, :]
    if bind.plus:
        values = values + w.words(bind.plus)[..., rows, :]
    if len(things) == shape[0] and values.shape[-1] == width and not bind.parts and not bind.mask:
        return values.reshape(values.shape[:-2] + shape)
    world = np.broadcast_shapes(old.shape[: old.ndim - rank], values.shape[:-2])
    out = np.array(np.broadcast_to(old, world + shape)).reshape(*world, shape[0], width)
    chosen = np.broadcast_to(selection(bind.mask, m, width) if bind.mask else True, (shape[0], width))
    for to, of, factor in bind.parts or [(k, k, 1.0) for k in range(min(width, values.shape[-1]))]:
        here = chosen[things, to]
        out[..., things[here], to] = factor * values[..., here, of]
    return out.reshape(world + shape)


def per_world(values, world: tuple, rank: int) -> np.ndarray:
    """A copy of an array of a rank, with the dimension of worlds where it or ``world`` has one."""
    values = np.asarray(values)
    wide = np.broadcast_shapes(values.shape[: values.ndim - rank], world)
    return np.array(np.broadcast_to(values, wide + values.shape[values.ndim - rank :]))
