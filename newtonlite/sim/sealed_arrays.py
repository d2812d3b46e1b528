"""Sealed arrays: those of a finished model may be replaced by others of the same shape, element type and device alone.

Kernels read as many rows as the model has, so a shorter array would be read past its end. One that does not fit may be
assigned, but not read: whoever asks for it next, a solver or a function, gets the error before anything is launched.
This costs an assignment a comparison, and steps nothing.
"""

from typing import Any

import warp as wp

from newtonlite.core.errors import ModelError


class SealedArrays:
    """Base of what carries the arrays of a model."""

    def seal(self, owner: str, names: set[str]) -> None:
        """From now on these arrays keep their shapes; ``owner`` is what messages call this object."""
        self.__dict__["_sealed"] = owner, {n for n in names if isinstance(self.__dict__.get(n), wp.array)}, {}

    def __setattr__(self, name: str, value: Any) -> None:
        owner, names, misfits = self.__dict__.get("_sealed", ("", (), {}))
        if name in names:
            old = misfits[name][0] if name in misfits else self.__dict__.get(name)
            problem = misfit(old, value) if old is not None else None
            if problem:
                self.__dict__.pop(name, None)
                misfits[name] = old, f"{owner}.{name}: {problem}"
                return
            misfits.pop(name, None)
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        misfits = self.__dict__.get("_sealed", ("", (), {}))[2]
        if name in misfits:
            raise ModelError(misfits[name][1])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def misfit(old: wp.array, new: Any) -> str | None:
    """Misfit of an array in the place of another, as a sentence; None where it may take it."""
    wanted = f"{old.dtype.__name__}{list(old.shape)}"
    how = "assign an array of the same shape, type and device, or write into the old one with .assign(values)"
    if not isinstance(new, wp.array):
        return f"expected a Warp array {wanted}, got {type(new).__name__}; {how}"
    if new.shape != old.shape or new.dtype != old.dtype:
        return f"expected {wanted}, got {new.dtype.__name__}{list(new.shape)}; {how}"
    if new.device != old.device:
        return f"expected an array on {old.device}, got one on {new.device}; {how}"
    if not new.is_contiguous:
        return f"expected a contiguous array, got strides {list(new.strides)}; assign array.contiguous()"
    return None
