"""Inertia inference and the compiler settings that change masses."""

import numpy as np
import pytest

from tests.harness.spec_of import spec_of
from tests.oracle import compile_xml
from tests.tolerance import assert_close

TWO = '<geom size=".1" group="1" mass="2"/><geom size=".1" pos="1 0 0" mass="1" group="3"/>'


def body(text: str, compiler: str = ""):
    """The one body of a model."""
    return spec_of(f"<compiler {compiler}/><worldbody><body>{text}</body></worldbody>").bodies[1]


def test_geoms_add_up():
    found = body(TWO)
    assert found.mass == pytest.approx(3)
    assert found.com == pytest.approx([1 / 3, 0, 0])
    ball = 0.4 * 3 * 0.01
    assert np.diag(found.inertia) == pytest.approx([ball, ball + 2 / 3, ball + 2 / 3])


def test_only_groups_in_range_count():
    assert body(TWO, 'inertiagrouprange="0 2"').mass == pytest.approx(2)


def test_mass_beats_density():
    assert body('<geom size=".1" mass="2" density="9"/>').mass == pytest.approx(2)
    assert body('<geom type="box" size=".5 .5 .5"/>').mass == pytest.approx(1000)


def test_inertial_beats_geoms_unless_told_otherwise():
    own = '<inertial pos="0 0 1" mass="5" diaginertia="1 2 2.5"/>'
    assert body(TWO + own).mass == 5
    assert np.diag(body(TWO + own).inertia) == pytest.approx([1, 2, 2.5])
    assert body(TWO + own, 'inertiafromgeom="true"').mass == pytest.approx(3)
    assert body(TWO, 'inertiafromgeom="false"').mass == 0


def test_full_inertia_is_the_tensor_in_the_body_frame():
    found = body('<inertial pos="0 0 0" mass="1" fullinertia="3 4 5 .1 .2 .3"/>')
    assert found.inertia == pytest.approx(np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]))


def test_principal_moments_are_turned_with_the_inertial_frame():
    found = body('<inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5" euler="0 0 90"/>')
    assert np.diag(found.inertia) == pytest.approx([2, 1, 2.5])


def test_bounds_lift_what_is_too_small():
    found = body('<geom size=".01" mass="0.001"/>', 'boundmass=".5" boundinertia=".2"')
    assert found.mass == 0.5 and np.diag(found.inertia) == pytest.approx([0.2] * 3)


def test_balanced_inertia_is_the_mean():
    found = body('<inertial pos="0 0 0" mass="1" diaginertia="1 1 4"/>', 'balanceinertia="true"')
    assert np.diag(found.inertia) == pytest.approx([2, 2, 2])


def test_total_mass_scales_mass_and_inertia_alike():
    plain, scaled = body(TWO), body(TWO, 'settotalmass="6"')
    assert scaled.mass == pytest.approx(6) and scaled.inertia == pytest.approx(2 * plain.inertia)


def test_a_mesh_in_the_file_weighs_what_it_holds():
    cube = "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1"
    found = spec_of(
        f'<asset><mesh name="m" vertex="{cube}" scale="1 2 1"/></asset><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>'
    ).bodies[1]
    assert found.mass == pytest.approx(2000) and found.com == pytest.approx([0.5, 1, 0.5])


def test_links_without_mass_may_carry_what_is_welded_to_them():
    spec = spec_of('<worldbody><body><joint/><body><geom size=".1"/></body></body></worldbody>')
    assert spec.bodies[1].mass == 0 and spec.bodies[2].mass > 0


@pytest.mark.parametrize(
    ("compiler", "inertial"),
    [
        ('boundmass=".5"', 'mass="-1" diaginertia="1 1 1"'),
        ('boundinertia=".02"', 'mass="1" diaginertia="-.01 .02 .03"'),
    ],
)
def test_bounds_hold_for_negative_masses_and_inertias(compiler, inertial):
    found = body(f'<joint/><inertial pos="0 0 0" {inertial}/>', compiler)
    text = f"<mujoco><compiler {compiler}/><worldbody><body><joint/><inertial pos='0 0 0' {inertial}/></body></worldbody></mujoco>"
    wanted = compile_xml(text)
    assert_close(found.mass, wanted.body_mass[1], "authored")
    assert_close(np.linalg.eigvalsh(found.inertia), np.sort(wanted.body_inertia[1]), "authored")
