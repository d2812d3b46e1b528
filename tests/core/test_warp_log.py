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


START = """
import os
import warp as wp
from newtonlite.core import warp_log
warp_log.wp = wp
init = wp.init
def noisy():
    os.write(2, b"Warp CUDA warning: Could not find or load the NVIDIA CUDA driver. GPU execution will not be available.\\n")
    os.write(2, b"something else\\n")
    init()
wp.init = noisy
warp_log.quiet()
warp_log.start()
os.write(2, b"afterwards\\n")
"""


def test_a_machine_without_a_gpu_is_no_news_and_all_else_is_said():
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True)
    said = [line for line in done.stderr.splitlines() if "Python 3.10" not in line]  # Warp's, where it is that one
    assert said == ["something else", "afterwards"]


def test_a_program_without_standard_error_starts():
    program = "import os; os.close(2)\nfrom newtonlite.core.warp_log import start\nstart()\nprint('up')"
    assert said(program).endswith("up\n")
