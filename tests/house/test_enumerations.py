"""Facts of MuJoCo and Newton stand in one place: enumerations in ``core/mujoco.py`` and ``core/enums.py``, numbers that
stand for nothing or for no end in ``core/constants.py``.
"""

import ast

from newtonlite.core import constants, enums
from newtonlite.core.mujoco import PREFIXES
from tests.house.project import name, sources, tree

HOMES = ("core/mujoco.py", "core/enums.py", "core/constants.py")
OWN = {
    "newtonlite/mjwarp/contacts.py: CONSTRAINT": "a bit of MuJoCo Warp's contact types",
    "newtonlite/collide/contact_reduction.py: FREE": "a mark of contacts",
    "newtonlite/sim/sense/contact.py: BODY": "what a Newton sensor watches",
}
"""Constants with the name and the number of a member of an enumeration that mean something else."""
KINDS = [*PREFIXES, *(kind for kind in vars(enums).values() if isinstance(kind, type) and issubclass(kind, int))]
MEMBERS = {(member, int(value)) for kind in KINDS for member, value in kind.__members__.items()}
LIMITS = {key for key in vars(constants) if key.isupper()}


def numbers_of_modules():
    """(place, name, number) of every constant of a module; of ``int(JointType.BALL)`` the number is None."""
    for path in sources("newtonlite"):
        if path.as_posix().endswith(HOMES):
            continue
        for node in tree(path).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Name, ast.Tuple)):
                target = node.targets[0]
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                values = (
                    [] if len(names) == 1 and isinstance(node.value, ast.Tuple) else numbers(node.value, len(names))
                )
                for one, value in zip(names, values):
                    if isinstance(one, ast.Name):
                        yield f"{name(path)}: {one.id}", one.id, value


def numbers(node: ast.expr, count: int) -> list:
    """The numbers that an expression gives to several names, as far as it is made of numbers."""
    if isinstance(node, ast.Tuple):
        return [value for part in node.elts for value in numbers(part, 1) or [MISSING]]
    if isinstance(node, ast.Call):
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if called == "range":
            return list(range(count))
        inner = node.args[0] if called in ("constant", "int") and node.args else None
        of_kind = isinstance(inner, ast.Attribute) and getattr(inner.value, "id", "") in CLASSES
        return [None] if of_kind else numbers(inner, 1) if inner is not None else []
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) else []


MISSING = object()
CLASSES = {kind.__name__ for kind in KINDS}


def test_no_module_numbers_an_enumeration_for_itself():
    found = [(place, value is None or (word, value) in MEMBERS) for place, word, value in numbers_of_modules()]
    again = {place for place, same in found if same}
    assert again == set(OWN), "take these from core.mujoco or core.enums, or say what they mean"


def test_no_module_has_a_limit_of_its_own():
    again = [place for place, word, _ in numbers_of_modules() if word in LIMITS]
    assert not again, "take these from core.constants:\n" + "\n".join(again)
