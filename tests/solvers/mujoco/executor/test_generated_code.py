"""Generated code: what is changed in what Warp generates for a GPU."""

import re

import pytest
import warp as wp

from benchmarks.ptx import compile_ptx
from newtonlite.core import warp_internals
from newtonlite.solvers.mujoco.executor.fused_kernel import unique_kernel
from newtonlite.solvers.mujoco.executor.generated_code import DEFINED, define_values

ARCH = 90
CODE = """\
        if (var_3) {
            // force = numbers[i]
            var_5 = wp::address(var_1, var_2);
            var_6 = wp::load(var_5);
            if (var_7) {
                var_8 = wp::add(var_6, var_6);
            }
            var_9 = wp::where(var_7, var_8, var_6);
        }
        if (!var_3) {
            var_10 = wp::copy(var_4);
        }
        var_11 = wp::load(var_12);
        var_13 = wp::where(var_3, var_9, var_10);
        var_14 = wp::where(var_3, var_9, var_2);
        var_15 = wp::where(var_3, var_20, var_21);
        var_16 = wp::mul(var_13, var_14);
        var_17 = wp::where(var_3, var_6, var_16);
"""


def longest(numbers: wp.array2d[float], out: wp.array2d[float]):
    world = wp.tid() // wp.block_dim()
    best = float(0.0)
    for i in range(numbers.shape[1]):
        if numbers[world, i] > 0.0:
            if numbers[world, i] > best:
                best = numbers[world, i]
        else:
            best = best + numbers[world, i]
    out[world, 0] = best


def test_values_that_are_chosen_behind_a_branch_are_set_before_it():
    lines = define_values(CODE).split("\n")
    assert lines[:2] == ["        var_9 = decltype(var_9)();", "        var_10 = decltype(var_10)();"]
    assert lines[2:6] == CODE.split("\n")[:4]
    assert lines[6] == "            var_8 = decltype(var_8)();"
    assert lines[7:] == CODE.split("\n")[4:]


def test_code_without_branches_stays_as_it_is():
    text = "    var_1 = wp::where(var_0, var_2, var_3);\n    if (!var_0) {\n    }"
    assert define_values(text) == text


@pytest.mark.parametrize(("up", "lines"), [(True, False), (True, True), (False, False)])
def test_kernels_in_parts_have_their_values_set(up, lines, monkeypatch, tmp_path):
    """Also where the code says which line of the source each of its own is of."""
    if not warp_internals.used():
        pytest.skip("nothing is changed in generated code with the fence down")
    monkeypatch.setattr(warp_internals, "used", lambda: up)
    monkeypatch.setattr(wp.config, "lineinfo", lines)
    ptx = compile_ptx(unique_kernel(longest, 32, 3, parted=True), ARCH, tmp_path)[0]
    (code,) = (text.read_text() for text in tmp_path.glob("*.cu"))
    forward = code[code.index("cuda_kernel_forward") :]
    assert (DEFINED in code) == up and ("#line" in forward) == lines
    assert len(re.findall(r"(var_\d+) = decltype\(\1\)\(\);", forward)) == (3 if up else 0)
    assert len(re.findall(r"= wp::where\(", forward)) == 2
    assert ptx.stat().st_size


def test_other_kernels_are_left_as_they_are():
    kernel = unique_kernel(longest, 32, 0)
    options = kernel.module.options.get("extra_build_options") or wp.ModuleBuildOptions()
    assert DEFINED not in (options.extra_cuda_preamble or "") and getattr(kernel.module, "of_cuda", None) is None
