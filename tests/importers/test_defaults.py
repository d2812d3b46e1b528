"""Default classes: inheritance, which class counts, partial arrays."""

from tests.harness.spec_of import spec_of

CLASSES = """
<default>
  <geom size=".1" friction="0.5"/>
  <default class="red"><geom rgba="1 0 0 1" friction=".6 .2"/><default class="dark"><geom rgba=".5 0 0 1"/></default></default>
  <default class="blue"><geom rgba="0 0 1 1"/></default>
</default>
"""


def rgba(*geoms: str, attributes: str = "") -> list:
    """Colours of geoms on a body with some attributes."""
    spec = spec_of(f"{CLASSES}<worldbody><body {attributes}>{''.join(geoms)}</body></worldbody>")
    return [geom["rgba"] for geom in spec.geoms]


def test_own_class_beats_childclass_beats_main():
    grey, red, blue = (0.5, 0.5, 0.5, 1.0), (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
    assert rgba("<geom/>", '<geom class="red"/>') == [grey, red]
    assert rgba("<geom/>", '<geom class="red"/>', '<geom class="main"/>', attributes='childclass="blue"') == [
        blue,
        red,
        grey,
    ]


def test_an_inner_class_starts_from_the_outer_one():
    spec = spec_of(f'{CLASSES}<worldbody><geom class="dark"/></worldbody>')
    assert spec.geoms[0]["rgba"] == (0.5, 0.0, 0.0, 1.0)
    assert spec.geoms[0]["friction"] == (0.6, 0.2, 0.0001)


def test_short_arrays_keep_the_rest():
    spec = spec_of(f'{CLASSES}<worldbody><geom/><geom class="red" friction=".9"/></worldbody>')
    assert [g["friction"] for g in spec.geoms] == [(0.5, 0.005, 0.0001), (0.9, 0.2, 0.0001)]


def test_nested_bodies_keep_the_childclass_until_another_one():
    spec = spec_of(
        f"""{CLASSES}<worldbody><body childclass="red"><geom/>
        <body><geom/></body><body childclass="blue"><geom/><frame childclass="red"><geom/></frame><geom/></body></body></worldbody>"""
    )
    assert [g["rgba"][::2] for g in spec.geoms] == [(1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]


def test_defaults_count_wherever_they_stand_in_the_file():
    spec = spec_of('<worldbody><geom/></worldbody><default><geom size=".3"/></default>')
    assert spec.geoms[0]["size"][0] == 0.3


def test_freejoint_takes_no_defaults_and_a_free_joint_does():
    spec = spec_of(
        """<default><joint damping="3" armature="2"/></default><worldbody>
        <body><freejoint/><geom size=".1"/></body><body><joint type="free"/><geom size=".1"/></body></worldbody>"""
    )
    assert "damping" not in spec.joints[0].values
    assert (spec.joints[1]["damping"][0], spec.joints[1]["armature"]) == (3.0, 2.0)


def test_an_orientation_of_its_own_drops_that_of_the_class():
    spec = spec_of(
        """<default><default class="c"><geom euler="0 0 90" size=".1"/></default></default>
        <worldbody><geom class="c" quat="0 1 0 0"/><geom class="c"/></worldbody>"""
    )
    assert spec.geoms[0].quat == (0.0, 1.0, 0.0, 0.0)
    assert spec.geoms[1].quat[3] > 0.7
