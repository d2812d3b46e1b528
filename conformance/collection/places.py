"""Folders of the models: the project's own, where wheels are unpacked, and the folder beside the project."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = ROOT / "tests" / "models"
UNPACKED = ROOT / ".cache" / "collection"
ASSETS = ROOT.parent / "shared" / "assets"
"""Real robots that not everybody has."""
