"""What executor/cpu believes of Warp, by Warp alone: the first tests to fail where a version differs
(docs/reference/warp_contract.md).
"""

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest
import warp as wp
from warp._src import codegen, context
from warp._src.codegen import StructInstance
from warp._src.types import array_t, launch_bounds_t

from newtonlite.core.types import vec10
from newtonlite.solvers.mujoco.executor.cpu.native_call import compiled, loaded


@wp.struct
class Pair:
    count: int
    numbers: wp.array2d[float]


@wp.kernel(module="unique", enable_backward=False, grid_stride=False)
def add_rows(pair: wp.uint64, other: wp.uint64, first: int, last: int):
    rows = wp.array(ptr=pair, shape=(1,), dtype=Pair)
    for i in range(first, last):
        found = rows[0]
        if found.numbers[i, 0] > 0.0:
            found.numbers[i, 1] = found.numbers[i, 1] + wp.sqrt(found.numbers[i, 0])


@pytest.fixture(scope="module")
def code() -> str:
    """The C++ that Warp makes of a kernel."""
    file = Path(compiled(add_rows)[1])
    (source,) = file.parent.glob("*.cpp")
    return source.read_text()


def test_a_kernel_is_entered_with_bounds_and_a_struct_of_its_arguments():
    address, _, _ = compiled(add_rows)
    numbers = wp.array([[4.0, 1.0], [9.0, 1.0], [-1.0, 1.0]], dtype=float, device="cpu")
    view = Pair.ctype()
    view.count, view.numbers = 3, numbers.__ctype__()

    class Arguments(ctypes.Structure):
        _fields_ = [("pair", ctypes.c_uint64), ("other", ctypes.c_uint64), ("first", ctypes.c_int32)]
        _fields_ += [("last", ctypes.c_int32)]

    assert (Arguments.first.offset, Arguments.last.offset) == (16, 20)  # where headers write the worlds to run for
    arguments, bounds = Arguments(ctypes.addressof(view), 0, 1, 3), launch_bounds_t(1)
    enter = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
    enter(ctypes.addressof(bounds), ctypes.addressof(arguments))
    np.testing.assert_array_equal(numbers.numpy()[:, 1], [1, 4, 1])


def test_a_recorded_launch_has_its_bounds_arguments_and_code():
    launch = wp.launch(add_rows, dim=1, inputs=[0, 0, 5, 7], device="cpu", record_cmd=True)
    assert launch.bounds.size == 1
    assert [value.value for value in launch.params[1:]] == [0, 0, 5, 7]
    assert ctypes.cast(launch.hooks.forward, ctypes.c_void_p).value == compiled(add_rows)[0]


def test_an_object_file_is_loaded_and_its_symbols_found():
    _, file, symbol = compiled(add_rows)
    assert loaded(file, symbol) > 0
    with pytest.raises(OSError, match="not an object file"):
        loaded("/dev/null", symbol)


def test_a_struct_has_its_bytes_as_ctypes_and_its_members_types():
    assert [name for name, _ in Pair.ctype._fields_] == ["count", "numbers"]
    assert Pair.vars["numbers"].type.ndim == 2 and Pair.vars["numbers"].type.dtype is wp.float32
    one = Pair()
    one.count = 7
    assert isinstance(one, StructInstance) and one._cls.key.endswith("Pair") and one._ctype.count == 7


def test_an_array_is_an_address_a_shape_and_strides():
    array = wp.zeros((3, 4), dtype=vec10, device="cpu")
    found = array.__ctype__()
    assert isinstance(found, array_t) and found.data == array.ptr
    assert [name for name, *_ in array_t._fields_][:4] == ["data", "grad", "shape", "strides"]
    assert (tuple(found.strides[:2]), tuple(found.shape[:2])) == (array.strides, array.shape)


def test_generated_code_counts_and_accesses_arrays_as_headers_replace_it(code):
    assert re.search(r"wp::range_t var_\d+;", code) and "iter_cmp(" in code and "wp::iter_next(" in code
    assert re.search(r"= wp::range\(", code)
    assert re.search(r"= wp::address\(var_\d+, var_\d+, var_\d+\)", code)
    assert re.search(r"wp::array_store\(var_\d+, var_\d+, var_\d+, var_\d+\)", code)


def test_generated_code_names_numbers_and_truths_as_the_header_of_gangs_replaces_them(code):
    assert re.search(r"wp::float32 var_\d+;", code) and re.search(r"\bbool var_\d+;", code)
    assert re.search(r"wp::sqrt\(var_\d+\)", code) and re.search(r"wp::add\(var_\d+, var_\d+\)", code)


def test_generating_code_holds_a_lock_that_a_fork_may_wait_for():
    lock = codegen._codegen_lock
    with lock, lock:
        pass


def test_modules_know_what_they_were_compiled_from():
    module = add_rows.module
    assert compiled(add_rows) and module.get_module_hash(1) == module.hashers[1].get_hash()
    assert [*module.hashers[1].unique_kernels] and "cpu_compiler_flags" in module.resolved_options[1]
    done = module.execs[None, 1]
    assert Path(done.binary_path).is_file() and (Path(done.binary_path).parent / module._get_meta_name(1)).is_file()
    assert module.get_module_identifier(1) and module.failed_builds == {} and len(module._get_live_kernels()) == 1


def test_a_recording_can_be_paused():
    assert callable(context.capture_pause) and callable(context.capture_resume)
    assert wp.get_device("cpu").is_capturing is False


def test_a_vector_type_says_what_its_numbers_are():
    assert vec10._wp_scalar_type_ is wp.float32
