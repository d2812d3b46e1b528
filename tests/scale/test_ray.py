"""Ray's local cluster of three nodes: workers and nodes go and come, and the digest stays."""

import os
import signal

import pytest

ray = pytest.importorskip("ray", reason="the backend ray needs the extra scale")
cluster_utils = pytest.importorskip("ray.cluster_utils")

from newtonlite.core.errors import ModelError
from newtonlite.scale import ray_backend
from newtonlite.scale.ray_backend import RayPool
from newtonlite.scale.wire import pack
from tests.harness.scale_jobs import WALK, PlainRayWorker, busy, digest, identified, walk
from tests.house.project import ROOT

pytestmark = pytest.mark.filterwarnings("default")  # Ray's own
STORE = 80 << 20
SIZE = {"worlds": 16, "steps": 640}
SLOW = {**SIZE, "rest": 0.1}


@pytest.fixture(scope="module")
def cluster():
    """A cluster of a head without work, and two nodes of one core each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(ROOT))
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        made = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
        nodes = [made.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]
        ray.init(address=made.address, logging_level="ERROR", log_to_driver=False)
        patch.setattr(ray_backend, "RayWorker", PlainRayWorker)
        yield made, nodes
        ray.shutdown()
        made.shutdown()


@pytest.fixture(scope="module")
def reference():
    scheduler, _ = walk(1, 1, spec=SIZE)
    scheduler.run()
    return digest(scheduler)


def job(happens=lambda scheduler, pool: None, shards=3, **options):
    """A scheduler that ran on the cluster; ``happens`` is called again and again meanwhile."""
    seen = []
    pool = RayPool(pack(identified({**WALK, **SLOW})), 2, "cpu")
    scheduler, _ = walk(
        2, shards, spec=SLOW, pool=pool, deliver=lambda s, chunk, _: seen.append((s.number, chunk)), **options
    )
    try:
        scheduler.run(lambda s: happens(s, pool))
    finally:
        pool.close()
    assert len(seen) == len(set(seen)) == 20 * shards
    return scheduler


def test_the_digest_is_that_without_ray(cluster, reference):
    assert digest(job(shards=2)) == reference


def test_an_actor_that_is_killed_changes_nothing(cluster, reference):
    kills = [0.2, 0.5]

    def happens(scheduler, pool):
        if kills and scheduler.share_done > kills[0] and (len(busy(scheduler)) == 2 or len(kills) < 2):
            kills.pop(0)
            os.kill(pool.pid(busy(scheduler)[0]), signal.SIGKILL)

    scheduler = job(happens)
    assert scheduler.lost == 2 and digest(scheduler) == reference


def test_a_node_that_goes_and_one_that_comes_change_nothing(cluster, reference):
    made, nodes = cluster
    steps = []

    def happens(scheduler, pool):
        if not steps and scheduler.share_done > 0.15 and len(busy(scheduler)) == 2:
            made.remove_node(nodes.pop(), allow_graceful=False)
            steps.append("removed")
        if steps == ["removed"] and scheduler.lost:
            nodes.append(made.add_node(num_cpus=1, object_store_memory=STORE))
            steps.append("added")

    scheduler = job(happens)
    assert steps == ["removed", "added"] and scheduler.lost
    assert digest(scheduler) == reference


def test_a_cluster_that_is_connected_to_stays(cluster):
    assert ray.is_initialized()


def test_a_device_that_the_cluster_lacks_is_refused(cluster):
    with pytest.raises(ModelError, match="device='cuda': the cluster has no GPU"):
        RayPool(b"", 1, "cuda")
