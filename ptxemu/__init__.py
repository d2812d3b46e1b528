"""Warp's CUDA kernels, their PTX run on the CPU: see README.md."""

from ptxemu.device import emulated, emulator

__all__ = ["emulated", "emulator"]
