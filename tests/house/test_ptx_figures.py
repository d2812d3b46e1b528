"""What ptxas says of a module becomes figures: of kernels, and of functions that are not inlined, which it lists behind them."""

from benchmarks import ptx_soft
from benchmarks.ptx import figures
from conformance.emulate_whole import ALL

ARCH = 90

SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'one' for 'sm_90'
ptxas info    : Function properties for one
    96 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 200 bytes cumulative stack size, 384 bytes smem
ptxas info    : Compile time = 70.032 ms
ptxas info    : Function properties for part_of_one
    104 bytes stack frame, 92 bytes spill stores, 100 bytes spill loads
ptxas info    : Compiling entry function 'two' for 'sm_90'
ptxas info    : Function properties for two
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 64 registers, used 0 barriers
"""


def test_the_spills_of_functions_that_are_not_inlined_count():
    assert figures(SAID) == {"registers": 64, "stack": 200, "spill_stores": 92, "spill_loads": 100, "shared": 384}


def test_a_module_without_kernels_has_no_figures():
    assert figures("ptxas info    : 0 bytes gmem\n") == {}


def test_kernels_of_soft_scenes_spill_no_more_than_is_listed():
    record = ptx_soft.recorded(ARCH)
    measured = {name for kernels in record["scenes"].values() for name in kernels}
    assert measured >= {"flex", "flexforce", "contact", "constraint", "stiffness", "integrate"}
    assert set(record["scenes"]) <= set(ALL)
    assert ptx_soft.beyond(record) == []
