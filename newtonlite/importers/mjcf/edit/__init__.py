"""Edits of a resolved model before it is built: what the caller's options change in it, as a list of passes."""

from typing import Any

from newtonlite.importers.mjcf.edit.base import set_base
from newtonlite.importers.mjcf.edit.fuse import fuse_empty_roots, fuse_fixed, fuse_onto_floating
from newtonlite.importers.mjcf.edit.hinges import merge_hinges
from newtonlite.importers.mjcf.edit.select import select
from newtonlite.importers.mjcf.keys import place_keys
from newtonlite.importers.mjcf.spec import Spec

PASSES = (select, merge_hinges, fuse_empty_roots, fuse_onto_floating, set_base, place_keys, fuse_fixed)
"""Passes in running order, each ``(spec, options)``; one whose option is not set changes nothing."""


def edit(spec: Spec, options: Any) -> None:
    """Change bodies, joints and keyframes as the caller wants."""
    for change in PASSES:
        change(spec, options)
