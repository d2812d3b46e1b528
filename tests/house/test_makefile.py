"""The Makefile: its help has eight verbs, and all of them are targets."""

import re

from tests.house.project import ROOT

TEXT = (ROOT / "Makefile").read_text()
VERBS = re.findall(r'@echo "make ([\w-]+) ', TEXT)
MOST = 8


def test_help_shows_eight_verbs():
    assert len(VERBS) == MOST


def test_verbs_and_phony_names_are_targets():
    targets = {name for line in re.findall(r"^([a-z][\w -]*):(?!=)", TEXT, re.MULTILINE) for name in line.split()}
    phony = set(re.search(r"^\.PHONY: (help .*)$", TEXT, re.MULTILINE)[1].split())
    assert set(VERBS) <= targets and phony - targets == set()
