"""A robot compiled by MuJoCo's convention is MuJoCo's model of it, field by field."""

import re

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, NewtonWarning, ParseError
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import compile_model
from tests.harness.import_fields import compare
from tests.harness.urdf_robots import BOX, FILES, INERTIAL, joint, link, pair, robot
from tests.oracle import compile_xml
from tests.tolerance import tolerance

FIELDS = re.compile(
    r"(body|jnt|dof|geom|eq)_|(nq|nv|nbody|njnt|ngeom|neq)$|(qpos0|inertia tensors|names_(body|joint))$|opt\.(timestep|gravity|integrator)$"
)
OPEN = {"jnt_range"}
"""Kept by MuJoCo where it does not count."""
SPLIT = '<link name="m"/><joint name="f" type="fixed"><parent link="b"/><child link="m"/><origin xyz="1 0 0" rpy="0 0 1"/></joint>'


def worst(text: str, written: str | None = None, **options) -> dict[str, float]:
    """The fields that differ between MuJoCo's model, of a file ``written`` in another way perhaps, and ours."""
    builder = ModelBuilder()
    builder.add_urdf(text, convention="mujoco", **options)
    errors = compare(compile_xml(written or text), compile_model(builder.finalize(device="cpu")))
    return {
        name: e for name, e in errors.items() if FIELDS.match(name) and name not in OPEN and e > tolerance("compiled")
    }


def settings(**values) -> str:
    """A ``mujoco`` element with compiler settings."""
    return "<mujoco><compiler " + " ".join(f'{k}="{v}"' for k, v in values.items()) + "/></mujoco>"


KEEP = settings(fusestatic="false", discardvisual="false")
HEAVY = link("c", INERTIAL + f"<visual>{BOX}</visual><collision>{BOX}</collision>")
EMPTY = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
ROBOTS = {
    "revolute": pair(
        "revolute",
        '<origin xyz="1 2 3" rpy=".1 .2 .3"/><axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping=".5" friction=".25"/>',
    ),
    "continuous": pair("continuous", '<limit lower="-1" upper="2" effort="3" velocity="4"/>'),
    "prismatic": pair("prismatic", '<limit lower="0" upper="1" effort="0" velocity="4"/>'),
    "planar": pair(
        "planar", '<axis xyz="1 0 1"/><dynamics damping=".5" friction=".25"/><limit lower="-1" upper="2" effort="3"/>'
    ),
    "floating": pair("floating", '<origin xyz="1 2 3" rpy=".1 .2 .3"/>'),
    "floating on a fixed link": robot(
        link("a"),
        link("b"),
        link("c"),
        joint("x", "fixed", "a", "b", '<origin xyz="1 2 3"/>'),
        joint("y", "floating", "b", "c"),
    ),
    "limit without range": pair("revolute", '<limit effort="3" velocity="1"/>'),
    "limit without effort": pair("revolute", '<limit lower="-1" upper="1"/>'),
    "order of the joints": robot(
        link("a"), link("b"), link("c"), joint("k", "revolute", "a", "c"), joint("j", "revolute", "a", "b")
    ),
    "two roots": robot(link("a"), link("b"), link("c"), link("d"), joint("k", "revolute", "b", "c")),
    "root named world": robot(link("world", ""), link("b"), joint("j", "revolute", "world", "b")),
    "nothing": robot(),
    "fused link with inertia": robot(
        link("a"),
        link("b"),
        HEAVY,
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="1 0 0" rpy="0 1 0"/>'),
    ),
    "fused link without inertia": robot(
        link("a"),
        link("b"),
        link("c", f"<collision>{BOX}</collision>"),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="1 0 0"/>'),
    ),
    "fused link of mass zero": robot(
        link("a"),
        link("b"),
        link("c", EMPTY + f"<collision>{BOX}</collision>"),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="1 0 0"/>'),
    ),
    "fused into an empty link": robot(
        link("a"),
        link("b", ""),
        HEAVY,
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="1 0 0"/>'),
    ),
    "fused in a chain": robot(
        link("a"),
        link("b"),
        HEAVY,
        link("d"),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="1 0 0" rpy="0 0 1"/>'),
        joint("l", "revolute", "c", "d", '<origin xyz="0 1 0" rpy="1 0 0"/>'),
    ),
    "kept links and visuals": robot(
        KEEP,
        link("a"),
        link("b", ""),
        HEAVY,
        joint("j", "fixed", "a", "b", '<origin xyz="1 2 3"/>'),
        joint("k", "revolute", "b", "c"),
    ),
    "option": robot(
        '<mujoco><compiler balanceinertia="true" angle="degree"/><option timestep="0.01" gravity="0 0 -1" integrator="implicitfast"/></mujoco>',
        link("a"),
        link("b"),
        joint("j", "revolute", "a", "b", '<limit lower="-1" upper="2"/>'),
    ),
    "bounds before fusing": robot(
        settings(boundmass="0.5", boundinertia="0.25"),
        link("a"),
        link("b", ""),
        link("c", ""),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="1 0 0"/>'),
    ),
    "mass from shapes": robot(settings(inertiafromgeom="true"), link("a"), HEAVY, joint("j", "revolute", "a", "c")),
    "colours by name": robot(
        *(
            link(n, INERTIAL + f"<visual>{BOX}<material name='m'>{c}</material></visual><collision>{BOX}</collision>")
            for n, c in zip("abc", ("", "<color rgba='.1 0 0 1'/>", "<color rgba='.2 0 0 1'/>"))
        )
    ),
    "plain": robot(link("a"), HEAVY, joint("j", "revolute", "a", "c")),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_small_robots(name):
    assert not worst(ROBOTS[name])


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_files(path):
    assert not worst(path.read_text())


@pytest.mark.parametrize("limit", ['lower="2" upper="1"', 'lower="0" upper="0"', 'upper="1"', 'lower="-1"'])
def test_limits_that_do_not_count_are_told(limit):
    with pytest.warns(NewtonWarning, match='<string>:1:.*joint name="j".*(do not count|not limited)'):
        assert not worst(pair("revolute", f"<limit {limit} effort='1' velocity='1'/>"))


def test_xform_moves_the_whole_robot():
    builder = ModelBuilder()
    builder.add_urdf(ROBOTS["revolute"], convention="mujoco", xform=((0, 0, 5), (0, 0, 0, 1)))
    assert np.allclose(np.array(builder.body_q[0])[:3], (1, 2, 8), rtol=0, atol=tolerance("authored"))


@pytest.mark.parametrize("name", ["revolute", "plain", "fused link with inertia"])
def test_a_root_floats_as_on_a_floating_joint_of_the_world(name):
    """MuJoCo's own way: a root named world, and a floating joint on it."""
    text, on_world = ROBOTS[name], link("world", "") + joint("floating_base", "floating", "world", "a")
    written = text.replace('<robot name="r">', '<robot name="r">' + on_world)
    assert not worst(text, written, floating=True)
    assert not worst(
        written,
        text.replace('<robot name="r">', '<robot name="r">' + link("world", "") + joint("f", "fixed", "world", "a")),
        floating=False,
    )


def test_settings_of_the_compiler_are_the_callers_before_the_files():
    bad = INERTIAL.replace('izz="1.4"', 'izz="14"')
    text = robot(settings(boundmass="0.5"), link("a"), link("b", bad), joint("j", "revolute", "a", "b"))
    with pytest.raises(ParseError, match=r"break A \+ B >= C; correct them, or set compiler balanceinertia"):
        worst(text)
    written = text.replace('boundmass="0.5"', 'boundmass="3" balanceinertia="true"')
    assert not worst(text, written, compiler={"balanceinertia": True, "boundmass": 3})


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"compiler": {"boundmass": 1}, "convention": "newton"}, "compiler: .* need convention='mujoco'"),
        ({"base_joint": {"joint_type": 3}}, "base_joint and parent_body: not with convention='mujoco'"),
        ({"compiler": {"boundmas": 1}}, "boundmas"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, why):
    builder = ModelBuilder()
    with pytest.raises((ModelError, ParseError), match=why):
        builder.add_urdf(ROBOTS["plain"], **{"convention": "mujoco", **options})
    assert builder.body_count == 0
