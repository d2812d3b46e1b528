"""Worker: keeps shards of one job and carries out chunks of them; the same behind every backend.

A chunk is a shard, its number, and an order. A worker that is not at that chunk goes on from the checkpoint that comes
with it and repeats the orders in between: same inputs, same bytes.
"""

import time
from importlib import import_module

from newtonlite.core.errors import StateError
from newtonlite.scale.digest import of_arrays, of_links
from newtonlite.scale.fingerprint import fingerprint
from newtonlite.scale.wire import pack, unpack

SHARDS = {
    "model": ("newtonlite.scale.model_shard", "ModelShard"),
    "task": ("newtonlite.scale.task_shard", "TaskShard"),
    "collect": ("newtonlite.scale.collect_shard", "CollectShard"),
    "trial": ("newtonlite.scale.trial_shard", "TrialShard"),
}
"""Kinds of shards."""


class Worker:
    """Shards of the job of a message: ``spec`` with its ``kind``, and the arrays ``blob`` (bytes that shards are made
    of). ``device`` and ``threads`` are this worker's own.
    """

    def __init__(self, job, device: str | None = None, threads: int | None = None):
        self.spec, arrays = unpack(job, "job", check=False)
        self.blob = arrays.get("blob")
        self.device, self.threads = device, threads
        module, name = SHARDS[self.spec["kind"]]
        self.kind = getattr(import_module(module), name)
        self.held: dict = {}  # shard and number of its next chunk, by number of the shard

    def hello(self) -> bytes:
        """A message that says who this is."""
        return pack({"fingerprint": fingerprint(self.device, self.spec["kind"] != "model" and self.uses_torch)})

    @property
    def uses_torch(self) -> bool:
        """Whether networks decide on the results."""
        return self.spec["kind"] in ("collect", "trial") or self.spec.get("actions") == "policy"

    def answer(self, request, *blobs) -> bytes:
        """The reply to a request; one of an error where it cannot be met."""
        try:
            return self._chunk(*unpack(request, "request", check=False), blobs)
        except Exception as problem:  # is raised again where the job runs
            return pack({"error": type(problem).__name__, "message": " ".join(str(problem).split())})

    def _chunk(self, head: dict, _, blobs: tuple) -> bytes:
        """Repeat the chunks before, carry out the one asked for."""
        number, chunk, began = head["shard"], head["chunk"], time.process_time()
        blobs = list(blobs)
        basis = blobs.pop(0) if head["basis"] else None
        shard, at = self.held.pop(number, (None, None))
        if at != chunk or head["basis"]:
            shard, at = self._restored(head, basis), head["at"]
        orders = [dict(o) for o in head["orders"]]
        carried = [unpack(blobs.pop(0), "order", check=False)[1] if o.pop("carries") else {} for o in orders]
        if head["chunk"] - head["at"] != len(orders) - 1 or head["chunk"] < at:
            raise StateError(f"shard {number}: chunk {chunk} does not follow from {at}")
        repeated = chunk - at
        for k in range(at, chunk + 1):
            facts, arrays = shard.advance(orders[k - head["at"]], carried[k - head["at"]])
        reply = {"facts": facts, "repeated": repeated, "shard": number, "chunk": chunk}
        reply["digest"] = of_links(shard.links) if hasattr(shard, "links") else of_arrays(arrays)
        found = dict(arrays) if head["rows"] else {}
        if head["state"]:
            found["checkpoint"] = as_bytes(self.checkpoint(shard, number, chunk + 1))
        if hasattr(shard, "links"):
            found["links"] = shard.links
        if not head["last"]:
            self.held[number] = shard, chunk + 1
        return pack({**reply, "seconds": time.process_time() - began}, found, checksum=False)

    def _restored(self, head: dict, basis):
        """The shard as it was before a chunk: from a checkpoint, or at the beginning."""
        first, count = head["worlds"]
        shard = self.kind(self.spec, self.blob, first, count, device=self.device, threads=self.threads)
        if basis is None:
            if head["at"]:
                raise StateError(f"shard {head['shard']}: chunk {head['chunk']} needs a checkpoint")
            return shard
        what = f"checkpoint of shard {head['shard']}"
        about, state = unpack(basis, what)
        if about["job"] != self.spec["job"] or (about["shard"], about["chunk"]) != (head["shard"], head["at"]):
            raise StateError(f"{what}: is of another job, shard or chunk")
        try:
            shard.load(state)
        except StateError as problem:
            raise StateError(f"{what}: {problem}") from None
        return shard

    def checkpoint(self, shard, number: int, chunk: int) -> bytes:
        """The checkpoint of a shard before a chunk."""
        about = {"job": self.spec["job"], "shard": number, "chunk": chunk}
        return pack(about, shard.state(), compress=True)


def as_bytes(data):
    """Bytes as an array."""
    import numpy as np

    return np.frombuffer(data, np.uint8)
