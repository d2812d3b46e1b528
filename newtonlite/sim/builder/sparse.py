"""Sparse columns: values of attributes that few rows have."""

from collections.abc import Callable
from typing import Any

from newtonlite.sim.builder.column import ChangeCount


class Sparse(dict):
    """Values by row, for the few rows that have one; every change moves the builder's clock.

    Rows that copies of other builders brought are read through ``copied``, one, and ``brought``, all; ``own`` are those
    that were set here.
    """

    clock = ChangeCount()
    copied: Callable[[int], Any] | None = None
    brought: Callable[[], dict] | None = None

    def __missing__(self, key):
        if self.copied is None:
            raise KeyError(key)
        return self.copied(key)

    @property
    def own(self) -> dict:
        """Values that were set here, without those that copies brought."""
        return dict(dict.items(self))

    def _all(self) -> dict:
        return self.own if self.brought is None else dict(sorted({**self.brought(), **self.own}.items()))

    def __repr__(self):
        return repr(self._all())

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())

    def __contains__(self, key):
        return key in self._all()

    def __eq__(self, other):
        return self._all() == other

    __hash__ = None

    def items(self):
        """Rows and values, those of copies among them."""
        return self._all().items()

    def keys(self):
        """Rows that have a value."""
        return self._all().keys()

    def values(self):
        """Values of the rows that have one."""
        return self._all().values()

    def get(self, key, default=None):
        """The value of a row, or ``default``."""
        return self._all().get(key, default)

    def __setitem__(self, key, value):
        self.clock.now += 1
        super().__setitem__(key, value)

    def __delitem__(self, key):
        self.clock.now += 1
        super().__delitem__(key)

    def update(self, *others, **named):
        """Take in the items of other mappings."""
        self.clock.now += 1
        super().update(*others, **named)
