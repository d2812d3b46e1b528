"""A program on ``newtonlite.mjwarp`` in the place of MuJoCo Warp: ``python -m newtonlite.mjwarp SCRIPT ...`` or ``-m
MODULE ...``.
"""

import runpy
import sys
from pathlib import Path

from newtonlite.mjwarp.stand_in import stand_in

USAGE = """usage: python -m newtonlite.mjwarp SCRIPT [ARGUMENT ...]
       python -m newtonlite.mjwarp -m MODULE [ARGUMENT ...]

Run a program with newtonlite.mjwarp under the name mujoco_warp. docs/mjlab.md says how mjlab is run."""


def main(argv: list[str]) -> int:
    """Run the program that the arguments name, as Python would."""
    if not argv or argv[0] in ("-h", "--help") or argv == ["-m"]:
        print(USAGE)
        return 0 if argv and argv[0] != "-m" else 2
    stand_in()
    if argv[0] == "-m":
        sys.argv = argv[1:]
        runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
        return 0
    if not Path(argv[0]).is_file():
        print(f"{argv[0]}: no such script; a module is run by -m MODULE", file=sys.stderr)
        return 2
    sys.argv = argv
    sys.path[0] = str(Path(argv[0]).resolve().parent)
    runpy.run_path(argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
