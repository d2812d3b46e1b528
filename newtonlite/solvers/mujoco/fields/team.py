"""Team scratch fields: one slot per lane."""

from newtonlite.core.field import Field as F

DATA = (
    F("team_f", float, "nlane", "one float per lane, for sums and scans", "team"),
    F("team_i", int, "nlane", "one integer per lane, for sums and scans", "team"),
)
