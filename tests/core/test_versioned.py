"""VersionedDict: every change of which values there are is counted."""

import copy
import pickle

import pytest

from newtonlite.core.versioned import Version, VersionedDict

CHANGES = {
    "set": lambda d: d.__setitem__("a", 2),
    "new": lambda d: d.__setitem__("b", 2),
    "delete": lambda d: d.__delitem__("a"),
    "update": lambda d: d.update(a=3),
    "or": lambda d: d.__ior__({"a": 3}),
    "clear": lambda d: d.clear(),
    "pop": lambda d: d.pop("a"),
    "popitem": lambda d: d.popitem(),
    "setdefault": lambda d: d.setdefault("c", 1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_counts(change):
    version = Version()
    values, plain = VersionedDict({"a": 1}, version), {"a": 1}
    assert (version.count, values) == (0, plain)
    change(values), change(plain)
    assert version.count == 1
    assert values == plain


def test_no_way_to_change_a_dictionary_was_forgotten():
    assert set(vars(dict)) - set(vars(VersionedDict)) <= {
        *("__class_getitem__ __contains__ __eq__ __ge__ __getattribute__ __getitem__ __gt__ __hash__ __iter__ __le__ __len__ __lt__".split()),
        *("__ne__ __new__ __or__ __repr__ __reversed__ __ror__ __sizeof__ copy fromkeys get items keys values".split()),
    }  # fmt: skip


def test_reading_counts_nothing():
    version = Version()
    values = VersionedDict({"a": 1}, version)
    assert (values["a"], values.get("b"), "a" in values, {**values}, values | {"b": 2}) == (
        1,
        None,
        True,
        {"a": 1},
        {"a": 1, "b": 2},
    )
    assert version.count == 0


def test_copies_have_the_values():
    values = VersionedDict({"a": [1]}, Version())
    for other in (copy.copy(values), copy.deepcopy(values), pickle.loads(pickle.dumps(values))):
        assert other == values
