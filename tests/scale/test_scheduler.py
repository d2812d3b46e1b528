"""Every chunk is taken exactly once and has one content, whatever becomes of the workers."""

import numpy as np
import pytest

from benchmarks.simulated_workers import StubWorker
from newtonlite.core.errors import NewtonWarning, StateError
from newtonlite.scale import scheduler as scheduling
from newtonlite.scale.scheduler import DEPTH
from newtonlite.scale.shards import Order, cut
from newtonlite.scale.wire import pack, unpack
from newtonlite.scale.worker import Worker
from tests.harness.scale_jobs import digest, walk


def finished(*args, **options):
    """A scheduler that ran, with the chunks it delivered in their order."""
    seen = []
    scheduler, pool = walk(*args, deliver=lambda shard, chunk, arrays: seen.append((shard.number, chunk)), **options)
    scheduler.run()
    return scheduler, pool, seen


@pytest.fixture(scope="module")
def reference():
    return digest(finished(1, 1)[0])


@pytest.mark.parametrize("shards", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_digest_does_not_depend_on_shards_and_workers(reference, workers, shards):
    scheduler, _, seen = finished(workers, shards)
    assert digest(scheduler) == reference
    assert sorted(seen) == [(s, c) for s in range(shards) for c in range(7)]
    for shard in range(shards):
        assert [c for s, c in seen if s == shard] == list(range(7))


@pytest.mark.parametrize("seed", range(20))
def test_workers_that_die_at_random_instants_change_nothing(reference, seed, monkeypatch):
    monkeypatch.setattr(scheduling, "MOST_BETWEEN", 3)
    chance, work = np.random.default_rng(seed), 7 * (1 + seed % 4)
    deaths = [*chance.integers(2, 2 * work, 5), *(chance.integers(3, work) + np.arange(2))]  # two at once, too
    scheduler, _, seen = finished(1 + seed % 3, 1 + seed % 4, seed=seed, deaths=deaths)
    assert scheduler.lost >= 2
    assert digest(scheduler) == reference
    assert len(seen) == len(set(seen)) == 7 * (1 + seed % 4)
    assert sum(s.facts["overflows"] for s in scheduler.shards) == 200 * len(scheduler.shards)


def test_orders_that_carry_arrays_are_repeated_with_them(monkeypatch):
    monkeypatch.setattr(scheduling, "MOST_BETWEEN", 100)
    orders = [Order({"steps": 16}, pack({}, {"bias": np.float32(k)})) for k in range(6)]
    alone, dying = (finished(2, 2, orders=list(orders), deaths=deaths) for deaths in ((), (6, 8)))
    assert digest(alone[0]) == digest(dying[0]) and dying[0].repeated


def test_a_checkpoint_lets_go_of_what_orders_carried():
    orders = [Order({"steps": 16, "checkpoint": True}, pack({}, {"bias": np.float32(k)})) for k in range(6)]
    scheduler = finished(2, 2, orders=orders)[0]
    assert all(order.carried is None for order in scheduler.orders)


def test_at_most_two_chunks_of_a_worker_are_under_way():
    assert finished(2, 5)[1].most == DEPTH


def test_a_shard_moves_to_a_worker_that_has_none():
    class Late(Worker):
        """The second worker is there only after the first has begun with everything."""

    scheduler, pool = walk(1, 4, spec={"steps": 640})
    scheduler.wanted = 1
    holders = set()

    def progress(s):
        s.wanted = 2 if s.share_done > 0.3 else 1
        holders.update(shard.holder for shard in s.shards)

    scheduler.run(progress)
    assert {0, 1} <= holders


def test_a_chunk_that_takes_too_long_is_asked_of_an_idle_worker(reference, monkeypatch):
    scheduler, _, seen = finished(3, 2, silent={0}, patience=0.0)
    assert scheduler.copies or scheduler.lost
    assert digest(scheduler) == reference and len(seen) == len(set(seen)) == 14


class Liar(Worker):
    """A worker of which every other one computes wrongly."""

    made = 0

    def __init__(self, job, device="cpu"):
        super().__init__(job, device)
        Liar.made += 1
        self.lies = Liar.made % 2 == 0

    def answer(self, request, *blobs):
        head, arrays = unpack(super().answer(request, *blobs), check=False)
        return pack({**head, "digest": "f" * 64} if self.lies else head, arrays)


def test_two_results_of_one_chunk_that_differ_are_an_error():
    scheduler, pool = walk(2, 1, make=Liar)
    scheduler.run()
    hand = next(iter(scheduler.hands.values()))
    scheduler._reply(hand, {"shard": 0, "chunk": 6, "digest": scheduler.shards[0].digests[6], "repeated": 0}, {})
    with pytest.raises(StateError, match="shard 0, chunk 6: two workers gave different results"):
        scheduler._reply(hand, {"shard": 0, "chunk": 6, "digest": "0" * 64, "repeated": 0}, {})


def test_an_error_of_a_chunk_says_where():
    with pytest.raises(ValueError, match="shard 1, chunk 1: world 4 fails"):
        finished(2, 3, spec={"fail": 4})


def test_workers_that_die_again_and_again_are_given_up():
    scheduler, _ = walk(1, 1, deaths=range(1, 1000))
    with pytest.raises(StateError, match="workers died one after the other"):
        scheduler.run()


class Foreign(Worker):
    """Workers of which the second says that it is another machine."""

    made = 0

    def hello(self):
        Foreign.made += 1
        head, _ = unpack(super().hello())
        if Foreign.made % 2 == 0:
            head["fingerprint"] = {**head["fingerprint"], "processor": "another"}
        return pack(head)


def foreign(job):
    return Foreign(job, device="cpu")


def test_a_worker_that_differs_is_refused(reference):
    Foreign.made = 0
    with pytest.warns(NewtonWarning, match="is refused.*processor: another, not"):
        scheduler, pool, seen = finished(2, 3, make=foreign)
    assert scheduler.refused == 1 and pool.stopped and len(scheduler.by_print) == 1
    assert digest(scheduler) == reference


def test_a_worker_that_differs_is_marked_where_asked():
    Foreign.made = 0
    scheduler = finished(2, 3, make=foreign, mixed="mark")[0]
    assert scheduler.summary()["mixed"] and len(scheduler.prints) == 2
    assert sum(scheduler.by_print.values()) == 21


def test_a_job_of_refused_workers_alone_ends():
    other = {"processor": "another"}
    with pytest.warns(NewtonWarning, match="is refused"):
        scheduler, _ = walk(2, 2, prints=[other])
        with pytest.raises(StateError, match="every worker was refused"):
            scheduler.run()


def test_mixed_is_one_of_two():
    with pytest.raises(StateError, match="mixed='yes': expected one of refuse, mark"):
        walk(mixed="yes")


@pytest.mark.parametrize("shards", [0, 11])
def test_shards_are_at_most_as_many_as_worlds(shards):
    with pytest.raises(StateError, match=f"shards={shards}: expected 1 to 10"):
        cut(10, shards)


def test_a_thousand_workers_are_kept_busy():
    spec = {"worlds": 1000, "steps": 64}
    scheduler, pool, seen = finished(1000, 1000, spec=spec, make=StubWorker, step=500)
    assert len(seen) == 2000 and pool.started == 1000
