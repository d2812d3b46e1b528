"""Enumeration members as attributes."""

from enum import IntEnum

from newtonlite.core import enums, mujoco
from newtonlite.core.enum_members import bind_members


def test_members_are_attributes_of_their_class():
    for module in (enums, mujoco):
        for kind in vars(module).values():
            for name, member in getattr(kind, "__members__", {}).items():
                assert vars(kind)[name] is member, (kind, name)


def test_binding_changes_no_member():
    kind = IntEnum("Kind", "ONE TWO")
    bind_members({"kind": kind, "other": 3})
    assert kind.ONE is kind(1) is kind["ONE"] and list(kind) == [1, 2] and kind.TWO.name == "TWO"
