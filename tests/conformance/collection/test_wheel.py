"""Wheels are unpacked safely: nothing is written outside of the folder, and nothing of a wheel that lies."""

import stat
import zipfile

import pytest

from conformance.collection import wheel
from conformance.collection.wheel import unpack
from newtonlite.core.errors import FileError

MODEL = "<mujoco/>"


@pytest.fixture
def archive(tmp_path):
    """Makes a wheel of members: texts by name, or by ZipInfo."""

    def make(members) -> None:
        with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as file:
            for name, text in members:
                file.writestr(name, text)
        return tmp_path / "a.whl"

    return make


def test_models_below_the_roots_are_written_and_no_code(archive, tmp_path):
    members = [
        ("robots/a/arm.xml", MODEL),
        ("robots/a/arm.STL", "solid"),
        ("robots/run.py", "1"),
        ("other/b.xml", MODEL),
    ]
    found = unpack(archive(members), tmp_path / "out", ("robots/",))
    assert [path.relative_to(tmp_path / "out").as_posix() for path in found] == ["robots/a/arm.xml", "robots/a/arm.STL"]
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.*")) == ["arm.STL", "arm.xml"]


@pytest.mark.parametrize(
    "name", ["../arm.xml", "/arm.xml", "robots/../../arm.xml", "robots\\..\\arm.xml", "C:/arm.xml"]
)
def test_a_member_that_leaves_the_folder_is_an_error(archive, tmp_path, name):
    with pytest.raises(FileError, match="leaves the folder"):
        unpack(archive([("robots/ok.xml", MODEL), (name, MODEL)]), tmp_path / "out", ("",))
    assert not (tmp_path / "out").exists() and not (tmp_path / "arm.xml").exists()


def test_a_link_is_an_error(archive, tmp_path):
    link = zipfile.ZipInfo("robots/arm.xml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(FileError, match="is a link"):
        unpack(archive([(link, "/etc/passwd")]), tmp_path / "out", ("robots/",))


def test_names_that_differ_by_capitals_alone_are_an_error(archive, tmp_path):
    with pytest.raises(FileError, match="is there twice"):
        unpack(archive([("r/a.xml", MODEL), ("r/A.xml", MODEL)]), tmp_path / "out", ("r/",))


def test_sizes_are_judged_before_anything_is_written(archive, tmp_path, monkeypatch):
    bomb = archive([("r/a.xml", "<!--" + " " * 3_000_000 + "-->")])
    with pytest.raises(FileError, match="is too large"):
        unpack(bomb, tmp_path / "out", ("r/",))
    monkeypatch.setattr(wheel, "MOST_MEMBERS", 1)
    with pytest.raises(FileError, match="more than 1 members"):
        unpack(archive([("r/a.xml", MODEL), ("r/b.xml", MODEL)]), tmp_path / "out", ("r/",))
    assert not (tmp_path / "out").exists()


def test_what_is_no_archive_or_is_damaged_leaves_the_older_files(archive, tmp_path):
    unpack(archive([("r/a.xml", MODEL)]), tmp_path / "out", ("r/",))
    broken = tmp_path / "b.whl"
    whole = archive([("r/a.xml", MODEL * 1000)]).read_bytes()
    for data in (b"", b"no archive", whole[: len(whole) // 2]):
        broken.write_bytes(data)
        with pytest.raises(FileError, match="b.whl"):
            unpack(broken, tmp_path / "out", ("r/",))
        assert (tmp_path / "out" / "r" / "a.xml").read_text() == MODEL
        assert not (tmp_path / "out.part").exists()


def test_any_flipped_bit_is_an_error_or_changes_no_text(archive, tmp_path):
    whole = archive([("r/a.xml", MODEL * 20)]).read_bytes()
    broken, refused = tmp_path / "b.whl", 0
    for at in range(len(whole)):
        broken.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        try:
            found = unpack(broken, tmp_path / "out", ("r/",))
        except FileError:
            refused += 1
        else:
            assert [path.read_text() for path in found] in ([], [MODEL * 20]), at
    assert refused > 50
