"""References between Warp modules: those of the package's own are not looked for while it is imported.

Warp goes through the syntax of every function for the modules of the functions that it calls, so that a module which is
defined a second time in a running process (in a notebook, by ``importlib.reload``) takes those that call it along. The
package's modules are defined once, and the search takes a fifth of the time of its import. Modules of others keep their
references, also those to the package.
"""

import functools
from typing import Any

import warp as wp

from newtonlite.core import warp_internals

OWN = "newtonlite."
"""Beginning of the names of the package's modules."""


@functools.cache
def leave_out_own() -> None:
    """Have Warp not look for references of the package's modules, once in the life of a process."""
    if warp_internals.used():
        module: Any = wp.Module
        module._find_references = _of_others(module._find_references)


def _of_others(find):
    """A method of ``wp.Module`` for modules of others alone."""

    @functools.wraps(find)
    def find_references(module, adjoint):
        if not module.name.startswith(OWN):
            find(module, adjoint)

    return find_references
