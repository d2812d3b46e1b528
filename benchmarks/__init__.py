"""Benchmarks of the project: opponents, runs on the CPU and on a GPU, and what the compiler says. Not installed."""

import warp as wp

wp.config.log_level = wp.LOG_WARNING
