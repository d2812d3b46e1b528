"""Small stages as text, and importing them."""

import newtonlite

HEAD = """#usda 1.0
(
    metersPerUnit = {meters}
    upAxis = "Z"
)
"""


def stage(*parts: str, meters: float = 1.0) -> str:
    """A stage of parts, in metres and Z-up."""
    return HEAD.format(meters=meters) + "\n".join(parts)


def prim(kind: str, name: str, *inside: str, apis: tuple[str, ...] = ()) -> str:
    """A prim with applied schemas, attributes and children."""
    applied = f" (\n prepend apiSchemas = [{', '.join(repr(a) for a in apis)}]\n)".replace("'", '"') if apis else ""
    return f'def {kind} "{name}"{applied}\n{{\n' + "\n".join(inside) + "\n}"


def at(x: float, y: float = 0.0, z: float = 0.0) -> str:
    """A translation."""
    return f'double3 xformOp:translate = ({x}, {y}, {z})\nuniform token[] xformOpOrder = ["xformOp:translate"]'


def body(name: str, *inside: str, apis: tuple[str, ...] = (), mass: float | None = 1.0, where: str = "") -> str:
    """A rigid body, of a mass where one is given."""
    weight = (
        [f"float physics:mass = {mass}", f"float3 physics:diagonalInertia = ({mass}, {mass}, {mass})"]
        if mass is not None
        else []
    )
    schemas = ("PhysicsRigidBodyAPI", *(("PhysicsMassAPI",) if mass is not None else ()), *apis)
    return prim("Xform", name, where, *weight, *inside, apis=schemas)


def joint(kind: str, name: str, one: str, two: str, *inside: str, apis: tuple[str, ...] = ()) -> str:
    """A joint between two paths; empty ones are left out."""
    ends = [f"rel physics:body{i} = <{path}>" for i, path in enumerate((one, two)) if path]
    return prim(f"Physics{kind}Joint", name, *ends, *inside, apis=apis)


def collider(kind: str, name: str, *inside: str, apis: tuple[str, ...] = ()) -> str:
    """A collider."""
    return prim(kind, name, *inside, apis=("PhysicsCollisionAPI", *apis))


def load(text: str, **options):
    """The builder that a stage was added to, and what ``add_usd`` returned."""
    builder = newtonlite.ModelBuilder()
    return builder, builder.add_usd(text, **options)
