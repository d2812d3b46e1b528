"""Shards of a job: contiguous worlds, what is known of each, and the chunks that are under way."""

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from newtonlite.core.errors import StateError


class Order(NamedTuple):
    """Order of a chunk: plain values for all shards, and the handle of a message with arrays, None where it has none."""

    head: dict
    carried: Any = None


@dataclass
class WorldShard:
    """Worlds ``first`` to ``first + count``. ``delivered`` chunks are done; ``submitted`` ones were asked of the worker
    ``holder``, which keeps the shard. ``basis`` is the handle of its checkpoint before chunk ``base``, None at the
    beginning.
    """

    number: int
    first: int
    count: int
    delivered: int = 0
    submitted: int = 0
    holder: int | None = None
    base: int = 0
    basis: Any = None
    fresh: bool = True  # the holder has to begin from the checkpoint
    lost: bool = False  # its worker died
    moving: bool = False  # is to be given to another worker at its next checkpoint
    asked: int = 0  # the chunk after the last one whose checkpoint was asked for
    seconds: float = 0.0  # CPU time of its last chunk
    facts: dict = field(default_factory=dict)
    links: Any = None
    digests: dict = field(default_factory=dict)
    early: dict = field(default_factory=dict)

    def lose(self) -> None:
        """Be held by nobody: what was asked for and did not come is to be asked for again."""
        self.holder, self.fresh, self.submitted, self.moving = None, True, self.delivered, False
        self.asked = self.base


@dataclass
class Flight:
    """A chunk that a worker was asked for; ``since`` it is the first in the worker's row."""

    shard: WorldShard
    chunk: int
    since: float


@dataclass
class Hand:
    """A worker as the scheduler sees it: whether it is ready, and what it was asked for."""

    number: int
    started: float = field(default_factory=time.monotonic)
    ready: bool = False
    kind: int = 0  # number of its fingerprint
    flights: list = field(default_factory=list)
    shards: list = field(default_factory=list)  # that it has and that are not at their end

    def landed(self, shard: int, chunk: int) -> None:
        """A chunk came back: the next one is the first."""
        for i, flight in enumerate(self.flights):
            if (flight.shard.number, flight.chunk) == (shard, chunk):
                del self.flights[i]
                break
        if self.flights:
            self.flights[0].since = max(self.flights[0].since, time.monotonic())


def cut(worlds: int, shards: int) -> list[WorldShard]:
    """Shards of nearly equal numbers of worlds. StateError for more shards than worlds."""
    if not 1 <= shards <= worlds:
        raise StateError(f"shards={shards}: expected 1 to {worlds}, the number of worlds")
    edges = [worlds * i // shards for i in range(shards + 1)]
    return [WorldShard(i, a, b - a) for i, (a, b) in enumerate(zip(edges, edges[1:]))]


def add_facts(total: dict, more: dict) -> None:
    """Take the facts of a chunk into those of the chunks before: sums, of ``..._max`` the largest."""
    for name, value in more.items():
        known = total.get(name, 0)
        total[name] = max(known, value) if name.endswith("_max") else known + value
