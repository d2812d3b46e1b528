"""Benchmarks of the project: opponents, runs on the CPU and on a GPU, and what the compiler says. Not installed."""
