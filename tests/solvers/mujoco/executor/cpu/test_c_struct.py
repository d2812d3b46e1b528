"""Structs of headers as ctypes structures."""

import ctypes

import pytest
from warp._src.types import array_t

from newtonlite.solvers.mujoco.executor.cpu import gang, island_call, kernel_chain, thread_pool
from newtonlite.solvers.mujoco.executor.cpu.c_struct import c_struct

HEADER = """// Two structs.
#pragma once

struct Part {
    char* data;  // where it is; and (how) far
    long long size;
};

struct Whole {
    const void* const* entries;
    const int *first, *last;
    unsigned long long* sets;
    Part in, out;
    Floats numbers;
    wp::array_t<char> bytes;
    int *place, count,
        more;

    INLINE int both() const { return count + more; }
};


struct Strange {
    unsigned short bits;
};

struct Unknown {
    short bits;
};
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "structs.h"
    path.write_text(HEADER)
    return path


def test_members_have_the_types_and_places_of_c(file):
    whole = c_struct(file, "Whole")
    assert [
        name for name, _ in whole._fields_
    ] == "entries first last sets in out numbers bytes place count more".split()
    assert whole.first.offset == 8 and getattr(whole, "in").offset == 32 and whole.out.offset == 48
    assert whole.numbers.offset == 64 and whole.bytes.offset == 64 + ctypes.sizeof(array_t)
    assert whole.more.offset == whole.count.offset + 4 and whole.place.offset == 64 + 2 * ctypes.sizeof(array_t)


def test_a_struct_that_is_not_there_is_named(file):
    with pytest.raises(LookupError, match=r"structs\.h: no struct Absent"):
        c_struct(file, "Absent")


def test_a_declaration_that_python_does_not_know_is_shown(file):
    with pytest.raises(LookupError, match=r"structs\.h: 'unsigned short bits' is no declaration"):
        c_struct(file, "Strange")


def test_a_value_for_no_member_is_refused(file):
    with pytest.raises(TypeError, match="Part: no member length"):
        c_struct(file, "Part")(data=None, length=3)


def test_a_type_that_python_does_not_know_is_named(file):
    with pytest.raises(LookupError, match=r"structs\.h: short is no type"):
        c_struct(file, "Unknown")


@pytest.mark.parametrize(
    "struct, size",
    [(kernel_chain.Chain, 56), (gang.Field, 32), (gang.Gang, 56), (thread_pool.Control, 48), (island_call.Place, 16)],
)
def test_structs_of_the_executor_are_as_large_as_in_c(struct, size):
    assert ctypes.sizeof(struct) == size


def test_an_island_call_has_arrays_of_worlds_and_of_an_island():
    assert len(island_call.PROBLEM) == 16 and island_call.PROBLEM[0] == "nefc"
    assert {"nisland", "H", "qfrc_constraint"} <= set(island_call.WORLD)
