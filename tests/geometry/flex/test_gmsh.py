"""Gmsh files: the four forms that are read hold the same mesh, and damaged ones are refused."""

import struct

import numpy as np
import pytest

from newtonlite.geometry.flex.gmsh import is_gmsh, read_gmsh
from tests import oracle

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
ELEMENTS = np.array([[1, 2, 3, 4], [2, 3, 4, 5]])
TAGS = range(1, 6)


def head(version: str, binary: int) -> bytes:
    """The opening section."""
    mark = struct.pack("<i", 1) + b"\n" if binary else b""
    return b"$MeshFormat\n" + f"{version} {binary} 8\n".encode() + mark + b"$EndMeshFormat\n"


def text(*rows) -> bytes:
    """Rows of numbers as text."""
    return "".join(" ".join(map(str, row)) + "\n" for row in rows).encode()


def sections(nodes: bytes, elements: bytes) -> bytes:
    """Both sections."""
    return b"$Nodes\n" + nodes + b"$EndNodes\n$Elements\n" + elements + b"$EndElements\n"


def ascii_22() -> bytes:
    nodes = text([5], *([t, *p] for t, p in zip(TAGS, POINTS, strict=True)))
    return head("2.2", 0) + sections(nodes, text([2], *([k, 4, 2, 1, 1, *e] for k, e in enumerate(ELEMENTS, 1))))


def binary_22() -> bytes:
    nodes = b"5\n" + b"".join(struct.pack("<i3d", t, *p) for t, p in zip(TAGS, POINTS, strict=True))
    rows = b"".join(struct.pack("<7i", k, 1, 1, *e) for k, e in enumerate(ELEMENTS.tolist(), 1))
    return head("2.2", 1) + sections(nodes + b"\n", b"2\n" + struct.pack("<3i", 4, 2, 2) + rows + b"\n")


def ascii_41() -> bytes:
    nodes = text([1, 5, 1, 5], [3, 1, 0, 5], *([t] for t in TAGS), *POINTS)
    return head("4.1", 0) + sections(
        nodes, text([1, 2, 1, 2], [3, 1, 4, 2], *([k, *e] for k, e in enumerate(ELEMENTS, 1)))
    )


def binary_41() -> bytes:
    nodes = struct.pack("<4q3iq5q", 1, 5, 1, 5, 3, 1, 0, 5, *TAGS) + POINTS.tobytes()
    rows = b"".join(struct.pack("<5q", k, *e) for k, e in enumerate(ELEMENTS.tolist(), 1))
    return head("4.1", 1) + sections(nodes, struct.pack("<4q3iq", 1, 2, 1, 2, 3, 1, 4, 2) + rows)


FORMS = {"2.2 as text": ascii_22, "2.2 binary": binary_22, "4.1 as text": ascii_41, "4.1 binary": binary_41}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_hold_the_same_mesh(form):
    data = FORMS[form]()
    points, elements = read_gmsh(data)
    assert is_gmsh(data)
    np.testing.assert_array_equal(points, POINTS)
    np.testing.assert_array_equal(elements, ELEMENTS - 1)


@pytest.mark.parametrize("form", FORMS)
def test_files_that_are_cut_short_are_refused(form):
    data = FORMS[form]()
    for end in range(0, len(data) - 14, 7):
        with pytest.raises((ValueError, IndexError)):
            read_gmsh(data[:end])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"2.2 0", b"3.0 0", "version 3"),
        (b"1 4 2 1 1 1 2 3 4", b"1 4 2 1 1 1 2 3 9", "names point 9"),
        (b"1 4 2 1 1 1 2 3 4", b"1 5 2 1 1 1 2 3 4", "kind 5"),
        (b"$Nodes\n5\n", b"$Nodes\n900000000\n", "declares 900000000 points"),
        (b"1 1.0 0.0 0.0", b"1 nan 0.0 0.0", "not finite"),
    ],
)
def test_what_makes_no_mesh_is_refused(old, new, words):
    data = ascii_22().replace(b"2 1.0 0.0 0.0", b"2 1.0 0.0 0.0")
    assert old in data or b"1.0" in old
    with pytest.raises(ValueError, match=words):
        read_gmsh(data.replace(old, new) if old in data else data.replace(b"1 0.0 0.0 0.0", b"1 nan 0.0 0.0", 1))


def test_points_beyond_single_precision_are_refused():
    with pytest.raises(ValueError, match="beyond single precision"):
        read_gmsh(ascii_22().replace(b"0.0", b"1e39", 1))


SCENE = '<mujoco><worldbody><flexcomp name="a" type="gmsh" file="a.msh" dim="3" radius=".001"/></worldbody></mujoco>'
CHANGES = {
    "2.2 as text": [
        ("$Nodes\n5\n", "$Nodes\n5 "),
        ("$Nodes\n5\n", "$Nodes\n"),
        ("$Nodes\n5\n", "$Nodes\n4\n"),
        ("$Elements\n2\n", "$Elements\n2 "),
        ("$Elements\n2\n", "$Elements\n"),
        ("$Elements\n2\n", "$Elements\n\n2\n"),
        ("$Elements\n2\n", "$Elements\n1\n"),
        ("$Elements\n2\n", "$Elements\n3\n"),
        ("1 0.0 0.0 0.0\n2 1.0 0.0 0.0", "2 0.0 0.0 0.0\n1 1.0 0.0 0.0"),
        ("1 0.0 0.0 0.0", "20 0.0 0.0 0.0"),
    ],
    "4.1 as text": [
        ("1 5 1 5", "1 5 1 100"),
        ("1 5 1 5", "1 5 2 5"),
        ("1 5 1 5", "1 6 1 5"),
        ("3 1 0 5", "3 1 0 4"),
        ("\n1\n2\n3\n", "\n2\n1\n3\n"),
        ("1 2 1 2", "1 2 1 100"),
        ("1 2 1 2", "1 3 1 2"),
        ("1 2 1 2", "1 1 1 2"),
        ("3 1 4 2", "3 1 4 1"),
        ("1 2 1 2\n3 1 4 2\n1 1 2 3 4\n", "2 2 1 2\n3 1 4 1\n1 1 2 3 4\n3 1 4 1\n"),
    ],
}
"""Changes of the files, some of which MuJoCo takes."""


@pytest.mark.parametrize(
    ("form", "old", "new"), [(form, *change) for form, changes in CHANGES.items() for change in changes]
)
def test_mujoco_takes_the_same_files_and_finds_the_same_mesh(form, old, new, tmp_path):
    data = FORMS[form]()
    assert old.encode() in data
    data = data.replace(old.encode(), new.encode(), 1)
    (tmp_path / "a.msh").write_bytes(data)
    (tmp_path / "a.xml").write_text(SCENE)
    try:
        truth = oracle.compile_xml(tmp_path / "a.xml")
    except ValueError:
        with pytest.raises(ValueError):
            read_gmsh(data)
        return
    points, elements = read_gmsh(data)
    used, elements = np.unique(elements, return_inverse=True)  # points of no element make no bodies
    np.testing.assert_array_equal(points[used], truth.body_pos[1:])
    np.testing.assert_array_equal(np.sort(elements.reshape(-1, 4), -1), np.sort(truth.flex_elem.reshape(-1, 4), -1))
