"""Angles, orientations, fromto, frames."""

import math

import pytest

from newtonlite.math.quat import about, product, rotate
from tests import oracle
from tests.harness.spec_of import spec_of, world

HALF = math.sqrt(0.5)


@pytest.mark.parametrize(
    ("text", "quat"),
    [
        ('quat="2 0 0 0"', (1, 0, 0, 0)),
        ('axisangle="0 0 2 90"', (HALF, 0, 0, HALF)),
        ('euler="0 90 0"', (HALF, 0, HALF, 0)),
        ('zaxis="0 0 -1"', (0, 1, 0, 0)),
        ('xyaxes="0 1 0 -1 5 0"', (HALF, 0, 0, HALF)),
    ],
)
def test_orientations(text, quat):
    assert world(f'<geom size=".1" {text}/>').geoms[0].quat == pytest.approx(quat)


ALONG = [tuple(sign * float(i == k) for i in range(3)) for k in range(3) for sign in (1, -1)]


@pytest.mark.parametrize("x", ALONG)
def test_axes_have_the_sign_of_mujocos_quaternion(x):
    """Of elements of the diagonal that are equal MuJoCo takes the last."""
    for y in ALONG:
        if abs(sum(a * b for a, b in zip(x, y))) < 0.5:
            geom = f'<geom size=".1" xyaxes="{" ".join(map(str, (*x, *y)))}"/>'
            theirs = oracle.compile_xml(f"<mujoco><worldbody>{geom}</worldbody></mujoco>")
            assert world(geom).geoms[0].quat == pytest.approx(theirs.geom_quat[0])


def test_eulerseq_lower_case_turns_with_the_body_upper_case_stays():
    a, b = about((1.0, 0, 0), 0.1), about((0, 0, 1.0), 0.3)
    geom = '<worldbody><geom size=".1" euler="0.1 0 0.3"/></worldbody>'
    moving = spec_of(f'<compiler angle="radian" eulerseq="xyz"/>{geom}').geoms[0]
    fixed = spec_of(f'<compiler angle="radian" eulerseq="XYZ"/>{geom}').geoms[0]
    assert moving.quat == pytest.approx(product(a, b))
    assert fixed.quat == pytest.approx(product(b, a))


@pytest.mark.parametrize(
    ("kind", "size"),
    [("capsule", (0.1, 0.5)), ("cylinder", (0.1, 0.5)), ("box", (0.1, 0.1, 0.5)), ("ellipsoid", (0.1, 0.1, 0.5))],
)
def test_fromto_points_z_from_the_second_end_to_the_first(kind, size):
    geom = world(f'<geom type="{kind}" fromto="1 0 0 2 0 0" size=".1"/>').geoms[0]
    assert geom.pos == (1.5, 0.0, 0.0)
    assert rotate(geom.quat, (0.0, 0.0, 1.0)) == pytest.approx((-1, 0, 0))
    assert geom["size"][: len(size)] == pytest.approx(size)


def test_angles_of_hinges_are_converted_and_lengths_of_slides_are_not():
    joints = world(
        """<body><joint range="-90 90" ref="180" springref="-45"/><geom size=".1"/></body>
        <body><joint type="slide" range="-9 9" ref="1"/><geom size=".1"/></body>"""
    ).joints
    assert joints[0]["range"] == pytest.approx((-math.pi / 2, math.pi / 2))
    assert (joints[0]["ref"], joints[0]["springref"]) == pytest.approx((math.pi, -math.pi / 4))
    assert (joints[1]["range"], joints[1]["ref"]) == ((-9.0, 9.0), 1.0)


def test_the_last_compiler_setting_counts_for_the_whole_file():
    spec = spec_of(
        '<compiler angle="radian"/><worldbody><geom size=".1" euler="0 0 90"/></worldbody><compiler angle="degree"/>'
    )
    assert spec.geoms[0].quat == pytest.approx((HALF, 0, 0, HALF))


def test_frames_place_what_is_inside_and_leave_no_body():
    spec = world(
        """<body><frame pos="1 0 0" euler="0 0 90"><joint pos=".1 0 0" axis="1 0 0"/><geom name="g" size=".1" pos="0 2 0"/>
        <frame pos="0 0 1"><site name="s"/><body name="b" pos="1 0 0"><geom size=".1"/></body></frame></frame></body>"""
    )
    assert spec.joints[0].pos == pytest.approx((1, 0.1, 0)) and spec.joints[0]["axis"] == pytest.approx((0, 1, 0))
    assert spec.geoms[0].pos == pytest.approx((-1, 0, 0))
    assert spec.sites[0].pos == pytest.approx((1, 0, 1))
    assert spec.bodies[2].pos == pytest.approx((1, 1, 1)) and len(spec.bodies) == 3


def test_geoms_keep_the_order_of_the_file():
    spec = world(
        '<body><geom name="a" size=".1"/><frame><geom name="b" size=".1"/></frame><body><geom name="d" size=".1"/></body><geom name="c" size=".1"/></body>'
    )
    assert [g.name for g in spec.geoms] == ["a", "b", "c", "d"]
