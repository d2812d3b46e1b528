"""Soft bodies of MJCF: what a file says is what MuJoCo compiles, read into a builder, compiled, and written again."""

import numpy as np
import pytest

from newtonlite.core.errors import ModelError, ParseError
from newtonlite.exporters.mjcf import write_mjcf
from newtonlite.sim.builder import ModelBuilder
from newtonlite.solvers.mujoco.compile import Worlds, compile_model, compile_worlds
from tests import oracle
from tests.harness import import_fields
from tests.tolerance import tolerance

SLIDES = "".join(f"<joint type='slide' axis='{axis}'/>" for axis in ("1 0 0", "0 1 0", "0 0 1"))
POINT = f"<body name='{{}}' pos='{{}}'>{SLIDES}<inertial pos='0 0 0' mass='.2' diaginertia='.1 .1 .1'/></body>"


def world(inside: str, more: str = "") -> str:
    """A model of something in the world."""
    return f"<mujoco>{more}<worldbody>{inside}</worldbody></mujoco>"


def comp(shape: str, inside: str = "", name: str = "f") -> str:
    """A flexcomp."""
    return f"<flexcomp name='{name}' spacing='.1 .12 .14' radius='.01' {shape}>{inside}</flexcomp>"


def carried(inside: str, joint: str = "<freejoint/>") -> str:
    """Something on a body, which moves."""
    return f"<body name='p'>{joint}<geom size='.1'/>{inside}</body>"


SHEET, BLOCK = "type='grid' dim='2' count='4 3 1'", "type='grid' dim='3' count='3 2 3'"
TILTED = SHEET + " euler='30 40 50' dof='trilinear' cellcount='2 2 2'"
"""A sheet that does not pass through all cells of its grid."""
ELASTIC = "<elasticity young='1e4' poisson='.2' damping='.01' elastic2d='{}' thickness='.02'/>"
SOLID = "<elasticity young='1e4' poisson='.2'/>"
ARC = "type='direct' dim='1' point='0 0 0 .1 0 0 .19 .04 0 .26 .11 .02' element='{}'"
CONTACT = """<contact contype='2' conaffinity='3' condim='4' priority='1' friction='.5 .1 .01' solmix='2' solref='.03 1' solimp='.8 .9 .01 .4 3'
    margin='.01' gap='.02' selfcollide='bvh' activelayers='2'/>"""
LOOK = "<asset><material name='m'/><material name='n'/><mesh name='s' builtin='sphere' params='1' scale='.2 .3 .2'/></asset>"
MODELS = {
    "rope": comp("type='grid' dim='1' count='4 1 1' mass='2' inertiabox='.02'", "<edge stiffness='10' damping='.2'/>"),
    "cloth with pins": comp(SHEET, "<edge equality='true' solref='.03'/><pin id='0' range='3 4' grid='1 1'/><pin gridrange='2 0 3 0'/>"),
    "contacts": comp(BLOCK, CONTACT) + comp(SHEET + " group='2' rgba='1 0 0 1' flatskin='true'", "", "g"),
    "posed in a frame": f"<body name='p' pos='1 0 0' euler='0 0 30'><frame pos='0 1 0' euler='40 0 0'>{comp(SHEET + ' euler=~0 20 0~ pos=~0 0 1~'.replace('~', chr(39)))}</frame></body>",
    **{f"{kind} {dim}": comp(f"type='{kind}' dim='{dim}' count='3 4 3' material='m'") for kind in ("box", "cylinder", "ellipsoid") for dim in (2, 3)},
    "disc": comp("type='disc' count='5 4 1'"),
    "square": comp("type='square' count='3 3 1' material='m'"),
    "circle": comp("type='circle' dim='1' count='7 1 1'"),
    "radial": f"<body name='p'><freejoint/><geom size='.01'/>{comp('type=~box~ dim=~3~ count=~3 3 3~ dof=~radial~'.replace('~', chr(39)))}</body>",
    "two dofs": comp(SHEET + " dof='2d'"),
    "rigid": f"<body name='p'><freejoint/><geom size='.1'/>{comp(SHEET + ' rigid=~true~'.replace('~', chr(39)))}</body>",
    "rigid with edges": f"<body name='p'><freejoint/><geom size='.1'/>{comp(SHEET + ' rigid=~true~'.replace('~', chr(39)), '<edge equality=~true~/>'.replace('~', chr(39)))}</body>",
    "pinned as a whole": f"<body name='p'><freejoint/><geom size='.1'/>{comp(SHEET, '<edge equality=~true~/><pin range=~0 11~/>'.replace('~', chr(39)))}</body>",
    "sides of two points": comp("type='box' dim='3' count='2 2 3'", SOLID),
    "open box of two points": comp("type='box' dim='2' count='2 3 2'", ELASTIC.format("both")),
    "points that nothing uses": comp("type='direct' dim='1' point='0 0 0 1 0 0 2 0 0 3 0 0' element='0 1 1 3' scale='2 1 1' texcoord='0 0 .1 0 .2 0 .3 0'", "<pin id='0'/>"),
    "membrane": comp(SHEET, ELASTIC.format("stretch")),
    "shell that yields": comp(SHEET, "<elasticity young='1e4' elastic2d='both' thickness='.02' yield='.01'/>"),
    "bending that yields": comp(SHEET, "<elasticity young='1e4' elastic2d='bend' thickness='.02' yield='0 .5'/>"),
    "solid that yields": comp(BLOCK, "<elasticity young='1e4' poisson='.3' yield='.02'/>"),
    "folded shell": comp("type='direct' dim='2' point='0 0 0 1 0 0 0 1 .3 1 -1 .2' element='0 1 2 1 0 3'", ELASTIC.format("bend")),
    "none in 2d": comp(SHEET, ELASTIC.format("none")),
    "trilinear": comp(BLOCK + " dof='trilinear' cellcount='2 1 1'", SOLID + "<pin id='0 3'/>"),
    "quadratic": comp(BLOCK + " dof='quadratic'", SOLID),
    "turned trilinear": f"<body name='p' euler='20 30 0'>{comp(BLOCK + ' dof=~trilinear~'.replace('~', chr(39)), SOLID)}</body>",
    "cut cells": comp("type='ellipsoid' dim='3' count='4 4 4' dof='trilinear' cellcount='3 2 2'", SOLID),
    "cut quadratic cells": comp("type='ellipsoid' dim='3' count='4 5 4' dof='quadratic' cellcount='2 1 1'", SOLID),
    "cut quadratic cell": comp("type='cylinder' dim='3' count='4 4 4' dof='quadratic'", SOLID),
    "cells of a surface": comp("mesh='s' dim='2' dof='trilinear' cellcount='2 1 1'", SOLID),
    "shell of cells": comp("type='box' dim='2' count='3 3 3' dof='trilinear' cellcount='2 3 1'", ELASTIC.format("both")),
    "pinned nodes of a surface": comp("type='ellipsoid' dim='2' count='4 4 4' dof='trilinear' cellcount='1 2 3'", "<pin grid='1 0'/><pin gridrange='0 1 1 2'/>"),
    "quadratic shell": comp("type='box' dim='2' count='3 3 3' dof='quadratic' cellcount='1 2 1'", ELASTIC.format("bend")),
    "strain": comp(BLOCK + " dof='trilinear' cellcount='2 1 1'", "<edge equality='strain'/>"),
    "strain of a cut cell": comp("type='ellipsoid' dim='3' count='4 4 4' dof='trilinear'", "<edge equality='strain'/>"),
    "strain of a turned block": comp(BLOCK + " dof='trilinear' euler='20 40 50'", "<edge equality='strain'/>"),
    "cells of a sheet": comp(TILTED, SOLID),
    "strain of cells of a sheet": comp(TILTED, "<edge equality='strain'/>"),
    "quadratic cell of a sheet": comp("type='square' count='3 3 1' euler='30 40 50' dof='quadratic'", "<edge equality='strain'/>"),
    "strain of a shell": comp("type='box' dim='2' count='3 3 3' dof='trilinear'", "<edge equality='strain'/>" + ELASTIC.format("bend")),
    "rod": comp(ARC.format("0 1 1 2 2 3"), "<elasticity young='1e5' poisson='.2' shear='3e4'/>"),
    "clamped box rod": "<flexcomp name='f' type='grid' dim='1' count='5 1 1' spacing='.1 .1 .1'><elasticity young='1e5' section='box' sectionsize='.004 .01'/><pin id='0 1'/></flexcomp>",
    "rod that begins in the middle": comp(ARC.format("1 2 2 3 0 1"), "<elasticity young='1e5'/>"),
    "rigid solid of nodes": carried(comp(BLOCK + " dof='trilinear' cellcount='2 1 1' rigid='true'", "<edge equality='strain'/>")),
    "rigid sheet of nodes": carried(comp(SHEET + " dof='quadratic' rigid='true'", "<elasticity young='1e4' thickness='.02' elastic2d='stretch' yield='.01'/>")),
    "nodes pinned as a whole": carried(comp("type='box' dim='2' count='3 3 3' dof='trilinear'", ELASTIC.format("both") + "<pin range='0 7'/>"), ""),
    "nodes pinned but for an idle one": carried(comp("type='box' dim='2' count='3 3 3' dof='quadratic'", ELASTIC.format("both") + "<pin range='0 12'/><pin range='14 26'/>")),
    "rigid shell that would yield": carried(comp(SHEET + " rigid='true'", "<elasticity young='1e4' elastic2d='both' thickness='.02' yield='.01'/>")),
    "rod pinned as a whole": carried(comp("type='grid' dim='1' count='4 1 1'", "<pin range='0 3'/><elasticity young='1e6'/>"), ""),
    "two dofs on a body that moves": carried(comp(SHEET + " dof='2d'", "<edge equality='true'/>")),
    "rigid loop": f"<body name='p'><freejoint/><geom size='.1'/>{comp('type=~circle~ dim=~1~ count=~7 1 1~ rigid=~true~'.replace('~', chr(39)), SOLID)}</body>",
    "loop": comp("type='circle' dim='1' count='7 1 1'", "<elasticity young='1e5'/>"),
    "surface about a point": comp("mesh='s' dim='3' origin='0 0 0'"),
    "copies": f"<replicate count='2' offset='1 0 0'><body name='b'><geom size='.01'/>{comp(SHEET, '<edge equality=~true~/>'.replace('~', chr(39)))}</body></replicate>",
}  # fmt: skip
"""Flexcomps by what they show."""
RAW = f"""<mujoco><asset><material name='m'/><material name='n'/></asset><worldbody><body name='p'><freejoint/><geom size='.1'/></body>
    <body name='q' pos='1 0 0'><joint/><geom size='.1'/><body name='r' pos='0 1 0'><joint type='ball'/><geom size='.1'/></body></body>
    {comp(SHEET, "<edge equality='true'/>", "made")}</worldbody>
    <deformable><flex name='line' dim='1' body='p q r world' element='0 1 1 2 0 2 2 3' vertex='.1 0 0 0 0 0 0 0 .1 2 2 2'><edge damping='.1'/></flex>
    <flex name='sheet' body='p q r' element='0 1 2' radius='.02' material='n' texcoord='0 0 1 0 1 1' elemtexcoord='2 1 0'><contact margin='.1'/></flex></deformable>
    <equality><flex flex='sheet' solref='.1 1' active='false'/></equality></mujoco>"""


def ours(text: str):
    """Our compiled model."""
    builder = ModelBuilder()
    builder.add_mjcf(text)
    return compile_model(builder.finalize(device="cpu", skip_all_validations=True))


def differing(want, got) -> dict[str, float]:
    """Fields that are not MuJoCo's."""
    return import_fields.differences(want, got, tolerance("compiled"))[0]


@pytest.mark.parametrize("name", MODELS)
def test_flexcomps_are_what_mujoco_makes_of_them(name):
    text = world(MODELS[name], LOOK)
    assert differing(oracle.compile_xml(text), ours(text)) == {}


def test_soft_bodies_over_bodies_that_are_there():
    assert differing(oracle.compile_xml(RAW), ours(RAW)) == {}


@pytest.mark.parametrize("name", [*MODELS, "raw"])
def test_soft_bodies_are_written_and_read_back(name):
    before = ours(RAW if name == "raw" else world(MODELS[name], LOOK))
    text, files = write_mjcf(before, inline=True)
    back = oracle.compile_xml(text, files)
    assert {key for key in differing(back, before) if not key.startswith(("mat_", "mesh", "opt."))} == set()


def test_copies_of_a_builder_keep_their_bodies():
    """A cloth that is copied into two worlds, the second one moved."""
    cloth, scene = ModelBuilder(), ModelBuilder()
    cloth.add_mjcf(world(comp(SHEET, "<edge equality='true'/><pin id='0'/>")))
    scene.replicate(cloth, 2, spacing=(1.0, 0.0, 0.0))
    model = scene.finalize(device="cpu")
    rows = model.mujoco.flex_vert_body.numpy()
    assert rows[0] == rows[12] == -1 and (rows[13:] - rows[1:12] == 11).all()
    both = compile_worlds(Worlds(model, range(2)))
    one = compile_model(model, 1)
    for name in ("flex_elem", "flex_vertbodyid", "flexedge_length0", "flexedge_invweight0"):
        np.testing.assert_allclose(getattr(one, name), getattr(both, name), atol=tolerance("compiled"))
    moved = np.asarray(both.flex_vert)[1, 0] - np.asarray(both.flex_vert)[0, 0]
    np.testing.assert_allclose(np.abs(moved), [1.0, 0.0, 0.0], atol=tolerance("compiled"))


def test_two_soft_bodies_in_one_world_have_bodies_of_their_own():
    cloth, scene = ModelBuilder(), ModelBuilder()
    cloth.add_mjcf(world(comp(SHEET)))
    for _ in range(2):
        scene.add_builder(cloth)
    found = compile_model(scene.finalize(device="cpu"))
    assert found.nflex == 2 and found.flex_vertbodyid.tolist() == list(range(1, 25))


LOOSE = "body 'p' has joints but no flex vertices/nodes are pinned to it"
BAD = {
    comp("type='grid' dim='2' count='1 3 1'"): "No elements were created in grid",
    comp("type='grid' dim='2' count='0 3 1'"): "Count too small",
    comp(SHEET + " scale='0 1 1'"): "Scale must be larger than mjMINVAL",
    comp(SHEET + " mass='0'"): "Mass and inertiabox must be larger than mjMINVAL",
    comp(SHEET, "<pin id='20'/>"): "pinid out of range",
    comp(SHEET, "<pin range='0'/>"): "Pin range number must be multiple of 2",
    comp(SHEET, "<pin grid='9 9'/>"): "pingrid out of range",
    comp(SHEET + " texcoord='0 0'"): "two texture coordinates per vertex expected",
    comp("type='direct' dim='2' point='0 0 0 1 0 0 0 1 0' element='0 1 5'"): "element 0 has point id 5",
    comp("type='direct' dim='2' point='0 0 0 1 0 0 0 1 0' element='0 1 1'"): "not enough vertices",
    comp(SHEET, "<elasticity poisson='.5'/>"): "Poisson ratio must be in [0, 0.5)",
    comp(BLOCK, "<elasticity young='1' elastic2d='both' thickness='.1'/>"): "2d elasticity requires 2d flex",
    comp(SHEET, "<elasticity young='1' elastic2d='both'/>"): "2d elasticity requires positive thickness",
    comp(SHEET, "<edge stiffness='1'/>"): "edge stiffness only available for dim=1",
    comp(BLOCK, "<contact activelayers='0'/>"): "no layer of tetrahedra",
    f"<body>{comp(SHEET)}</body>": "Parent body must have name",
    comp("type='grid' dim='3' count='100000 100000 100000'"): "at most",
    comp(BLOCK + " dof='trilinear' cellcount='100000 100000 100000'"): "at most",
    carried(comp("type='box' dim='2' count='3 3 3' dof='quadratic'", ELASTIC.format("both"))): LOOSE,
    carried(comp("type='ellipsoid' dim='3' count='5 5 5' dof='trilinear' cellcount='4 4 4'", SOLID)): LOOSE,
}


@pytest.mark.parametrize("text", BAD)
def test_what_makes_no_soft_body_is_refused_with_its_place(text):
    with pytest.raises((ParseError, ModelError), match="<string>:1:") as error:
        ours(world(text))
    assert BAD[text] in str(error.value)


def test_elements_that_differ_between_worlds_are_refused():
    import newtonlite as newton

    one = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(one)
    one.add_mjcf(
        '<mujoco><worldbody><body name="b"><flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" radius=".01">'
        '<contact contype="0" conaffinity="0"/><elasticity young="1e3" thickness=".01" elastic2d="both"/></flexcomp></body></worldbody></mujoco>'
    )
    scene = newton.ModelBuilder()
    scene.replicate(one, 2)
    model = scene.finalize(device="cpu")
    newton.solvers.SolverMuJoCo(model)
    poisson = model.mujoco.flex_poisson.numpy()
    model.mujoco.flex_poisson.assign(poisson + [0.0, 0.2])
    with pytest.raises(newton.ModelError, match="flex_poisson: differs between worlds"):
        newton.solvers.SolverMuJoCo(model)


def test_cells_and_grids_beyond_the_limits_are_refused():
    """Before anything is allocated."""
    from newtonlite import ModelBuilder
    from newtonlite.core.errors import ModelError, ParseError
    from newtonlite.solvers.mujoco.compile import compile_model

    cells = '<flexcomp name="f" dim="3" count="3 3 3" dof="trilinear" cellcount="100000 100000 100000" spacing=".1 .1 .1" radius=".01"/>'
    with pytest.raises(ParseError, match="numbers of stiffness; at most"):
        ModelBuilder().add_mjcf(f'<mujoco><worldbody><body name="b">{cells}</body></worldbody></mujoco>')
    touch = 'plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config key="size" value="100000 100000"/><config key="fov" value="10 10"/>'
    builder = ModelBuilder()
    builder.add_mjcf(
        '<mujoco><extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><worldbody><body><geom size=".1"/><site name="s"/>'
        f"</body></worldbody><sensor><plugin {touch}</plugin></sensor></mujoco>"
    )
    with pytest.raises(ModelError, match="a grid of .* numbers; at most"):
        compile_model(builder.finalize(device="cpu"))
