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
