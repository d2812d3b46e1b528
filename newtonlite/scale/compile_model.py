"""Compilation of a model's file to bytes that workers read, in a process of its own: the one who distributes work needs
no engine.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from newtonlite.scale.pipes import send
from newtonlite.scale.wire import pack


def main(settings: str) -> None:
    """Write the message of a compiled model: its sizes and, as the array ``blob``, its bytes. ``settings``: JSON with
    ``file``.
    """
    reply = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from newtonlite.core.warp_log import quiet

    quiet()
    try:
        message = compiled(json.loads(settings)["file"])
    except (ValueError, OSError, RuntimeError) as problem:
        sys.exit(" ".join(str(problem).split()))
    send(reply, [message])


def compiled(file: str) -> bytes:
    """The message of a compiled model."""
    from newtonlite.mjwarp import load
    from newtonlite.scale.worker import as_bytes
    from newtonlite.solvers.mujoco.compile.binary import save_model

    model = load(file)
    with tempfile.TemporaryDirectory() as folder:
        blob = save_model(model, Path(folder) / "model.bin").read_bytes()
    sizes = {name: int(getattr(model, name)) for name in ("nq", "nv", "nu")}
    return pack({**sizes, "timestep": float(model.opt.timestep)}, {"blob": as_bytes(blob)})
