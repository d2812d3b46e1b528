"""Bindings of a scene to the engine: the kinds of rows, and the compiler's form of the plain ones.

``Bind`` copies numbers of an attribute into a field. ``Derived`` computes fields; its NumPy form runs in the compiler,
in float64, its kernel form on the device, in float32. ``Watch`` names numbers whose change alters the engine's lists.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import warp as wp

from newtonlite.solvers.mujoco.bindings.arrays import with_rows
from newtonlite.solvers.mujoco.bindings.formula import Formula
from newtonlite.solvers.mujoco.bindings.update_kernel import UpdateKernel, update_kernel
from newtonlite.solvers.mujoco.kernels.state_io.model_update import update_value

Rule = Callable | str
"""A function of a compiled model, or the name of its field."""


@dataclass(frozen=True)
class Bind:
    """``field`` takes ``attribute``, number by number.

    ``rows`` are, for each thing of the engine, its row within a world of the scene (-1: none): a function of the compiled
    model, or the name of its field. ``parts`` are (word of the field, word of the attribute, factor), all words in
    order when empty. ``mask`` says likewise which things, or things and words, take the number. ``unless`` says where
    something else has the last word, such as actuators that add to it: the device then leaves it to that. ``plus`` is
    an attribute that is added.
    """

    field: str
    attribute: str
    rows: Rule
    flags: int
    parts: tuple = ()
    mask: Rule | None = None
    unless: Rule | None = None
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


def sized(x, scale):
    """A value of a formula that is kept where it changes by rounding of numbers as large as ``scale``."""
    return x


def formula(fields: str, flags: int, tables: Callable, late=False, unless: Callable | None = None, **kinds) -> Callable:
    """Decorator that makes the row of a formula; ``kinds`` as in ``derived``, ``unless`` as in ``Bind``, for all things."""

    def row(function) -> Derived:
        both = Formula(function, fields, tables, kinds)
        names = " ".join(dict.fromkeys(name for name, _ in both.fields))
        own = lambda m: {key: value[: 0 if unless and unless(m) else None] for key, value in both.tables(m).items()}
        return Derived(names, flags, both.numpy, both.kernel, own, late=late)

    return row


def derived(fields: str, flags: int, numpy: Callable | None, tables: Callable, late: bool = False, **kinds) -> Callable:
    """Decorator that makes the row of a kernel form; ``kinds`` are the element types of tables that are no integers."""
    return lambda function: Derived(fields, flags, numpy, UpdateKernel(function, kinds), tables, late=late)


@dataclass(frozen=True)
class Watch:
    """Words of ``attribute`` that must not come to pass ``test`` (see ``kernels.state_io.structure_check``), or, where
    the test is SAME, must not change.

    ``words(m, w)`` are their numbers within a world; by default all that fail the test in all worlds, or, with ``one``
    (a single word that passes is enough for all), none if any passes. ``flags`` announce the change, where not all flags
    of its kind of thing do.
    """

    attribute: str
    test: int
    words: Callable | None = None
    one: bool = False
    flags: int = 0


SAME = -1


def named(names: str, rows: Rule, flags: int, to: str, of: str, **more) -> tuple:
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


def copied(field: str, source: str, flags: int, words: Callable, numpy: Callable | None = None, late=True) -> Derived:
    """Numbers of a field of the engine that are those of another; ``words(m)`` are their places in both."""

    def tables(m) -> dict:
        to, of = words(m)
        return dict(to=to, of=of, scale=np.ones(len(to)), plus=np.full(len(to), -1))

    arrays = {"source": f"m.{source}", "offset": f"m.{source}", "target": f"m.{field}"}
    return Derived(field, flags, numpy, move_words, tables, arrays, late=late)


def copy_words(m, field: str, source: str, words: Callable) -> dict:
    """NumPy form of ``copied``."""
    to, of = words(m)
    old, values = (np.asarray(getattr(m, name)) for name in (field, source))
    flat, shape = (
        values.reshape(*values.shape[: values.ndim - m.rank(source)], -1),
        old.shape[old.ndim - m.rank(field) :],
    )
    kept = old.reshape(*old.shape[: old.ndim - m.rank(field)], -1)
    new = with_rows(kept, 1, to, 0, flat[..., of, None])
    return {field: new.reshape(*new.shape[:-1], *shape)}


def component(k: int) -> tuple:
    """Parts of a number that is one component of a vector."""
    return ((k, 0, 1.0),)


def values_of(rule: Rule, m) -> np.ndarray:
    """Values of a rule."""
    return np.asarray(getattr(m, rule) if isinstance(rule, str) else rule(m))


def selection(rule: Rule | None, m, width: int) -> np.ndarray:
    """Words that a ``mask`` or ``unless`` chooses: bool that broadcasts to [n, width]; False where there is none."""
    chosen = np.asarray(values_of(rule, m) if rule else False) != 0
    return chosen.reshape(-1, 1) if chosen.ndim == 1 else chosen


def fill_fields(m, w, binds) -> None:
    """Write plain rows into the fields of a compiled model, zeros where they are not there yet.

    This is the NumPy form of ``move_words``.
    """
    for bind in binds:
        if not hasattr(m, bind.field):
            m.set(**{bind.field: m.zeros(bind.field)})
        rows = values_of(bind.rows, m).astype(int)
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
