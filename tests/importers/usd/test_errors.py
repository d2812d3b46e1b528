"""Stages that one does not trust: every refusal says where, and leaves the builder as it was."""

import numpy as np
import pytest
from pxr import Usd

import newtonlite
from newtonlite.core.errors import Error, ParseError
from newtonlite.importers.report import Report
from tests.harness.usd_stages import at, body, collider, joint, load, prim, stage
from tests.tolerance import assert_close

REFERENCE = 'def Xform "r" (\n prepend references = @{}@\n)\n{{\n}}'


def state(builder):
    """What an import may change."""
    return (
        {name: list(map(str, c)) for name, c in builder.columns.items()},
        sorted(builder.custom_attributes),
        str(builder.gravity),
    )


BROKEN = {
    "</a/c> size": body("a", collider("Cube", "c", "double size = -1")),
    "</a/c> radius": body("a", collider("Sphere", "c", "double radius = nan")),
    "</b/c> radius": body("b", collider("Sphere", "c", "double radius = 1e300")),
    "</a> xformOp:translate": body("a", where=at("nan")),
    "</a> xformOpOrder": body(
        "a", where='float3 xformOp:scale = (0, 1, 1)\nuniform token[] xformOpOrder = ["xformOp:scale"]'
    ),
    "</m> physics:dynamicFriction": prim(
        "Material", "m", "float physics:dynamicFriction = -1", apis=("PhysicsMaterialAPI",)
    )
    + "\n"
    + body("a", collider("Cube", "c", "rel material:binding:physics = </m>", apis=("MaterialBindingAPI",))),
    "</j> physics:axis": body("a") + "\n" + joint("Revolute", "j", "", "/a", 'uniform token physics:axis = "W"'),
    "</j> physics:lowerLimit": body("a") + "\n" + joint("Revolute", "j", "", "/a", "float physics:lowerLimit = nan"),
    "</j> drive:angular:physics:stiffness": body("a")
    + "\n"
    + joint("Revolute", "j", "", "/a", "float drive:angular:physics:stiffness = -1", apis=("PhysicsDriveAPI:angular",)),
    "</j> physics:localPos1": body("a")
    + "\n"
    + joint("Revolute", "j", "", "/a", "point3f physics:localPos1 = (inf, 0, 0)"),
    "</g>": body("a") + "\n" + joint("Gear", "g", "", "/a"),
    "</i> protoIndices": prim(
        "PointInstancer", "i", "int[] protoIndices = [3]", "point3f[] positions = [(0,0,0)]", "rel prototypes = </a>"
    )
    + "\n"
    + body("a"),
    "</i> positions": prim(
        "PointInstancer", "i", "int[] protoIndices = [0, 0]", "point3f[] positions = [(0,0,0)]", "rel prototypes = </a>"
    )
    + "\n"
    + body("a"),
    "</a/c> axis": body("a", collider("Capsule", "c", 'uniform token axis = "Q"')),
    "</p> physics:gravityMagnitude": prim("PhysicsScene", "p", "float physics:gravityMagnitude = inf"),
    "</a/c> mjc:condim": body("a", collider("Cube", "c", "int mjc:condim = 2")),
    "metersPerUnit": "",
}


@pytest.mark.parametrize("place", BROKEN)
def test_a_broken_value_is_refused_with_its_prim_and_attribute(place):
    builder = newtonlite.ModelBuilder()
    before = state(builder)
    text = stage(BROKEN[place], meters="0" if place == "metersPerUnit" else 1.0)
    with pytest.raises(ParseError) as problem:
        builder.add_usd(text)
    assert place in str(problem.value)
    assert state(builder) == before


def test_a_missing_file_text_that_is_none_and_other_things_are_refused(tmp_path):
    other = tmp_path / "a.txt"
    other.write_text("hello")
    broken = tmp_path / "b.usda"
    broken.write_text("#usda 1.0\ndef {")
    for source in (tmp_path / "none.usda", other, broken, "#usda 1.0\ndef {", 7, str(tmp_path)):
        with pytest.raises(Error):
            newtonlite.ModelBuilder().add_usd(source)


@pytest.mark.parametrize("arc", ["references", "payload"])
def test_a_missing_layer_is_refused_or_left_out(tmp_path, arc):
    root = tmp_path / "root.usda"
    root.write_text(stage(REFERENCE.format("gone.usda").replace("references", arc), body("a")))
    with pytest.raises(ParseError, match="root.usda.*gone.usda"):
        newtonlite.ModelBuilder().add_usd(root)
    builder = newtonlite.ModelBuilder()
    with pytest.warns(UserWarning, match="gone.usda"):
        builder.add_usd(root, on_unsupported="warn")
    assert builder.body_count == 1


@pytest.mark.parametrize("how", ["relative", "absolute", "link", "sublayer", "variant", "nested"])
def test_files_outside_the_folder_are_refused_before_they_are_opened(tmp_path, how):
    outside = tmp_path / "outside.usda"
    outside.write_text(stage(body("secret")))
    folder = tmp_path / "in"
    folder.mkdir()
    root = folder / "root.usda"
    text = stage(
        REFERENCE.format(
            {"relative": "../outside.usda", "absolute": str(outside), "link": "link.usda", "nested": "inner.usda"}.get(
                how, "x"
            )
        )
    )
    if how == "link":
        (folder / "link.usda").symlink_to(outside)
    if how == "nested":
        (folder / "inner.usda").write_text(stage(REFERENCE.format("../outside.usda")))
    if how == "sublayer":
        text = "#usda 1.0\n(\n subLayers = [@../outside.usda@]\n)\n"
    if how == "variant":
        text = '#usda 1.0\ndef Xform "r" (\n variants = {\n string v = "a"\n }\n prepend variantSets = "v"\n)\n{\n variantSet "v" = {\n "a" {\n }\n "b" (\n prepend references = @../outside.usda@\n ) {\n }\n }\n}'
    root.write_text(text)
    with pytest.raises(ParseError, match="outside the folder"):
        newtonlite.ModelBuilder().add_usd(root)
    if how in ("relative", "absolute", "sublayer"):
        builder = newtonlite.ModelBuilder()
        builder.add_usd(root, allow_outside=True, on_unsupported="warn") if how == "sublayer" else None
        assert how != "sublayer" or builder.body_count == 1


def test_text_has_no_folder_to_look_in():
    with pytest.raises(ParseError, match="text has no folder"):
        load(stage(REFERENCE.format("a.usda")))


def test_layers_that_refer_to_each_other_end(tmp_path):
    for one, two in (("a", "b"), ("b", "a")):
        (tmp_path / f"{one}.usda").write_text('#usda 1.0\n(\n defaultPrim = "r"\n)\n' + REFERENCE.format(f"{two}.usda"))
    with pytest.raises(ParseError, match="a.usda"):
        newtonlite.ModelBuilder().add_usd(tmp_path / "a.usda")


def test_prims_too_deep_or_too_many_are_refused(monkeypatch):
    from newtonlite.importers.usd import prims, walk

    deep = "".join('def "p" {{\n' for _ in range(walk.MAX_DEPTH + 5)) + "}" * (walk.MAX_DEPTH + 5)
    with pytest.raises(ParseError, match="prims deep|cannot be read"):
        load(stage(deep))
    monkeypatch.setattr(prims, "MAX_PRIMS", 5)
    with pytest.raises(ParseError, match="more than 5 prims"):
        load(stage("\n".join(prim("Xform", f"x{i}") for i in range(6))))


def test_a_root_path_that_does_not_exist_is_refused():
    with pytest.raises(ParseError, match="root_path"):
        load(stage(body("a")), root_path="/nowhere")


def test_root_path_and_ignored_paths_choose():
    text = stage(body("a", collider("Cube", "c")), body("b", collider("Cube", "c"), where=at(3)))
    assert list(load(text, root_path="/b")[0].body_label) == ["/b"]
    assert list(load(text, ignore_paths=["/a"])[0].body_label) == ["/b"]


def test_variants_are_chosen_and_wrong_choices_refused():
    text = '#usda 1.0\ndef Xform "r" (\n variants = {{\n string v = "one"\n }}\n prepend variantSets = "v"\n)\n{{\n variantSet "v" = {{\n "one" {{\n }}\n "two" {{\n {}\n }}\n }}\n}}'.format(
        body("b")
    )
    assert [load(text, variants=v)[0].body_count for v in (None, {"/r": {"v": "two"}})] == [0, 1]
    for wrong in ({"/x": {"v": "two"}}, {"/r": {"w": "two"}}, {"/r": {"v": "three"}}):
        with pytest.raises(ParseError, match="has no|no prim"):
            load(text, variants=wrong)


def test_a_stage_of_the_callers_is_read_and_not_changed():
    held = Usd.Stage.CreateInMemory()
    held.GetRootLayer().ImportFromString(stage(body("a", collider("Cube", "c"))))
    before = held.GetRootLayer().ExportToString(), held.GetSessionLayer().ExportToString()
    builder = newtonlite.ModelBuilder()
    for _ in range(2):
        builder.add_usd(held)
    assert builder.body_count == 2
    assert (held.GetRootLayer().ExportToString(), held.GetSessionLayer().ExportToString()) == before


def test_the_same_stage_gives_the_same_numbers_again():
    text = stage(
        body("a", collider("Cube", "c")),
        body("b", where=at(1)),
        joint("Revolute", "j", "/a", "/b", "point3f physics:localPos0 = (1, 0, 0)"),
    )
    assert state(load(text)[0]) == state(load(text)[0])


def test_a_file_that_was_changed_is_read_anew(tmp_path):
    path = tmp_path / "a.usda"
    held = []
    for count in (1, 3, 2):
        path.write_text(stage(*(body(f"b{i}", where=at(i)) for i in range(count))))
        builder = newtonlite.ModelBuilder()
        builder.add_usd(path)
        held.append(Usd.Stage.Open(str(path)))
        assert builder.body_count == count


def test_the_report_tells_what_was_used_converted_and_ignored():
    report = Report()
    load(
        stage(
            body("a", collider("Cone", "c"), prim("BasisCurves", "hair")),
            prim("PhysicsScene", "p"),
            prim("PhysicsScene", "q"),
        ),
        report=report,
    )
    text = str(report)
    assert "1 body, 1 collider" in text
    assert "</a/c>" in text and "convex mesh" in text
    assert "</a/hair>" in text and "</q>" in text


def test_fifty_imports_with_pictures_in_one_process():
    text = stage(body("a", prim("Cube", "v"), collider("Sphere", "c")))
    for _ in range(50):
        assert load(text)[0].shape_count == 2


def test_importing_the_package_does_not_import_openusd():
    import subprocess
    import sys

    code = "import sys, newtonlite, newtonlite.importers.usd; newtonlite.ModelBuilder; sys.exit('pxr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_wild_mesh_has_an_inertia_that_a_mass_can_have():
    rng = np.random.default_rng(0)
    points = ", ".join(f"({x:.3f}, {y:.3f}, {z:.3f})" for x, y, z in rng.normal(size=(20, 3)))
    corners = ", ".join(map(str, rng.integers(0, 20, 60)))
    builder, _ = load(
        stage(
            body(
                "a",
                collider(
                    "Mesh",
                    "m",
                    f"point3f[] points = [{points}]",
                    f"int[] faceVertexCounts = [{', '.join(['3'] * 20)}]",
                    f"int[] faceVertexIndices = [{corners}]",
                ),
                mass=None,
            )
        )
    )
    tensor = builder.columns["body_inertia"].array()[0].reshape(3, 3)
    assert np.linalg.eigvalsh(tensor)[0] >= 0
    assert_close(tensor, tensor.T, "authored")


def test_what_is_not_read_is_told():
    report = Report()
    text = '#usda 1.0\ndef Xform "r" (\n variants = {\n string Physics = "one"\n }\n prepend variantSets = "Physics"\n)\n{\n variantSet "Physics" = {\n "one" {\n }\n "mujoco" {\n }\n }\n}\n'
    load(
        text + prim("NewtonActuator", "motor") + "\n" + prim("Mesh", "cloth", apis=("PhysicsSurfaceDeformableSimAPI",)),
        report=report,
    )
    text = str(report)
    assert (
        "actuators outside the solver" in text and "deformables are not supported" in text and "chooses mujoco" in text
    )


@pytest.mark.parametrize("shape", ["[1, 4]", "[3, 4]"])
def test_a_height_field_needs_rows_columns_and_as_many_heights(shape):
    field = (
        f"int[] newton:heightfield:shape = {shape}",
        "double[] newton:heightfield:size = [1, 1, 1, 0.1]",
        "double[] newton:heightfield:elevation = [0, 1]",
    )
    with pytest.raises(ParseError, match="newton:heightfield:"):
        newtonlite.ModelBuilder().add_usd(stage(collider("Mesh", "hills", *field)))
