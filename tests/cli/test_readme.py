"""The README's example is the one in examples/, and it runs."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_readme_shows_the_example_and_it_runs(capsys):
    shown = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    assert shown == (ROOT / "examples" / "rollout.py").read_text()
    runpy.run_path(str(ROOT / "examples" / "rollout.py"))
    assert "heights of the hips" in capsys.readouterr().out
