"""Lists by kind: those of the host model's things that are of a kind, and lists of trees and tendons."""

import numpy as np
import pytest

from newtonlite import mjwarp as mjw
from newtonlite.mjwarp.kind_lists import LISTS, NUMBERS
from tests import oracle
from tests.tolerance import assert_close

XML = """<mujoco><option density="1"/><worldbody><site name="w"/><camera name="cam" resolution="3 2"/>
<geom type="plane" size="1 1 .1"/><body name="m2" mocap="true"/><body name="m1" mocap="true"/>
<body name="a" pos="0 0 1"><joint name="x" range="-1 1" limited="true"/><geom name="g" size=".1" fluidshape="ellipsoid"/>
<site name="s"/><site name="t" pos=".2 0 0"/><geom name="cyl" type="cylinder" size=".05 .1"/>
  <body name="b"><joint name="y" type="ball" range="0 1" limited="true"/><geom size=".1"/></body>
  <body name="c"><joint name="z" type="slide"/><geom size=".1" condim="4"/></body></body>
<body name="f"><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/></body></worldbody>
<tendon><spatial name="straight"><site site="w"/><site site="s"/><pulley divisor="2"/><site site="s"/><site site="t"/></spatial>
<spatial name="round" range="0 1" limited="true" stiffness="2"><site site="w"/><geom geom="cyl"/><site site="t"/></spatial>
<spatial name="sites"><site site="w"/><site site="s"/><site site="t"/></spatial>
<fixed name="fixed" damping="1"><joint joint="x" coef="2"/><joint joint="z" coef="1"/></fixed></tendon>
<equality><weld body1="a" body2="m1"/><connect body1="a" body2="f" anchor="0 0 0"/><joint joint1="x" joint2="z"/>
<tendon tendon1="fixed"/></equality>
<actuator><motor joint="x"/><adhesion body="f" gain="1" ctrlrange="0 1"/></actuator>
<sensor><touch site="s"/><rangefinder site="s"/><rangefinder camera="cam"/><jointlimitpos joint="x"/><jointlimitvel joint="x"/>
<tendonlimitfrc tendon="round"/><framepos objtype="body" objname="b"/><velocimeter site="s"/><force site="s"/>
<contact geom1="g"/><subtreelinvel body="b"/><tendonactuatorfrc tendon="fixed"/></sensor></mujoco>"""


@pytest.fixture(scope="module")
def scene():
    host = oracle.compile_xml(XML)
    return host, mjw.put_model(host, device="cpu")


def numbers(host, kind: str, *names: str) -> list[int]:
    return [getattr(host, kind)(name).id for name in names]


def test_things_of_a_kind_are_listed(scene):
    host, m = scene
    assert m.eq_wld_adr.numpy().tolist() == [0] and m.eq_connect_adr.numpy().tolist() == [1]
    assert m.eq_jnt_adr.numpy().tolist() == [2] and m.eq_ten_adr.numpy().tolist() == [3]
    assert m.eq_flex_adr.size == 0 and m.neq_flexstrain == 0
    assert m.jnt_limited_slide_hinge_adr.numpy().tolist() == numbers(host, "joint", "x")
    assert m.jnt_limited_ball_adr.numpy().tolist() == numbers(host, "joint", "y")
    assert m.actuator_trntype_body_adr.numpy().tolist() == [1] and m.nacttrnbody == 1
    assert m.body_freeadr.numpy().tolist() == numbers(host, "body", "f")
    assert m.body_fluid_ellipsoid_adr.numpy().tolist() == numbers(host, "body", "a")
    assert m.body_fluid_box_adr.numpy().tolist() == numbers(host, "body", "b", "c", "f")
    assert m.mocap_bodyid.numpy().tolist() == [int(b) for b in np.flatnonzero(host.body_mocapid >= 0)]
    assert m.nmaxcondim == 4 and m.nmaxpyramid == 6 and m.has_plane_geom and m.has_ellipsoid_geom
    assert m.has_tendon_stiffness and m.has_tendon_damping and not m.has_2d_flex


def test_sensors_are_listed_by_what_they_need(scene):
    host, m = scene
    listed = {name: m_list.numpy().tolist() for name in LISTS if "sensor_" in name for m_list in [getattr(m, name)]}
    own = ("limitpos", "limitvel", "limitfrc", "touch", "tendonactfrc", "contact_pos", "contact_vel", "contact_acc")
    parts = [listed[f"sensor_{name}_adr"] for name in ("pos", "vel", "acc", *own)]
    assert sorted(sum(parts, [])) == list(range(host.nsensor))  # each in one list
    whole = [listed[f"sensor_stage_{name}_adr"] for name in ("pos", "vel", "acc")]
    assert sorted(sum(whole, [])) == list(range(host.nsensor))
    assert m.nrangefinder == 7 and listed["sensor_rangefinder_adr"] == [1, *[2] * 6]
    assert listed["rangefinder_sensor_adr"][1:3] == [0, 1] and listed["rangefinder_sensor_adr"][0] == -1
    assert listed["sensor_rangefinder_bodyid"] == [*numbers(host, "body", "a"), *[0] * 6]
    assert m.sensor_subtree_vel and m.sensor_rne_postconstraint and not m.sensor_e_potential


def test_lists_of_tendons_follow_their_paths(scene):
    _, m = scene
    assert m.tendon_limited_adr.numpy().tolist() == [1]
    assert m.tendon_jnt_adr.numpy().tolist() == [3, 3] and m.wrap_jnt_adr.numpy().tolist() == [11, 12]
    assert m.tendon_site_pair_adr.numpy().tolist() == [0, 0, 2, 2]
    assert m.wrap_site_pair_adr.numpy().tolist() == [0, 3, 8, 9]
    assert m.tendon_geom_adr.numpy().tolist() == [1] and m.wrap_geom_adr.numpy().tolist() == [6]
    assert m.ten_wrapnum_site.numpy().tolist() == [0, 0, 3, 0]
    assert m.ten_wrapadr_site.numpy().tolist() == [0, 0, 0, 3, 3]
    np.testing.assert_array_equal(m.wrap_pulley_scale.numpy()[:5], [1.0, 1.0, 0.5, 0.5, 0.5])


def test_branches_lead_from_the_world_to_the_leaves(scene):
    host, m = scene
    flat, first = m.body_branches.numpy().tolist(), m.body_branch_start.numpy().tolist()
    paths = [flat[a:b] for a, b in zip(first, first[1:], strict=False)]
    assert len(paths) == m.nbranch and numbers(host, "body", "a", "b") in paths
    assert all(host.body_parentid[b] == a for path in paths for a, b in zip([0, *path], path, strict=False))
    sizes = m.body_subtreenum.numpy()
    assert sizes[0] == host.nbody and sizes[host.body("a").id] == 3


def test_rows_of_the_whole_matrix_are_those_of_its_product(scene):
    host, m = scene
    d = mjw.make_data(m)
    mjw.fwd_position(m, d)
    entries, vector = d.M.numpy()[0], np.arange(1.0, host.nv + 1)
    first, columns, at = (getattr(m, f"M_mulm_{name}").numpy() for name in ("rowadr", "col", "madr"))
    product = [entries[at[a:b]] @ vector[columns[a:b]] for a, b in zip(first, first[1:], strict=False)]
    dense = np.zeros((host.nv, host.nv))
    dense[m.M_hinit_i.numpy(), m.M_colind.numpy()] = entries
    dense += np.tril(dense, -1).T
    assert_close(product, dense @ vector, "force")


def test_models_of_files_have_the_same_lists(scene):
    host, _ = scene
    theirs, ours = mjw.put_model(host, device="cpu"), mjw.put_model(mjw.load(XML), device="cpu")
    for name in (*LISTS, *NUMBERS):
        if name.startswith(("M_", "qD_")):
            continue  # MuJoCo leaves out what it knows to be zero
        one, two = (getattr(m, name) for m in (theirs, ours))
        one, two = (value.numpy() if hasattr(value, "numpy") else value for value in (one, two))
        np.testing.assert_array_equal(one, two, err_msg=name)
