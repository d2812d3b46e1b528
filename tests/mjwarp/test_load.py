"""Loading: work grows with the model, not with its square."""

import cProfile
import gc
import pstats

import pytest

from newtonlite.mjwarp import load

LINKS = "".join(
    f'<body name="b{i}" pos="{i} 0 0"><joint name="j{i}" axis="0 1 0"/><geom name="g{i}" size=".1"/><site name="s{i}"/></body>'
    for i in range(8)
)
MANY = {
    "strings": ("tendon", '<spatial><site site="s0"/><site site="s1"/></spatial>'),
    "fixed tendons": ("tendon", '<fixed><joint joint="j0" coef="1"/><joint joint="j1" coef="2"/></fixed>'),
    "servos": ("actuator", '<position joint="j1" kp="3"/>'),
    "site motors": ("actuator", '<motor site="s1"/>'),
    "sensors": ("sensor", '<framepos objtype="site" objname="s2"/>'),
    "equalities": ("equality", '<connect body1="b1" body2="b2" anchor="0 0 0"/>'),
    "pairs": ("contact", '<pair geom1="g1" geom2="g2"/>'),
    "keyframes": ("keyframe", '<key time="1"/>'),
    "bodies": ("worldbody", '<body><joint/><geom size=".1"/></body>'),
    "geoms": ("worldbody", '<geom size=".1"/>'),
}


MOST_CALLS = {"servos": 870, "site motors": 480, "sensors": 220, "equalities": 320, "pairs": 200, "geoms": 470}
"""Function calls that one more element may take; columns of many rows are filled at once, not value by value."""


def scene(kind: str, count: int) -> str:
    """A model with ``count`` elements of a kind."""
    section, element = MANY[kind]
    return f"<mujoco><worldbody>{LINKS}</worldbody><{section}>{element * count}</{section}></mujoco>"


def calls(text: str) -> int:
    """Function calls that loading a model takes: the fewer of two times, as the first may prepare something."""
    found = []
    for _ in range(2):
        gc.collect()  # what other tests left behind would be finalised, and counted, here
        profile = cProfile.Profile()
        profile.runcall(load, text)
        found.append(pstats.Stats(profile).total_calls)
    return min(found)


@pytest.mark.parametrize("kind", MANY)
def test_twice_as_many_take_twice_as_many_calls(kind):
    _, one, two, three = (calls(scene(kind, n)) for n in (2, 60, 120, 240))  # the first prepares what a kind needs
    assert three - two < 2.7 * (two - one)  # 4 times, were it the square


@pytest.mark.parametrize("kind", MOST_CALLS)
def test_an_element_more_takes_few_calls(kind):
    _, one, two = (calls(scene(kind, n)) for n in (2, 60, 120))
    assert (two - one) / 60 < MOST_CALLS[kind]
