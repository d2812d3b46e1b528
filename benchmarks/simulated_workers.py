"""Simulated workers: a pool without processes, whose workers answer within the program, and die at chosen instants.

``SimulatedPool(job, 1000, StubWorker)`` shows what a thousand workers do to the one who distributes work; with
``newtonlite.scale.worker.Worker`` the shards are real, and losses at chosen instants are the same in every run.
"""

import random

import numpy as np

from newtonlite.scale.local import Event
from newtonlite.scale.wire import pack, unpack


class StubWorker:
    """Worker without a simulation: a result is a table of zeros, ``[steps, worlds, width]``, and links."""

    def __init__(self, job, width: int = 90):
        self.width = width

    def hello(self) -> bytes:
        return pack({"fingerprint": {"worker": "stub"}})

    def answer(self, request, *blobs) -> bytes:
        head = unpack(request, check=False)[0]
        count = head["worlds"][1]
        arrays = {"links": np.zeros((count, 32), np.uint8)}
        if head["rows"]:
            arrays["rows"] = np.zeros((head["orders"][-1]["steps"], count, self.width), np.float32)
        if head["state"]:
            arrays["checkpoint"] = np.zeros(1000 * count, np.uint8)
        facts = {"shard": head["shard"], "chunk": head["chunk"], "facts": {"overflows": 0}, "digest": "0"}
        return pack({**facts, "repeated": 0, "seconds": 0.1}, arrays)


class SimulatedPool:
    """``workers`` workers for a job. Every call of ``events`` lets one of them, chosen by ``seed``, do its next piece of
    work; ``deaths`` are the numbers of calls at which one dies, ``silent`` workers that never answer.
    """

    dashboard, threads = None, 1

    def __init__(self, job: bytes, workers: int, make, *, seed: int = 0, deaths=(), silent=(), step: int = 1):
        self.job, self.workers, self.make, self.step = job, workers, make, step
        self.chance, self.deaths, self.silent = random.Random(seed), set(deaths), set(silent)
        self.started = self.calls = 0
        self.held: dict = {}
        self.waiting: dict = {}
        self.most = 0  # chunks of one worker under way
        self.stopped: list = []

    def start(self) -> int:
        number, self.started = self.started, self.started + 1
        self.held[number] = self.make(self.job)
        self.waiting[number] = [None]
        return number

    def share(self, data: bytes) -> bytes:
        return data

    def submit(self, worker: int, request: bytes, blobs: list) -> None:
        self.waiting[worker].append((request, blobs))
        self.most = max(self.most, len(self.waiting[worker]))

    def events(self, timeout: float) -> list:
        self.calls += 1
        if self.calls in self.deaths and self.held:
            number = self.chance.choice(sorted(self.held))
            return [Event("dead", number, "killed")]
        found = []
        for _ in range(self.step):
            able = [n for n in self.held if self.waiting[n] and (n not in self.silent or self.waiting[n][0] is None)]
            if not able:
                break
            number = self.chance.choice(sorted(able))
            task = self.waiting[number].pop(0)
            worker = self.held[number]
            if task is None:
                found.append(Event("ready", number, worker.hello()))
            else:
                found.append(Event("reply", number, worker.answer(task[0], *task[1])))
        return found

    def stop(self, worker: int) -> None:
        self.stopped.append(worker)
        self.held.pop(worker, None)
        self.waiting.pop(worker, None)

    def close(self) -> None:
        for number in list(self.held):
            self.stop(number)
