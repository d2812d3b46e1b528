"""The example of docs/mjwarp.md runs, and the functions it lists are the module's."""

import re

import newtonlite.mjwarp as mjw
from tests.house.project import ROOT

PAGE = (ROOT / "docs" / "mjwarp.md").read_text()


def test_the_example_runs(capsys):
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)[1].replace("range(100)", "range(2)")
    exec(compile(code, "docs/mjwarp.md", "exec"), {})
    assert "[" in capsys.readouterr().out


def test_the_listed_functions_exist_and_all_are_listed():
    rows = [line.split("|")[2] for line in PAGE.splitlines() if line.startswith("|") and "`" in line]
    listed = {name for row in rows for name in re.findall(r"`mjw\.(\w+)`", row)}
    functions = {
        name for name in mjw.__all__ if callable(getattr(mjw, name)) and not isinstance(getattr(mjw, name), type)
    }
    assert {name for name in listed if not hasattr(mjw, name)} == set()
    assert functions - listed == set()
