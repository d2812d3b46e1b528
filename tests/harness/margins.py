"""Margins about arrays of the CPU, by which writes beside an array are seen."""

import contextlib
import ctypes
import gc

import warp as wp

MARGIN = 64  # bytes on both sides, a multiple of Warp's alignment
PATTERN = bytes((37 * i + 11) % 256 for i in range(MARGIN))


class Margins:
    """An allocator of Warp's, with margins about what it gives."""

    def __init__(self, allocator):
        self.allocator, self.sizes, self.freed = allocator, {}, []

    def __getattr__(self, name):
        return getattr(self.allocator, name)

    def allocate(self, size: int) -> int:
        """Address of so many bytes."""
        place = self.allocator.allocate(size + 2 * MARGIN) + MARGIN
        for margin in (place - MARGIN, place + size):
            ctypes.memmove(margin, PATTERN, MARGIN)
        self.sizes[place] = size
        return place

    def deallocate(self, place: int, size: int) -> None:
        """Give them back."""
        if self._is_spoilt(place, size):
            self.freed.append(size)
        del self.sizes[place]
        self.allocator.deallocate(place - MARGIN, size + 2 * MARGIN)

    def _is_spoilt(self, place: int, size: int) -> bool:
        return any(ctypes.string_at(margin, MARGIN) != PATTERN for margin in (place - MARGIN, place + size))

    @property
    def spoilt(self) -> list[int]:
        """Sizes [bytes] of arrays beside which something was written."""
        gc.disable()  # which might free arrays in between
        try:
            return [*self.freed, *(size for place, size in self.sizes.items() if self._is_spoilt(place, size))]
        finally:
            gc.enable()


@contextlib.contextmanager
def margins():
    """Arrays of the CPU that are made inside have margins."""
    device = wp.get_device("cpu")
    found = Margins(device.default_allocator)
    device.default_allocator = found
    try:
        yield found
    finally:
        device.default_allocator = found.allocator
