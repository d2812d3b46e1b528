"""Standard output is the program's: Warp announces neither itself nor its kernels there."""

import subprocess
import sys

PROGRAM = """
import newtonlite as nl
b = nl.ModelBuilder()
b.add_shape_box(b.add_body(), hx=.1, hy=.1, hz=.1)
b.finalize(device="cpu").state()
print("mine")
"""


def said(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_a_program_says_what_it_prints():
    assert said(PROGRAM) == "mine\n"


def test_who_asks_for_warps_lines_gets_them():
    program = PROGRAM.replace("b = nl", "import warp as wp\nnl.ModelBuilder\nwp.config.log_level = wp.LOG_INFO\nb = nl")
    assert said(program).startswith("Warp")
