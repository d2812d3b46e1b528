"""Contact budget: per-world stable selection of the k smallest keys (radix select), which caps contacts at
``rigid_contact_max``.

All contacts stay while they fit. Else every world gets an equal share, and what some worlds leave goes to the others
in equal parts: no world has less than its share because of another, and copies of a world have the same. The greatest
that stays is found digit by digit, with sums of whole numbers alone, so that nothing depends on threads.
"""

import numpy as np
import warp as wp

from newtonlite.core.kernel_module import kernel_module

kernel_module(__name__, max_unroll=0)

BITS = 8
DIGITS = wp.constant(1 << BITS)
ROUNDS = 64 // BITS
SIGN = wp.constant(wp.uint32(1 << 31))
NO_WORLD = wp.constant(-1)
ALL_WORLDS = wp.constant(-1)


@wp.struct
class Offer:
    """Entries: their value, their world (``NO_WORLD`` where there is none), the column of ``lost`` they count in, and who
    stays where.
    """

    value: wp.array[float]
    world: wp.array[int]
    kind: wp.array[int]
    stays: wp.array[int]
    slot: wp.array[int]


@wp.struct
class RadixSelect:
    """Radix select per world: the number of entries, the known digits of the greatest key that stays, and the number of
    entries still to come."""

    need: wp.array[int]
    known: wp.array[wp.uint64]
    rest: wp.array[int]
    digits: wp.array2d[int]
    level: wp.array[int]  # entries that a world may keep; EVERYBODY where all fit


@wp.func
def key_of(value: float, i: int) -> wp.uint64:
    """A number that is less for lesser values, and for equal ones where the entry comes first. A zero has one sign."""
    bits = wp.cast(value + 0.0, wp.uint32)
    ordered = bits ^ SIGN
    if value < 0.0:
        ordered = ~bits
    return (wp.uint64(ordered) << wp.uint64(32)) | wp.uint64(wp.uint32(i))


@wp.kernel(enable_backward=False)
def count_entries(o: Offer, s: RadixSelect):
    """Number of entries of each world."""
    i = wp.tid()
    if o.world[i] != NO_WORLD:
        wp.atomic_add(s.need, o.world[i], 1)


@wp.kernel(enable_backward=False)
def divide_budget(s: RadixSelect, capacity: int):
    """The most that every world can keep so that all together fit."""
    total = int(0)
    high = int(0)
    for w in range(s.need.shape[0]):
        total += s.need[w]
        high = wp.max(high, s.need[w])
    s.level[0] = ALL_WORLDS
    if total > capacity:
        low = int(0)
        while low < high:
            middle = (low + high + 1) / 2
            kept = int(0)
            for w in range(s.need.shape[0]):
                kept += wp.min(s.need[w], middle)
            if kept <= capacity:
                low = middle
            else:
                high = middle - 1
        s.level[0] = low


@wp.func
def is_over_budget(s: RadixSelect, w: int) -> bool:
    """Whether a world has more than it can keep."""
    return s.level[0] != ALL_WORLDS and s.need[w] > s.level[0]


@wp.kernel(enable_backward=False)
def count_digits(o: Offer, s: RadixSelect, shift: wp.uint64):
    """Histogram of the next digit, over entries that agree with the digits known."""
    i = wp.tid()
    w = o.world[i]
    if w == NO_WORLD:
        return
    if is_over_budget(s, w):
        key = key_of(o.value[i], i) >> shift
        if (key >> wp.uint64(BITS)) == s.known[w]:
            wp.atomic_add(s.digits, w, int(key & wp.uint64(DIGITS - 1)), 1)


@wp.kernel(enable_backward=False)
def pick_digit(s: RadixSelect, first: int):
    """The digit of the greatest that stays, and how many of those that have it stay."""
    w = wp.tid()
    if not is_over_budget(s, w):
        return
    if first != 0:
        s.known[w] = wp.uint64(0)
        s.rest[w] = s.level[0]
    before = int(0)
    digit = int(0)
    while digit < DIGITS - 1 and before + s.digits[w, digit] < s.rest[w]:
        before += s.digits[w, digit]
        digit += 1
    s.rest[w] -= before
    s.known[w] = (s.known[w] << wp.uint64(BITS)) | wp.uint64(digit)
    for k in range(DIGITS):
        s.digits[w, k] = 0


@wp.kernel(enable_backward=False)
def select_smallest(o: Offer, s: RadixSelect, lost: wp.array2d[int]):
    """1 for entries that stay; the others are counted by world and kind."""
    i = wp.tid()
    w = o.world[i]
    stays = int(0)
    if w != NO_WORLD:
        stays = 1
        if is_over_budget(s, w) and (s.level[0] == 0 or key_of(o.value[i], i) > s.known[w]):
            stays = 0
            wp.atomic_add(lost, w, o.kind[i], 1)
    o.stays[i] = stays


@wp.kernel(enable_backward=False)
def count_selected(o: Offer, count: wp.array[int]):
    """Number of entries that stay."""
    last = o.stays.shape[0] - 1
    count[0] = o.slot[last] + o.stays[last]


class ContactBudget:
    """Entries of some kinds, one after the other: ``sizes[k]`` of kind ``kinds[k]``, that belong to ``worlds`` worlds.

    ``offer`` holds what others fill in, ``value`` and ``world``; ``choose`` answers with ``stays`` and ``slot``.
    """

    def __init__(self, sizes: list[int], kinds: list[int], worlds: int, device):
        self.size, self.device = sum(sizes), device
        make = lambda n, dtype=int: wp.zeros(n, dtype=dtype, device=device)
        self.offer, self.search = Offer(), RadixSelect()
        self.offer.value = make(self.size, float)
        self.offer.kind = wp.array(np.repeat(kinds, sizes).astype(np.int32), dtype=int, device=device)
        for name in ("world", "stays", "slot"):
            setattr(self.offer, name, make(self.size))
        s = self.search
        s.need, s.rest, s.level, s.known = make(worlds), make(worlds), make(1), make(worlds, wp.uint64)
        s.digits = make((worlds, int(DIGITS)))
        self._level = s.level.numpy() if device.is_cpu else None  # a view

    def _launch(self, kernel, dim: int, *inputs) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self.device)

    def choose(self, capacity: int, count: wp.array, lost: wp.array) -> None:
        """Select ``capacity`` entries at most; ``count[0]`` is how many stay, ``lost[world, kind]`` grows by the others.
        Nothing waits for the device.
        """
        o, s = self.offer, self.search
        if not self.size:
            count.zero_()
            return
        s.level.fill_(int(ALL_WORLDS))
        if self.size > capacity:
            self._find_last(capacity)
        self._launch(select_smallest, self.size, o, s, lost)
        wp.utils.array_scan(o.stays, o.slot, inclusive=False)
        self._launch(count_selected, 1, o, count)

    def _find_last(self, capacity: int) -> None:
        """The greatest key that stays in each world."""
        o, s = self.offer, self.search
        s.need.zero_()
        self._launch(count_entries, self.size, o, s)
        self._launch(divide_budget, 1, s, capacity)
        if self._level is not None and self._level[0] == int(ALL_WORLDS):
            return
        for k in range(ROUNDS):
            if k == 0:
                s.known.zero_()
            self._launch(count_digits, self.size, o, s, wp.uint64(64 - BITS * (k + 1)))
            self._launch(pick_digit, s.need.shape[0], s, int(k == 0))
