"""Ray backend: workers are actors on the nodes of a Ray cluster (extra ``scale``).

An actor is not restarted by Ray: the scheduler makes a new one, which Ray places where there is room, on a node that was
added later too. Within a node results are read from Ray's memory without a copy. Ray's own messages are pickles, and who
reaches a cluster's ports may run code there: keep it on a network of your own.
"""

import os

import numpy as np

from newtonlite.core.errors import ModelError
from newtonlite.scale.local import Event, available_cores

OBJECT_STORE = 512 << 20
"""Bytes of Ray's memory, where a cluster of this machine is started."""
MOST_WORDS = 400


class RayWorker:
    """Actor: a worker of a job."""

    def __init__(self, job, device: str | None, threads: int):
        import warp as wp

        from newtonlite.core.warp_log import quiet
        from newtonlite.scale.worker import Worker

        quiet()
        wp.init()
        self.worker = Worker(job, device, threads)

    def hello(self) -> np.ndarray:
        """The worker's fingerprint."""
        return np.frombuffer(self.worker.hello(), np.uint8)

    def answer(self, request, *blobs) -> np.ndarray:
        """The reply to a request."""
        return np.frombuffer(self.worker.answer(request, *blobs), np.uint8)

    def pid(self) -> int:
        """Number of its process."""
        return os.getpid()


class RayPool:
    """Actors for one job, each with ``threads`` cores (one when None), and a GPU of its own where the device is one.

    ``address``: of a cluster, ``auto`` for the one of this machine. Where it is None, the cluster that the program is
    connected to is used, else one of this machine is started, and stopped by ``close``.
    """

    def __init__(
        self,
        job: bytes,
        workers: int,
        device: str | None = None,
        threads: int | None = None,
        address: str | None = None,
    ):
        self.ray, self.workers, self.threads = imported(), workers, threads or 1
        self.own = not self.ray.is_initialized()
        self.dashboard = None
        if self.own:
            self._connect(address)
        gpus = self.ray.cluster_resources().get("GPU", 0)
        if device == "cuda" and not gpus:
            self.close()
            raise ModelError("device='cuda': the cluster has no GPU")
        self.device = ("cuda:0" if gpus else "cpu") if device in (None, "cuda") else device
        self.actor = self.ray.remote(RayWorker).options(
            num_cpus=self.threads,
            num_gpus=1 if self.device.startswith("cuda") else 0,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy="SPREAD",
        )
        self.job = self.share(job)
        self.actors: dict = {}
        self.pending: dict = {}  # (worker, kind of the event) by reference of a result
        self.started = 0

    def _connect(self, address: str | None) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None:
            cores = max(len(available_cores()), self.workers * self.threads)
            options |= {"num_cpus": cores, "object_store_memory": OBJECT_STORE, "include_dashboard": False}
        try:
            context = self.ray.init(address=address, **options)
        except (ConnectionError, RuntimeError, ValueError) as problem:
            raise ModelError(f"--ray {address}: no cluster answers ({short(problem)})") from None
        self.dashboard = context.dashboard_url or None

    def start(self) -> int:
        """Start a worker, as soon as the cluster has room; its number."""
        number, self.started = self.started, self.started + 1
        actor = self.actors[number] = self.actor.remote(self.job, self.device, self.threads)
        self.pending[actor.hello.remote()] = number, "ready"
        return number

    def share(self, data: bytes):
        """Handle of bytes that several requests carry: once in the memory of each node."""
        return self.ray.put(np.frombuffer(data, np.uint8))

    def submit(self, worker: int, request: bytes, blobs: list) -> None:
        """Give a worker a request."""
        self.pending[self.actors[worker].answer.remote(request, *blobs)] = worker, "reply"

    def events(self, timeout: float) -> list[Event]:
        """Events that happened, after at most so many seconds."""
        wait, found = self.ray.wait, []
        done, rest = wait(list(self.pending), timeout=timeout) if self.pending else ([], [])
        if done and rest:
            done += wait(rest, num_returns=len(rest), timeout=0)[0]
        for reference in done:
            worker, kind = self.pending.pop(reference)
            try:
                found.append(Event(kind, worker, self.ray.get(reference)))
            except self.ray.exceptions.RayError as problem:  # also a result that was lost with its node
                found.append(Event("dead", worker, short(problem)))
        return [e for e in found if e.worker in self.actors]

    def stop(self, worker: int) -> None:
        """Kill a worker, or let go of one that is dead."""
        actor = self.actors.pop(worker, None)
        if actor is not None:
            self.ray.kill(actor, no_restart=True)
        self.pending = {r: what for r, what in self.pending.items() if what[0] != worker}

    def close(self) -> None:
        """End all workers, and the cluster that was started for them."""
        if self.ray.is_initialized():
            for number in list(getattr(self, "actors", ())):
                self.stop(number)
            if self.own:
                self.ray.shutdown()

    def pid(self, worker: int) -> int:
        """Number of the process of a worker that is ready."""
        return self.ray.get(self.actors[worker].pid.remote())


def imported():
    """The package ray. ModuleNotFoundError says how to install it."""
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError:
        raise ModuleNotFoundError("the backend 'ray' needs ray: pip install 'newtonlite[scale]'", name="ray") from None
    return ray


def short(problem: Exception) -> str:
    """The message of an error in one line."""
    return " ".join(str(problem).split())[:MOST_WORDS]
