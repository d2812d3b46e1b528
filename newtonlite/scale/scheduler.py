"""Scheduler: gives chunks of shards to workers, and takes every result exactly once, whatever becomes of the workers.

A chunk that is lost with its worker is asked for again, from the last checkpoint of its shard. One that takes too long is
asked of an idle worker too: the first result counts, and both must have one digest. At most ``DEPTH`` chunks of a worker
are under way. Workers are kept at their number; one that differs from the first, so that its bits may, is refused.
"""

import statistics
import time
import warnings
from collections.abc import Callable

from newtonlite.core import errors
from newtonlite.core.errors import NewtonWarning, StateError, external
from newtonlite.scale.fingerprint import differences
from newtonlite.scale.shards import Flight, Hand, Order, WorldShard, add_facts
from newtonlite.scale.wire import pack, unpack

DEPTH = 2
CHECKPOINT_SECONDS = 2.0
"""CPU seconds of a shard's work between two checkpoints, which bound what is repeated after a loss."""
MOST_BETWEEN = 16
"""Chunks between two checkpoints."""
STARTING = 8.0
"""Seconds for which shards wait for a worker that is starting, before others take them."""
MOST_DEATHS = 5
"""Deaths of workers, for each of them, without a result in between, after which a job is given up."""
LOOK = 0.2
"""Seconds between two looks at workers that take too long."""
NOBODY = 300.0
"""Seconds without any worker after which that is said."""
PATIENCE = 60.0
"""Least seconds after which a chunk takes too long; also eight times the longest one so far."""
MIXED = ("refuse", "mark")


class Scheduler:
    """Runs orders on all shards of a job with the workers of a pool.

    ``deliver(shard, chunk, arrays)`` is called once for each chunk, in order within a shard; ``keep(shard, blob)`` for
    each checkpoint. ``want_rows``: whether results hold their arrays. ``mixed``: workers that differ are refused, or
    taken and marked.
    """

    def __init__(
        self,
        pool,
        shards: list[WorldShard],
        *,
        deliver: Callable = lambda shard, chunk, arrays: None,
        keep: Callable = lambda shard, blob: None,
        want_rows: bool = False,
        mixed: str = "refuse",
        prints: list | None = None,
        patience: float = PATIENCE,
    ):
        if mixed not in MIXED:
            raise StateError(f"mixed={mixed!r}: expected one of {', '.join(MIXED)}")
        self.pool, self.shards = pool, shards
        for shard in shards:
            if shard.basis is not None:
                shard.basis = pool.share(shard.basis)
        self.deliver, self.keep, self.want_rows, self.mixed, self.patience = deliver, keep, want_rows, mixed, patience
        self.prints: list[dict] = list(prints or [])  # fingerprints that were met, the first is the job's
        self.orders: list[Order] = []
        self.persistent = False  # more orders follow, so that workers keep shards
        self.hands: dict[int, Hand] = {}
        self.wanted = pool.workers
        self.refused = self.deaths = self.lost = self.repeated = self.dropped = self.copies = 0
        self.by_print: dict[int, int] = {}
        self.longest = 0.0
        self.recovering: list[tuple[float, dict]] = []
        self.recoveries: list[float] = []
        self.why = ""
        self.ready = self.left = self.forgotten = 0
        self.free: list[WorldShard] = []  # shards that nobody has, lost ones in front
        self.cpu: dict[int, float] = {}  # CPU seconds of each worker's chunks
        self.first: tuple | None = None  # when the last worker's first result was there, and how many were left
        self.seen, self.watched, self.warned = time.monotonic(), 0.0, False

    # the loop

    def run(self, progress: Callable = lambda scheduler: None) -> None:
        """Carry out all orders on all shards. StateError where a chunk fails, or workers die again and again."""
        self.left = sum(len(self.orders) - s.delivered for s in self.shards)
        self.free = [s for s in self.shards if s.holder is None and self._has_work(s)]
        while self.left:
            self._staff()
            self._assign()
            for event in self.pool.events(LOOK):
                self._take(event)
            self._watch()
            progress(self)

    @property
    def share_done(self) -> float:
        """Part of all chunks that was delivered."""
        return 1.0 - self.left / max(1, len(self.orders) * len(self.shards))

    def _staff(self) -> None:
        """Start workers that are missing."""
        while len(self.hands) + self.refused < self.wanted:
            number = self.pool.start()
            self.hands[number] = Hand(number)
        if not self.hands:
            raise StateError(f"every worker was refused: {self.why}")
        if self.ready:
            self.seen = time.monotonic()
        elif not self.warned and time.monotonic() - self.seen > NOBODY:
            self.warned = True
            text = f"no worker is there after {NOBODY:.0f} s; does the cluster have room for one?"
            warnings.warn(text, NewtonWarning, stacklevel=external())

    # who does what

    def _has_work(self, shard: WorldShard) -> bool:
        return shard.submitted < len(self.orders)

    def _assign(self) -> None:
        """Give out chunks until nobody takes another: first one to each worker, then the second ones."""
        able = [h for h in self.hands.values() if h.ready and len(h.flights) < DEPTH]
        relieved = False
        for depth in range(DEPTH):
            for hand in able:
                while len(hand.flights) == depth:
                    shard = self._pick(hand)
                    if shard is None:
                        break
                    self._submit(hand, shard, shard.submitted)
                    shard.submitted += 1
            if not self.free and not relieved:
                idle = next((h for h in able if not h.flights), None)
                relieved = idle is None or self._relieve(idle)

    def _pick(self, hand: Hand) -> WorldShard | None:
        """The shard of which a worker does the next chunk."""
        own = [s for s in list(hand.shards) if self._has_work(s) and self._goes_on(hand, s)]
        if own:
            return min(own, key=lambda s: s.submitted)
        for i, shard in enumerate(self.free):
            if len(hand.shards) < self._fair(shard.lost):
                del self.free[i]
                hand.shards.append(shard)
                shard.holder, shard.fresh, shard.lost = hand.number, True, False
                return shard
            if not shard.lost:
                break  # those that were lost are in front
        return None

    def _goes_on(self, hand: Hand, shard: WorldShard) -> bool:
        """Whether its worker does another chunk of a shard now: one that is to move stops at its next checkpoint."""
        if not shard.moving:
            return True
        if shard.submitted == shard.delivered == shard.base:
            hand.shards.remove(shard)
            shard.lose()
            self.free.append(shard)
            return False
        return shard.submitted == shard.delivered

    def _fair(self, lost: bool) -> int:
        """Shards that one worker may have: its part, also beside workers that are about to be ready; a shard that was
        lost waits for none of those.
        """
        now = time.monotonic()
        count = self.ready if lost else sum(h.ready or now - h.started < STARTING for h in self.hands.values())
        unfinished = (
            len(self.shards) if self.persistent else len(self.free) + sum(len(h.shards) for h in self.hands.values())
        )
        return -(-unfinished // max(1, count))

    def _relieve(self, hand: Hand) -> bool:
        """Have the worker with most shards give one of them to an idle one, if that has fewer by two."""
        busiest = max(self.hands.values(), key=lambda h: len(h.shards))
        mine = [s for s in busiest.shards if s.delivered < len(self.orders)]
        if mine and len(busiest.shards) >= len(hand.shards) + 2 and not any(s.moving for s in mine):
            min(mine, key=lambda s: s.submitted).moving = True
        return True

    def _submit(self, hand: Hand, shard: WorldShard, chunk: int, copy: bool = False) -> None:
        """Ask a worker for a chunk; with the checkpoint and the orders since, unless it has the shard as it was left."""
        begin = shard.fresh or copy
        start = shard.base if begin else chunk
        orders = self.orders[start : chunk + 1]
        last = not self.persistent and chunk + 1 == len(self.orders)
        state = not copy and self._checkpoint_due(shard, chunk)
        head = {
            "shard": shard.number,
            "worlds": [shard.first, shard.count],
            "chunk": chunk,
            "at": start,
            "basis": begin and shard.basis is not None,
            "orders": [{**o.head, "carries": o.carried is not None} for o in orders],
            "rows": self.want_rows,
            "state": state,
            "last": last,
        }
        if state:
            shard.asked = chunk + 1
        blobs = [shard.basis] if head["basis"] else []
        blobs += [o.carried for o in orders if o.carried is not None]
        if not copy:
            shard.fresh = False
        hand.flights.append(Flight(shard, chunk, time.monotonic()))
        self.pool.submit(hand.number, pack(head), blobs)

    def _checkpoint_due(self, shard: WorldShard, chunk: int) -> bool:
        """Whether the result of a chunk is to come with a checkpoint."""
        if shard.moving or self.orders[chunk].head.get("checkpoint") or chunk + 1 == len(self.orders):
            return True
        since = chunk + 1 - shard.asked
        return since >= MOST_BETWEEN or since * shard.seconds >= CHECKPOINT_SECONDS

    # what happens

    def _take(self, event) -> None:
        hand = self.hands.get(event.worker)
        if hand is None:
            return
        if event.kind == "dead":
            self._bury(hand, str(event.content))
        elif event.kind == "ready":
            self._greet(hand, unpack(event.content, "worker", check=False)[0])
        else:
            self._reply(hand, *unpack(event.content, "reply", check=False))

    def _greet(self, hand: Hand, head: dict) -> None:
        """Take a worker, or refuse it where its fingerprint is not the job's."""
        if "error" in head:
            raise StateError(head["message"])
        own = head["fingerprint"]
        if own not in self.prints:
            differ = differences(self.prints[0], own) if self.prints else ""
            if differ and self.mixed == "refuse":
                self.why = differ
                self._dismiss(hand)
                self.refused += 1
                text = f"worker {hand.number} is refused, since its results may differ in their last bits ({differ})"
                warnings.warn(f"{text}; mixed='mark' takes it all the same", NewtonWarning, stacklevel=external())
                return
            self.prints.append(own)
        elif self.mixed == "refuse" and self.prints.index(own):
            raise StateError("the job was done by workers that differ; go on with mixed='mark'")
        hand.kind, hand.ready = self.prints.index(own), True
        self.ready += 1

    def _reply(self, hand: Hand, head: dict, arrays: dict) -> None:
        """A chunk came back."""
        if "error" in head:
            flight = hand.flights[0] if hand.flights else None
            where = f"shard {flight.shard.number}, chunk {flight.chunk}: " if flight else ""
            kind = getattr(errors, head["error"], StateError)
            raise (kind if issubclass(kind, ValueError) and kind.__init__ is ValueError.__init__ else StateError)(
                where + head["message"]
            )
        shard, chunk = self.shards[head["shard"]], head["chunk"]
        took = [time.monotonic() - f.since for f in hand.flights if (f.shard, f.chunk) == (shard, chunk)]
        hand.landed(shard.number, chunk)
        self.longest = max([self.longest, *took])
        self.deaths = 0
        self.repeated += head["repeated"]
        if chunk < shard.delivered or chunk in shard.early:
            self._compare(shard, chunk, head["digest"])
            return
        shard.early[chunk] = hand, head, arrays
        while shard.delivered in shard.early:
            self._accept(shard, *shard.early.pop(shard.delivered))

    def _compare(self, shard: WorldShard, chunk: int, digest: str) -> None:
        """A result that is there already counts for nothing, but has to be the same."""
        self.dropped += 1
        known = shard.early[chunk][1]["digest"] if chunk in shard.early else shard.digests.get(chunk, digest)
        if known != digest and len(self.prints) < 2:
            raise StateError(
                f"shard {shard.number}, chunk {chunk}: two workers gave different results ({known[:12]}, {digest[:12]}); "
                "one of them computes wrongly"
            )

    def _accept(self, shard: WorldShard, hand: Hand, head: dict, arrays: dict) -> None:
        """Take the next result of a shard."""
        chunk = shard.delivered
        shard.digests[chunk] = head["digest"]
        shard.seconds = head["seconds"] / (1 + head["repeated"])
        add_facts(shard.facts, head["facts"])
        self.by_print[hand.kind] = self.by_print.get(hand.kind, 0) + 1
        blob, links = arrays.pop("checkpoint", None), arrays.pop("links", None)
        if links is not None:
            shard.links = links.copy()
        shard.delivered += 1
        self.left -= 1
        if hand.number not in self.cpu and len(self.cpu) < min(self.wanted, len(self.shards)) and self.left:
            self.first = time.perf_counter(), self.left
        self.cpu[hand.number] = self.cpu.get(hand.number, 0.0) + head["seconds"]
        shard.submitted = max(shard.submitted, shard.delivered)
        if shard.holder not in (None, hand.number):  # a copy was faster: its worker has the shard now
            self.hands[shard.holder].shards.remove(shard)
            hand.shards.append(shard)
            shard.holder, shard.fresh, shard.submitted = hand.number, False, shard.delivered
        self.deliver(shard, chunk, arrays)
        if blob is not None:
            blob = blob.tobytes()
            shard.base, shard.basis = shard.delivered, self.pool.share(blob)
            self.keep(shard, blob)
            self._forget_orders()
        if shard.delivered == len(self.orders) and not self.persistent:
            self._release(shard)
        self._recovered(shard)

    def _release(self, shard: WorldShard) -> None:
        """Have nobody hold a shard."""
        holder = self.hands.get(shard.holder)
        if holder:
            holder.shards.remove(shard)
        if shard in self.free:
            self.free.remove(shard)
        shard.holder = None

    def replace(self, shard: WorldShard, blob: bytes) -> None:
        """Let a shard go on from another checkpoint of its next chunk, between two runs."""
        self._release(shard)
        shard.basis = self.pool.share(blob)
        shard.lose()

    def _forget_orders(self) -> None:
        """Let go of what orders carry that no shard will repeat."""
        if self.orders[self.forgotten].carried is None:
            return
        for k in range(self.forgotten, min(s.base for s in self.shards)):
            self.orders[k] = Order(self.orders[k].head)
            self.forgotten = min(k + 1, len(self.orders) - 1)

    # losses

    def _dismiss(self, hand: Hand) -> list[WorldShard]:
        """Part with a worker; the shards that it had and that are not at their end."""
        self.hands.pop(hand.number)
        self.pool.stop(hand.number)
        self.ready -= hand.ready
        for shard in hand.shards:
            shard.lose()
            shard.lost = True
        had = [s for s in hand.shards if self._has_work(s)]
        self.free[:0] = had
        return had

    def _bury(self, hand: Hand, why: str) -> None:
        """A worker died: what it had is done again."""
        self.why = why
        waiting = {s.number: s.delivered for s in self._dismiss(hand)}
        self.lost += 1
        self.deaths += 1
        if self.deaths > MOST_DEATHS * self.wanted:
            raise StateError(f"{self.deaths} workers died one after the other; the last: {why}")
        if waiting:
            self.recovering.append((time.monotonic(), waiting))

    def _recovered(self, shard: WorldShard) -> None:
        """Note how long it took until what a dead worker had goes on."""
        for start, waiting in list(self.recovering):
            if shard.number in waiting and shard.delivered > waiting[shard.number]:
                del waiting[shard.number]
                if not waiting:
                    self.recoveries.append(time.monotonic() - start)
                    self.recovering.remove((start, waiting))

    def _watch(self) -> None:
        """Ask for chunks that take too long once more, of an idle worker; part with a worker that takes twice as long."""
        now, limit = time.monotonic(), max(self.patience, 8 * self.longest)
        if now - self.watched < min(LOOK, limit):
            return
        self.watched = now
        for hand in list(self.hands.values()):
            late = hand.flights[0] if hand.flights else None
            if late is None or now - late.since < limit:
                continue
            if now - late.since > 2 * limit:
                self._bury(hand, f"gave no result for {now - late.since:.0f} s")
                continue
            idle = [h for h in self.hands.values() if h.ready and not h.flights]
            asked = sum(f.shard is late.shard and f.chunk == late.chunk for h in self.hands.values() for f in h.flights)
            if idle and asked == 1 and late.chunk == late.shard.delivered:
                self.copies += 1
                self._submit(idle[0], late.shard, late.chunk, copy=True)

    def summary(self) -> dict:
        """Figures of chunks and workers."""
        return {
            "chunks": sum(s.delivered for s in self.shards),
            "repeated": self.repeated,
            "dropped": self.dropped,
            "copies": self.copies,
            "lost_workers": self.lost,
            "refused_workers": self.refused,
            "recovery_s": round(statistics.median(self.recoveries), 3) if self.recoveries else None,
            "mixed": len(self.prints) > 1,
        }
