"""Archives: what they declare decides, before anything is unpacked."""

import io
import zipfile

import numpy as np
import pytest

from newtonlite.core import limits
from newtonlite.core.archive import BROKEN, Archive


def header(shape, descr="|u1", fortran=False) -> bytes:
    """The header of an array."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": fortran, "shape": shape})
    return out.getvalue()


def made(members: dict[str, bytes]) -> io.BytesIO:
    """A zip file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out


def test_arrays_come_back():
    values = np.arange(12.0).reshape(3, 4)
    out = io.BytesIO()
    np.savez_compressed(out, a=values, b=values.T, c=np.array(7), d=np.zeros((0, 3)))
    archive = Archive(out, "recording")
    assert archive.names == {"a.npy", "b.npy", "c.npy", "d.npy"}
    for name, want in {"a": values, "b": values.T, "c": np.array(7), "d": np.zeros((0, 3))}.items():
        got = archive.array(name)
        assert got.dtype == want.dtype and np.array_equal(got, want) and got.flags.writeable


BAD = {
    "more than its length": header((1 << 40,)) + b"x",
    "less than its length": header((4,)) + b"x",
    "objects": header((1,), "|O") + b"x" * 8,
    "text": header((1,), "<U4") + b"x" * 16,
    "negative": header((-4,)),
    "huge product": header((1 << 31, 1 << 31, 1 << 31)),
    "no header": b"x" * 100,
    "nothing": b"",
    "code in the header": b"\x93NUMPY\x01\x00\x20\x00" + b"__import__('os').abort()".ljust(32),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_header_that_does_not_agree_with_its_member_is_refused(kind):
    with pytest.raises(BROKEN):
        Archive(made({"a.npy": BAD[kind]}), "recording").array("a")


def test_an_archive_that_unpacks_to_much_more_than_it_is_is_refused(monkeypatch):
    monkeypatch.setitem(limits.LIMITS, "unpacked", limits.Limit(1000, "bytes", "a test"))
    with pytest.raises(ValueError, match="bytes and unpacks to 1000000; at most"):
        Archive(made({"a.npy": bytes(1_000_000)}), "recording")
    Archive(made({"a.npy": np.random.default_rng(0).bytes(1_000_000)}), "recording")


def test_members_of_other_names_and_of_one_name_twice_are_refused():
    with pytest.raises(ValueError, match="'junk' is no part"):
        Archive(made({"a": b"", "junk": b""}), "recording").expect({"a"})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a", b"")
        archive.writestr("a", b"")
    with pytest.raises(ValueError, match="some of one name"):
        Archive(out, "recording")
