"""Actuator shortcuts: what each stands for, and what default classes pass on between them."""

import pytest

from newtonlite.core.errors import ParseError
from tests.harness.spec_of import spec_of

BODY = '<worldbody><body><joint name="j" range="-30 40"/><geom size=".1"/></body></worldbody>'


def actuator(text: str, default: str = ""):
    """The one actuator of a model with a hinge ``j``."""
    spec = spec_of(f"<default>{default}</default>{BODY}<actuator>{text}</actuator>")
    return spec.actuators[0]


@pytest.mark.parametrize(
    ("text", "types", "gain", "bias", "dyn"),
    [
        ('<motor joint="j"/>', (0, 0, 0), (1, 0, 0), (0, 0, 0), (1, 0)),
        ('<position joint="j" kp="7" kv="2"/>', (0, 0, 1), (7, 0, 0), (0, -7, -2), (1, 0)),
        ('<position joint="j" kp="7" dampratio="1.5"/>', (0, 0, 1), (7, 0, 0), (0, -7, 1.5), (1, 0)),
        ('<position joint="j" kp="3" timeconst=".1"/>', (3, 0, 1), (3, 0, 0), (0, -3, 0), (0.1, 0)),
        ('<velocity joint="j" kv="3"/>', (0, 0, 1), (3, 0, 0), (0, 0, -3), (1, 0)),
        ('<intvelocity joint="j" kp="3" actrange="0 1"/>', (1, 0, 1), (3, 0, 0), (0, -3, 0), (1, 0)),
        ('<damper joint="j" kv="2" ctrlrange="0 1"/>', (0, 1, 0), (0, 0, -2), (0, 0, 0), (1, 0)),
        ('<cylinder joint="j" timeconst="2" area="3" bias="1 2 3"/>', (2, 0, 1), (3, 0, 0), (1, 2, 3), (2, 0)),
        ('<muscle joint="j" force="9" timeconst=".1 .2"/>', (4, 2, 2), (0.75, 1.05, 9), (0.75, 1.05, 9), (0.1, 0.2)),
        (
            '<general joint="j" gainprm="2 3" biastype="affine" biasprm="4" dyntype="filter"/>',
            (2, 0, 1),
            (2, 3, 0),
            (4, 0, 0),
            (1, 0),
        ),
    ],
)
def test_a_shortcut_is_a_general_actuator(text, types, gain, bias, dyn):
    found = actuator(text)
    assert (found["dyntype"], found["gaintype"], found["biastype"]) == types
    assert (found["gainprm"][:3], found["biasprm"][:3], found["dynprm"][:2]) == (gain, bias, dyn)


@pytest.mark.parametrize(
    ("default", "text", "gain", "bias"),
    [
        ('<position kp="5" kv="2"/>', '<position joint="j"/>', 5, (0, -5, -2)),
        ('<position kp="5" kv="2"/>', '<velocity joint="j"/>', 1, (0, 0, -1)),
        ('<position kp="5" kv="2"/>', '<general joint="j"/>', 5, (0, -5, -2)),
        ('<general gainprm="3" biasprm="1 2 3" biastype="affine"/>', '<position joint="j"/>', 3, (0, -3, 3)),
        ('<general gainprm="3" biasprm="1 2 3" biastype="affine"/>', '<motor joint="j"/>', 1, (0, 0, 0)),
        ('<general gaintype="affine" gainprm="3 4"/>', '<position joint="j"/>', 1, (0, -1, 0)),
        ('<motor ctrlrange="-1 1"/><position kp="3"/>', '<general joint="j"/>', 3, (0, -3, 0)),
        ("<muscle/>", '<motor joint="j"/>', 1, (0, 0, 0)),
    ],
)
def test_classes_pass_on_what_fits(default, text, gain, bias):
    found = actuator(text, default)
    assert (found["gainprm"][0], found["biasprm"][:3]) == (gain, bias)


def test_diameter_gives_the_area():
    assert actuator('<cylinder joint="j" diameter="2" area="5"/>')["gainprm"][0] == pytest.approx(3.14159265)


def test_a_range_limits_unless_told_otherwise():
    for text, limited in (('ctrlrange="-1 1"', 1), ('ctrlrange="-1 1" ctrllimited="false"', 0), ("", 0)):
        assert actuator(f'<motor joint="j" {text}/>').limits["ctrlrange"] == limited


@pytest.mark.parametrize("joint", ['freejoint name="f"', 'joint name="f" type="free"'])
def test_a_free_joint_has_no_range_to_inherit(joint):
    body = f'<worldbody><body><{joint}/><geom size=".1"/></body></worldbody>'
    with pytest.raises(ParseError, match=r"1:\d+: <position> inheritrange: 'f' has no range to inherit"):
        spec_of(body + '<actuator><position joint="f" kp="1" inheritrange="1"/></actuator>')


def test_inherited_ranges_come_from_the_joint():
    low, high = actuator('<position joint="j" inheritrange="1"/>')["ctrlrange"]
    assert (low, high) == pytest.approx((-0.5235987756, 0.6981317008))


def test_short_gears_are_filled_with_zeros():
    assert actuator('<motor joint="j" gear="5"/>', '<motor gear="2 3"/>')["gear"] == (5, 3, 0, 0, 0, 0)
    assert actuator('<motor joint="j" gear="5"/>')["gear"] == (5, 0, 0, 0, 0, 0)
