"""Reset of worlds to the model's reference pose or to a keyframe, on the device."""

import numpy as np
import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.solvers.mujoco.start import WHOLE, Start, keyframes, results

INTEGERS = (wp.int8, wp.uint8, wp.int16, wp.uint16, wp.int32, wp.uint32, wp.int64, wp.uint64)


def reset_worlds(m, d, mask: wp.array | None, key, only: tuple = ()) -> None:
    """Reset the worlds of ``mask [nworld]`` (all when None) to qpos0, or worlds to keyframes ``key`` (one, or one per
    world; -1: leave).

    ``only`` names the fields to reset, all when empty. What the last forward pass left is then cleared too.

    Raises StateError for masks or keyframes of the wrong kind.
    """
    keyed = key is not None
    choice = _keys(m, d, key) if keyed else _mask(d, mask)
    more = [] if only else results(d.engine)
    more += [d.userdata] if not only or "userdata" in only else []
    rows = keyframes(m.source) if keyed else None
    d.batch.reset(choice, Start(m, d.engine, only or WHOLE, rows, keyed=keyed, more=more))


def _mask(d, mask) -> wp.array:
    """Row 0 for the worlds of the mask, -1 for the others."""
    if mask is not None:
        if not isinstance(mask, wp.array):
            raise StateError(f"reset must be None or a wp.array, got {mask!r:.80}")
        if mask.shape != (d.nworld,):
            raise StateError(f"reset array must have shape ({d.nworld},), got {mask.shape}")
        if mask.dtype not in (wp.bool, bool, int, *INTEGERS):
            raise StateError(f"reset array must be of bool or integer type, got {mask.dtype.__name__}")
    return d.batch.choose(mask)


def _keys(m, d, key) -> wp.array:
    """Keyframe of every world. One that does not exist is an error; in an array, which is the device's, it leaves its
    world as it is.
    """
    nkey = int(m.source.nkey)
    if isinstance(key, wp.array):
        if key.shape != (d.nworld,) or key.dtype not in (int, wp.int32):
            raise StateError(
                f"key array must have shape ({d.nworld},) and type int, got {key.dtype.__name__}{list(key.shape)}"
            )
        return key
    if isinstance(key, bool) or not isinstance(key, int | np.integer):
        raise StateError(f"key must be an int or a wp.array, got {type(key).__name__}")
    if not 0 <= key < nkey:
        raise StateError(f"key ({key}) must be in [0, {nkey}), the numbers of the model's keyframes")
    return d.batch.choose(None, int(key))
