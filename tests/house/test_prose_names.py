"""Prose keeps up with code: a name in backticks, in a docstring or comment of the package, is one that exists."""

import builtins
import re
import sys
from functools import cache

import pytest

from tests.house.project import PACKAGE, files, name, sources

TOP = re.compile(r"^(?:(?:def|class) +)?([A-Za-z_]\w*)(?= *[(:=])", re.MULTILINE)
"""Names that a module defines at its top."""
SPAN = re.compile(r"``([^`]+)``")
DOCSTRING = re.compile(r'^[ \t]*"""(.*?)"""', re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(?:^|[ \t])# .*", re.MULTILINE)
PLACE = re.compile(r"\w{2,}(?:/\w{2,}(?:\.\w+)?)+")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\))?")
COMPOUND = re.compile(r"(?<![\w.'\"/-])[A-Za-z_]\w*_\w*(?:\.\w+)*")
"""In a formula or a line of code, the names with an underscore: others may be symbols of the book."""
SYMBOL = re.compile(r"(?:[A-Za-z]\w{0,2}|prod|Omega|Lambda)_\w+")
"""A symbol with an index, as ``S_k``: a short one, or any name of the package with an index of one letter."""
MUJOCO = re.compile(r"(?:mj|mjc|mjd|mjt|mjtf|mju|mjv|mjs|mjw|Mj)_?[A-Z_a-z]\w*")
"""Names of MuJoCo's C interface and Python module, and of MuJoCo Warp."""
OBJECTS = {"newtonlite", "mujoco", "control", "data", "model", "outputs", "settings", "solver"}
"""Modules with the names of objects: what comes after the dot may be an attribute of those."""
EXAMPLE = "an example of a name that a user gives, or a part in capitals that stands for one"
ELSEWHERE = {
    "arm_ang0": EXAMPLE,
    "arm_ang1": EXAMPLE,
    "hand_joint_0": EXAMPLE,
    "hand_geom_0": EXAMPLE,
    "hand_geom_0_visual": EXAMPLE,
    "hand_site_0": EXAMPLE,
    "vel_foot_left": EXAMPLE,
    "name_0.xml": EXAMPLE,
    "name_1.xml": EXAMPLE,
    "KEY_NAME": EXAMPLE,
    "NAME_model": EXAMPLE,
    "flag_x": EXAMPLE,
    "wi": "parts of a quaternion, in the book's symbols",
    "Lambda": "the inertia in task space, the book's symbol",
    "numpy.ix_": "NumPy's",
    "rsl_rl.runners.OnPolicyRunner": "rsl_rl's",
    "obs_groups": "rsl_rl's",
    "hash_combine": "Boost's",
    "fileup": "an attribute of MJCF's texture, read by its prefix",
    "sameframe": "a field of mjModel",
    "efc_AR": "a field of mjData",
    "range_t": "Warp's",
    "wp.config.enable_cpu_blocks": "Warp's",
}
"""Names that are not the package's, with whose they are."""


def headers():
    """C++ headers of the package."""
    return [path for path in files() if path.suffix == ".h" and PACKAGE in path.parents]


@cache
def prose_and_code(path) -> tuple[list, str]:
    """Docstrings and comments of a file as pairs (line, text), and the rest of it."""
    text = path.read_text()
    if path.suffix == ".h":
        comments = [(i, line.split("//", 1)[1]) for i, line in enumerate(text.splitlines(), 1) if "//" in line]
        return [(i, line.replace("`", "``")) for i, line in comments], re.sub(r"//.*", "", text)
    found = [(text.count("\n", 0, match.start()) + 1, match.group(1)) for match in DOCSTRING.finditer(text)]
    for number, line in enumerate(text.splitlines(), 1):
        if "``" in line and (match := COMMENT.search(line)):
            found.append((number, match.group()))
    return found, DOCSTRING.sub("", text)


@cache
def known() -> tuple[set, dict]:
    """Words of the package's code, its tables and strings included; and those of each module and folder by its name."""
    words, modules = set(dir(builtins)) | set(sys.stdlib_module_names) | {path.name for path in headers()}, {}
    for path in (*sources("newtonlite"), *headers()):
        code = COMMENT.sub("", prose_and_code(path)[1]) if path.suffix == ".py" else prose_and_code(path)[1]
        own = set(re.findall(r"[A-Za-z_]\w*", code))
        *folders, stem = path.relative_to(PACKAGE.parent).with_suffix("").parts
        words |= own | {*folders, stem}
        modules.setdefault(folders[-1] if stem == "__init__" else stem, set()).update(own)
        for folder in folders:
            modules.setdefault(folder, set()).update({*folders, stem}, TOP.findall(code))
    return words, modules


@cache
def attributes() -> set:
    """Words that stand after a dot in code, at the top of a module or within a class, or in a string of their own."""
    found = set()
    for path in (*sources("newtonlite"), *headers()):
        code = prose_and_code(path)[1]
        found |= {*TOP.findall(code), *re.findall(r"\.([A-Za-z_]\w*)", code), *re.findall(r"\"(\w+)\"", code)}
        found |= set(re.findall(r"^    (?:def +|class +)?([A-Za-z_]\w*)(?= *[(:=])", code, re.MULTILINE))
    return found


@cache
def folders() -> set:
    """Names of the package's folders."""
    return {part for path in sources("newtonlite") for part in path.relative_to(PACKAGE.parent).parts[:-1]}


@cache
def places() -> set:
    """Files and folders of the package, with and without their endings, from any folder above them on."""
    found = set()
    for path in (*sources("newtonlite"), *headers()):
        parts = path.relative_to(PACKAGE.parent).parts
        for end in range(1, len(parts) + 1):
            found |= {"/".join(parts[start:end]) for start in range(end)}
        found |= {"/".join((*parts[start:-1], path.stem)) for start in range(len(parts))}
    return found


def names_in(span: str):
    """Names that a span in backticks speaks of: itself, or those with an underscore in a formula."""
    if NAME.fullmatch(span):
        yield span.removesuffix("()")
        return
    if PLACE.fullmatch(span) and span.split("/")[0] in folders():
        yield span
        return
    words, _ = known()
    for word in COMPOUND.findall(span):
        if not (SYMBOL.fullmatch(word) or word[:-2] in words and word[-2] == "_"):
            yield word


def exists(word: str) -> bool:
    """Whether a name or a dotted path is known; of ``module.name`` that module has to have it."""
    words, modules = known()
    if "/" in word:
        return word in places() or word in ELSEWHERE
    if word in words or word in ELSEWHERE or MUJOCO.fullmatch(word) or re.fullmatch(r"[A-Za-z](?:_\w+)?", word):
        return True
    if word.startswith("_"):  # the end of a name that begins as the one before
        return any(other.endswith(word) for other in words)
    if word.endswith("_"):
        return any(other.startswith(word) for other in words)
    *before, last = word.split(".")
    if MUJOCO.fullmatch(last):
        return True
    if before and before[-1] in modules and before[-1] not in OBJECTS:
        return last in modules[before[-1]]
    return bool(before) and all(part in words for part in before) and last in words & attributes()


def test_names_in_backticks_exist():
    stale = [
        f"{name(path)}:{line}: {word}"
        for path in (*sources("newtonlite"), *headers())
        for line, text in prose_and_code(path)[0]
        for span in SPAN.findall(text)
        for word in names_in(span)
        if not exists(word)
    ]
    assert not stale, f"{len(stale)} names that nothing has:\n" + "\n".join(stale)


@pytest.mark.parametrize(
    "span", ["nothing_has_this", "kernels.solve.nothing_has_this", "solve/nothing.py", "M x - qfrc_of_nothing"]
)
def test_a_name_that_nothing_has_is_found(span):
    assert [word for word in names_in(span) if not exists(word)]


@pytest.mark.parametrize(
    "span",
    ["solver_niter", "cost.slope_row", "solve/cost.py", "M x - qfrc_smooth - J' f", "S_k", "mj_island", "reset()"],
)
def test_names_of_code_and_of_the_book_are_not(span):
    assert not [word for word in names_in(span) if not exists(word)]


def test_exceptions_are_needed():
    """Every name of other software is spoken of somewhere."""
    spoken = "\n".join(text for path in (*sources("newtonlite"), *headers()) for _, text in prose_and_code(path)[0])
    assert not [word for word in ELSEWHERE if word not in spoken]
