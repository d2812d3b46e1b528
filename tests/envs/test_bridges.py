"""Bridges: torch tensors and JAX arrays are the environment's memory."""

import numpy as np
import pytest
import warp as wp

from newtonlite.envs import Environment, bridges, tasks

WORLDS = 5


@pytest.fixture(scope="module")
def env():
    return Environment(tasks.load("cartpole"), WORLDS, seed=0)


@pytest.fixture(params=["torch", "jax"])
def bridge(request):
    """(function of one array, function of all results, address of what they return)."""
    pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    if request.param == "torch":
        return bridges.tensor, bridges.tensors, lambda t: t.data_ptr()
    return bridges.jax_array, bridges.jax_arrays, lambda a: a.unsafe_buffer_pointer()


def base(shown):
    return shown.base if isinstance(shown, bridges.Indexed) else shown


def numbers(shown):
    return np.asarray(shown.gather() if isinstance(shown, bridges.Indexed) else shown)


def test_results_share_their_memory_and_follow_steps(env, bridge):
    _, every, address = bridge
    shown = every(env)
    assert {"observation/policy", "reward", "truncated", "qvel", "ctrl"} <= shown.keys()
    for step in range(2):
        env.step(np.full((WORLDS, 1), 0.3 + step, np.float32))
        for name, array in bridges.results(env).items():
            assert address(base(shown[name])) == array.ptr, name
            assert np.array_equal(numbers(shown[name]), array.numpy()), name


@pytest.mark.parametrize("chosen", [(None, [0, 3, 1]), ([4, 2], None), ([4, 2, 0], [1, 3])])
def test_indexed_arrays_are_a_base_and_indices(bridge, chosen):
    one, _, address = bridge
    data = wp.array(np.arange(20, dtype=np.float32).reshape(5, 4), device="cpu")
    indices = [None if i is None else wp.array(i, dtype=int, device="cpu") for i in chosen]
    array = wp.indexedarray(data, indices)
    shown = one(array)
    assert address(shown.base) == data.ptr
    assert np.array_equal(np.asarray(shown.gather()), array.numpy())


def test_what_is_scattered_is_in_the_array():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    data = wp.zeros((3, 4), dtype=float, device="cpu")
    array = wp.indexedarray(data, [None, wp.array([3, 0], dtype=int, device="cpu")])
    bridges.tensor(array).scatter(torch.tensor([[1.0, 2.0]]))
    assert data.numpy().tolist() == [[2.0, 0.0, 0.0, 1.0]] * 3
