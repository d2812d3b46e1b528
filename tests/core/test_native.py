"""Functions of headers as snippets: what is in them, and what Warp makes of them."""

import pytest
import warp as wp

from newtonlite.core.native import header

SHARED = """#pragma once
#define TWICE(x) ((x) * 2)
"""
HEADER = """// Doubles.
#pragma once
#include "shared.h"
#include "{again}"

CUDA_CALLABLE inline static int unused(int x) { return x; }

CUDA_CALLABLE inline static int doubled(int x,
                                        int more) {
    return TWICE(x) + more + OFFSET;
}
"""


@pytest.fixture
def python_file(tmp_path):
    """A Python file with a header beside it, which includes another twice."""
    (tmp_path / "shared.h").write_text(SHARED)
    (tmp_path / "again.h").write_text('#pragma once\n#include "shared.h"\n')
    (tmp_path / "doubles.h").write_text(HEADER.replace("{again}", "again.h"))
    return tmp_path / "doubles.py"


def kernel_of(snippet):
    """A kernel of a module of its own that writes ``doubled(i, 1)`` into its output."""

    @wp.func_native(snippet)
    def doubled(x: int, more: int) -> int: ...

    @wp.kernel(module="unique", enable_backward=False)
    def double_all(out: wp.array[int]):
        i = wp.tid()
        out[i] = doubled(i, 1)

    return double_all


def test_a_function_of_a_header_runs_with_constants_of_python(python_file, device):
    out = wp.zeros(3, dtype=int, device=device)
    wp.launch(kernel_of(header(python_file, OFFSET=10)("doubled")), 3, outputs=[out], device=device)
    assert out.numpy().tolist() == [11, 13, 15]


def test_what_is_included_twice_is_there_once_and_macros_end_with_the_snippet(python_file):
    snippet = header(python_file)("doubled")
    assert snippet.count("#define TWICE") == 1
    assert "#undef TWICE" in snippet
    assert "#include" not in snippet


def test_a_program_is_another_one_when_an_included_header_changes(python_file):
    before = kernel_of(header(python_file, OFFSET=0)("doubled")).module.get_module_hash()
    assert kernel_of(header(python_file, OFFSET=0)("doubled")).module.get_module_hash() == before
    (python_file.parent / "shared.h").write_text(SHARED.replace("* 2", "* 4 / 2"))
    assert kernel_of(header(python_file, OFFSET=0)("doubled")).module.get_module_hash() != before


def test_a_function_that_is_not_there_is_named(python_file):
    with pytest.raises(LookupError, match="doubles.h: no function tripled"):
        header(python_file)("tripled")


def test_a_header_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.h"):
        header(tmp_path / "nothing.py")


def test_a_header_chooses_between_versions_where_it_stands(tmp_path, device):
    (tmp_path / "one.h").write_text("#pragma once\nCUDA_CALLABLE inline static int twice(int x) { return x + x; }\n")
    (tmp_path / "other.h").write_text("#pragma once\nCUDA_CALLABLE inline static int twice(int x) { return 0; }\n")
    (tmp_path / "doubles.h").write_text(
        '// Doubles.\n#pragma once\n\n#if 1\n#include "one.h"\n#else\n#include "other.h"\n#endif\n\n'
        "CUDA_CALLABLE inline static int doubled(int x, int more) {\n    return twice(x) + more;\n}\n"
    )
    out = wp.zeros(3, dtype=int, device=device)
    wp.launch(kernel_of(header(tmp_path / "doubles.py")("doubled")), 3, outputs=[out], device=device)
    assert out.numpy().tolist() == [1, 3, 5]


def test_a_header_below_a_condition_is_not_included_elsewhere(tmp_path):
    (tmp_path / "one.h").write_text("#pragma once\n")
    (tmp_path / "some.h").write_text('#pragma once\n#if 1\n#include "one.h"\n#endif\n#include "one.h"\n')
    with pytest.raises(ValueError, match=r"some\.h: includes one\.h"):
        header(tmp_path / "some.py")
