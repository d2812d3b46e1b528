"""Jobs of tests: of the shard without an engine in simulated workers, and workers that share the kernels of the tests."""

import hashlib
from functools import partial

import numpy as np

from benchmarks.simulated_workers import SimulatedPool
from newtonlite.core.lazy_import import import_module
from newtonlite.scale import process
from newtonlite.scale.ray_backend import RayWorker
from newtonlite.scale.rollout import identified
from newtonlite.scale.scheduler import Scheduler
from newtonlite.scale.shards import Order, cut
from newtonlite.scale.wire import pack
from newtonlite.scale.worker import SHARDS, Worker

SHARDS["walk"] = ("tests.harness.walk_shard", "WalkShard")
WALK = {"kind": "walk", "worlds": 10, "steps": 200, "chunk": 32, "seed": 7}


def walk(workers=2, shards=3, spec=None, orders=None, make=Worker, pool=None, **options):
    """(scheduler, pool) of a job of walking worlds."""
    spec = identified({**WALK, **(spec or {})})
    pool_options = {k: options.pop(k) for k in ("seed", "deaths", "silent", "step") if k in options}
    make = partial(make, device="cpu") if make is Worker else make
    pool = pool or SimulatedPool(pack(spec), workers, make, **pool_options)
    scheduler = Scheduler(pool, cut(spec["worlds"], shards), **options)
    steps, chunk = spec["steps"], spec["chunk"]
    scheduler.orders = orders or [Order({"steps": min(chunk, steps - at)}) for at in range(0, steps, chunk)]
    return scheduler, pool


def digest(scheduler) -> str:
    """The digest of a job that is done."""
    return hashlib.sha256(np.concatenate([s.links for s in scheduler.shards]).tobytes()).hexdigest()


def busy(scheduler) -> list[int]:
    """Workers that are ready and have a shard."""
    return [number for number, hand in scheduler.hands.items() if hand.ready and hand.shards]


def share_kernels() -> None:
    """Take the kernels that the tests have compiled, of everything and for all models."""
    import warp as wp

    specialize = import_module("newtonlite.solvers.mujoco.executor.specialize")
    wp.config.log_level = wp.LOG_WARNING
    specialize.disable()


def main(settings: str) -> None:
    """Worker process."""
    share_kernels()
    process.main(settings)


class PlainRayWorker(RayWorker):
    """Actor."""

    def __init__(self, *args):
        share_kernels()
        super().__init__(*args)
