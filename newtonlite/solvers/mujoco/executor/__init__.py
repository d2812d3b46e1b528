"""Executor: turns lists of stages into kernels and runs them over worlds, threads and devices."""
