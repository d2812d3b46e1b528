"""General kernels: the CPU kernels of every program with all features, compiled into the kernel cache for any model
(``newtonlite warmup``, and the wheel's).
"""

from newtonlite.solvers.mujoco.executor.cpu import kernel_cache, kernel_chain, thread_pool


def compile_general(programs: list[tuple], packaged: str | None = None) -> int:
    """Compile the CPU kernels of programs (tuples of stages) with all features into the kernel cache; how many it has
    of them. With ``packaged``, a kind of processor, they are for it, and go into the package's own folder; this process
    can run none of them then.
    """
    kernel_cache.target = packaged

    # programs share most of their kernels
    found = dict.fromkeys(part for stages in programs for part in kernel_chain.all_parts(stages))
    kernel_chain.compile_parts([(*part, ()) for part in found])
    thread_pool.compile_pool()

    # gangs with forces have no kernels of all features, and are asked for all the same
    for stages in programs:
        for part in kernel_chain.parts_with_forces(stages):
            kernel_chain.reads_of(part)
    return len(found)
