"""Sparse columns: values of attributes that few rows have."""

from collections.abc import Callable
from typing import Any

from newtonlite.sim.builder.column import ChangeCount


class Sparse(dict):
    """Values by row, for the few rows that have one; every change moves the builder's clock.

    Rows that copies of other builders brought are read through ``copied``.
    """

    clock = ChangeCount()
    copied: Callable[[int], Any] | None = None

    def __missing__(self, key):
        if self.copied is None:
            raise KeyError(key)
        return self.copied(key)

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
