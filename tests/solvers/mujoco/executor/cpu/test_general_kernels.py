"""Kernels for any model: whatever a call of the CPU enters is compiled ahead, also what enters gangs and islands."""

import inspect

import warp as wp

from newtonlite.solvers.mujoco.executor.cpu import (
    gang,
    general_kernels,
    island_call,
    kernel_cache,
    kernel_chain,
    thread_pool,
)

NUMBERS = {wp.uint64, int}


def entries() -> set[str]:
    """Functions of the CPU's backend that are kernels of numbers."""
    found = set()
    for module in (gang, island_call, kernel_chain, thread_pool):
        for name, function in vars(module).items():
            if inspect.isfunction(function) and not name.startswith("_") and function.__module__ == module.__name__:
                kinds = [one.annotation for one in inspect.signature(function).parameters.values()]
                if kinds and kinds[0] is wp.uint64 and set(kinds) <= NUMBERS:
                    found.add(name)
    return found


def test_everything_that_is_entered_by_its_address_is_compiled_ahead(monkeypatch):
    asked = []
    for module in (kernel_chain, thread_pool):
        monkeypatch.setattr(module, "native_code", lambda function: asked.append(function.__name__))
    monkeypatch.setattr(kernel_cache, "target", None)
    general_kernels.compile_general([])
    assert entries() == set(asked) and {"gang_step", "chain_kernel", "worker"} <= set(asked)
