"""Class names are unique in the package, so that a search finds one, and an error's name says where it comes from."""

import ast
from collections import defaultdict

from tests.house.project import name, sources, tree

PUBLIC = {"Model": "Newton's, and MuJoCo Warp's in newtonlite.mjwarp"}


def test_a_class_of_a_name_is_in_one_file():
    found = defaultdict(list)
    for path in sources("newtonlite"):
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(name(path))
    twice = {key: places for key, places in found.items() if len(places) > 1}
    assert twice.keys() == PUBLIC.keys(), twice
