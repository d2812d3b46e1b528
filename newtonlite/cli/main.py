"""The ``newtonlite`` command: finds the subcommand, reads its arguments, turns errors into one line and exit code 2."""

import argparse
import importlib
import os
import sys
import warnings

from newtonlite import __version__
from newtonlite.core.numerals import real, whole

COMMANDS = {
    "rollout": "simulate many copies of a model and say how fast and how well it went",
    "bench": "race the engine against others on the same work",
    "testspeed": "speed of a function of MuJoCo Warp's, with the options of mjwarp-testspeed",
    "view": "show a simulation, a task, or a recording in the browser, or draw a picture",
    "inspect": "say what a model file holds, what was made of it, and which masses look wrong",
    "convert": "write a model as canonical MJCF, or in an exact binary form",
    "envs": "list the packaged tasks to learn",
    "train": "train a policy on a task by PPO",
    "sweep": "train many times, with other settings or seeds, over workers",
    "play": "roll out a trained policy: returns, a picture, ONNX; or watch it in the browser",
    "doctor": "say what is installed, which devices there are, what is missing",
    "warmup": "compile kernels ahead of time: the CPU's for any model, or a model's for GPUs, on a machine with or without one",
    "demo": "256 humanoids with random control, and a picture of some of them",
}
OUTSIDE = "NEWTONLITE_ALLOW_OUTSIDE"
"""Whether models may read what is not below the folder above their own: 0 is no."""
USER_ERRORS = (ValueError, OSError, RuntimeError, ModuleNotFoundError)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; numbers are digits, signs and points."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for kind, read in ((int, whole), (float, real)):
            self.register("type", kind, read)

    def error(self, message: str):
        """Print the message and leave with exit code 2."""
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """The command without a subcommand: help alone."""
    listing = "\n".join(f"  {name:<9} {text}" for name, text in COMMANDS.items())
    top = Parser(
        prog="newtonlite",
        description="Many copies of articulated robots at once, on one GPU or on CPU cores.",
        epilog=f"commands:\n{listing}\n\nnewtonlite COMMAND --help explains each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="one of the commands below")
    top.add_argument("--version", action="version", version=f"newtonlite {__version__}")
    return top


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    name = parser().parse_args(argv[:1]).command
    command = importlib.import_module(f"newtonlite.cli.{name}")
    own = Parser(prog=f"newtonlite {name}", description=COMMANDS[name])
    command.arguments(own)
    if own.get_default("json") is None:
        own.add_argument("--json", action="store_true", help="end with one line of JSON")
    own.add_argument(
        "--no-outside",
        action="store_true",
        help="for files that you do not trust: read nothing outside the folder above a model's own",
    )
    args = own.parse_args(argv[1:])
    from newtonlite.core.warp_log import quiet, start

    quiet()
    if not getattr(args, "workers", None):
        start()  # who only shares out work leaves Warp, and a GPU's memory, to the workers
    before = os.environ.get(OUTSIDE)
    if args.no_outside:
        os.environ[OUTSIDE] = "0"  # processes that a command starts read it too
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: print(
                f"newtonlite {name}: warning: {one_line(message)}", file=sys.stderr
            )
            return command.run(args)
    except KeyboardInterrupt:
        return 130
    except USER_ERRORS as problem:
        print(f"newtonlite {name}: {one_line(problem)}", file=sys.stderr)
        return 2
    finally:
        if args.no_outside:
            os.environ.pop(OUTSIDE)
            os.environ.update({} if before is None else {OUTSIDE: before})


def one_line(problem: Exception) -> str:
    """The message of an error or a warning, its lines joined."""
    return " ".join(str(problem).split()) or type(problem).__name__


if __name__ == "__main__":
    sys.exit(main())
