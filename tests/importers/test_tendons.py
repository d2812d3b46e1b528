"""Tendons of MJCF: numbers that MuJoCo refuses are refused, and lengths of springs are MuJoCo's."""

import pytest

from newtonlite import ParseError
from newtonlite import mjwarp as mjw
from tests import oracle
from tests.tolerance import assert_close

MODEL = """<mujoco><default><tendon {default}/></default><worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1"/>
<site name="a"/></body><site name="b" pos="0 0 1"/></worldbody><tendon><spatial {words}><site site="a"/><site site="b"/>
</spatial></tendon></mujoco>"""


@pytest.mark.parametrize("default", ["", 'springlength=".2"'])
@pytest.mark.parametrize("words", ["", "-.5", ".1", ".1 .3", "-1", "-2 3", "-1 .5", "0 0"])
def test_one_length_of_a_spring_stands_for_both(default, words):
    text = MODEL.format(default=default, words=words and f'springlength="{words}"')
    assert_close(
        mjw.load(text).tendon_lengthspring, oracle.compile_xml(text).tendon_lengthspring, "compiled", floor=1.0
    )


@pytest.mark.parametrize("words", ['springlength=".3 -1"', 'springyield="-1"', 'armature="-1"', 'width="-1"'])
def test_what_no_tendon_has_is_refused(words):
    text = MODEL.format(default="", words=words)
    with pytest.raises(ParseError, match=f"<spatial> {words.partition('=')[0]}"):
        mjw.load(text)
    with pytest.raises(ValueError):
        oracle.compile_xml(text)


def test_a_fixed_tendon_has_the_look_of_its_class():
    text = """<mujoco><default><tendon width=".01" rgba="1 0 0 1"/><default class="thin"><tendon width=".002"/></default></default>
        <worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
        <tendon><fixed><joint joint="j" coef="1"/></fixed><fixed class="thin"><joint joint="j" coef="1"/></fixed></tendon></mujoco>"""
    ours, theirs = mjw.load(text), oracle.compile_xml(text)
    assert ours.tendon_width.tolist() == theirs.tendon_width.tolist() == [0.01, 0.002]
    assert ours.tendon_rgba.tolist() == theirs.tendon_rgba.tolist()
