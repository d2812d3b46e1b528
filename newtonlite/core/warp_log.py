"""Log of Warp: kept off standard output, which belongs to the program."""

import os
import sys
import tempfile

import warp as wp

EXPECTED = ("Could not find or load the NVIDIA CUDA driver", "Unable to determine CUDA driver version")
"""Lines of Warp's library on a machine without a GPU, each time it starts."""


def quiet() -> None:
    """Keep Warp from announcing itself and each kernel it loads; warnings stay. A level that somebody chose stays too,
    so ``wp.config.log_level = wp.LOG_INFO`` after the import brings the lines back.
    """
    if wp.config.log_level == wp.LOG_INFO:
        wp.config.log_level = wp.LOG_WARNING


def start() -> None:
    """Start Warp without its warning that there is no GPU, for a program that has no other threads yet: ``newtonlite doctor``
    says so too. What else its library writes to standard error comes after it has started.
    """
    # the library writes to the descriptor, not to Python's stream
    with tempfile.TemporaryFile() as said:
        try:
            sys.stderr.flush()
            kept = os.dup(2)
        except (OSError, AttributeError, ValueError):  # a program without standard error
            wp.init()
            return
        try:
            os.dup2(said.fileno(), 2)
            wp.init()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        said.seek(0)
        for line in said:
            if not any(text.encode() in line for text in EXPECTED):
                os.write(2, line)
