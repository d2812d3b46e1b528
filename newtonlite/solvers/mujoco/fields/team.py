"""Scratch with one slot per lane."""

from newtonlite.core.field import Field as F

DATA = (
    F("team_f", float, "nlane", "", "team"),
    F("team_i", int, "nlane", "", "team"),
)
