"""Command-line options that several commands share, and the model a command is given."""

import argparse
from pathlib import Path

from newtonlite import models
from newtonlite.core.numerals import whole
from newtonlite.envs.control_signal import KINDS


def positive_integer(text: str) -> int:
    """An integer of at least one."""
    try:
        value = whole(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, got {text!r}") from None
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


def model_argument(parser) -> None:
    """MODEL."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help=f"an MJCF, URDF or USD file, or one of the packaged models: {', '.join(models.names())}",
    )


def size_arguments(parser, worlds: int, steps: int) -> None:
    """Add the arguments for worlds, steps, device and capacities; aliases are the names mjwarp-testspeed has."""
    parser.add_argument(
        "--worlds",
        "--nworld",
        type=positive_integer,
        default=worlds,
        metavar="N",
        help="copies of the model (%(default)s)",
    )
    parser.add_argument(
        "--steps", "--nstep", type=positive_integer, default=steps, metavar="N", help="time steps (%(default)s)"
    )
    parser.add_argument("--device", default=None, help="cpu, cuda:0, ... (default: the GPU if there is one)")
    parser.add_argument(
        "--threads", type=positive_integer, default=None, metavar="N", help="CPU threads (default: all cores)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides everything random (%(default)s)")
    parser.add_argument(
        "--nconmax",
        type=positive_integer,
        default=None,
        metavar="N",
        help="contacts a world has room for (default: estimated)",
    )
    parser.add_argument(
        "--njmax",
        type=positive_integer,
        default=None,
        metavar="N",
        help="constraint rows a world has room for (default: estimated)",
    )


def control_argument(parser, default: str) -> None:
    """--control."""
    parser.add_argument(
        "--control",
        choices=KINDS,
        default=default,
        help="nothing, uniform noise, or an Ornstein-Uhlenbeck process (%(default)s)",
    )


def model_file(name: str) -> Path:
    """The file a MODEL argument means: a path, else a packaged model; ValueError where it is neither."""
    path = Path(name)
    if path.is_file():
        return path
    if name in models.names():
        return models.path(name)
    if path.is_dir():
        raise ValueError(f"{name}: a folder; name a file in it: MJCF, URDF or USD")
    raise ValueError(
        f"{name}: no such file, and no packaged model has this name (there are: {', '.join(models.names())})"
    )
