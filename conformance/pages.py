"""Pages of rows: counts by verdict, and the rows that are to be looked at; the others stay among the rows."""

import re
from collections import Counter

ROOM = 24
"""Most rows of a table; a page has 60 lines at most."""
CALM = ("equal", "measured", "held", "sound", "read", "passed")
"""Verdicts that say all there is to say."""


def one_line(problem: Exception) -> str:
    """An error in one line without bars, and without the path in front of a file's name."""
    text = re.sub(r"\S*/(?=[\w.-]+\.\w+)", "", " ".join(str(problem).split()))
    return text.replace("|", "/")[:160]


def counts(rows: list[dict], order: tuple[str, ...] = ()) -> str:
    """How many rows have each verdict, in an order or the most frequent first."""
    verdicts = Counter(row["verdict"] for row in rows)
    known = order or tuple(verdict for verdict, _ in verdicts.most_common())
    return ", ".join(f"**{verdicts[verdict]} {verdict}**" for verdict in known if verdicts[verdict]) + "."


def sorted_by_verdict(rows: list[dict], order: tuple[str, ...] = ()) -> list[dict]:
    """Rows by verdict, in an order or the most frequent first, then by name."""
    found = (verdict for verdict, _ in Counter(row["verdict"] for row in rows).most_common())
    known = (*order, *(verdict for verdict in found if verdict not in order))
    return sorted(rows, key=lambda row: (known.index(row["verdict"]), row["model"]))


def table(*heads: str) -> list[str]:
    """The first two lines of a table in Markdown."""
    return ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]


def exceptions(
    rows: list[dict], order: tuple[str, ...] = (), calm: tuple[str, ...] = CALM, room: int = ROOM
) -> list[dict]:
    """Rows with other verdicts than the calm ones, by verdict; of each as many as there is room for."""
    found = [row for row in sorted_by_verdict(rows, order) if row["verdict"] not in calm]
    verdicts = Counter(row["verdict"] for row in found)
    share = dict(fair(verdicts, room))
    shown: Counter[str] = Counter()
    chosen = []
    for row in found:
        shown[row["verdict"]] += 1
        if shown[row["verdict"]] <= share[row["verdict"]]:
            chosen.append(row)
    return chosen


def fair(wanted: Counter, room: int):
    """How many of each kind have room: all of those of which there are few, and equal parts of what is left."""
    left = len(wanted)
    for kind, number in sorted(wanted.items(), key=lambda item: item[1]):
        given = min(number, room // left)
        room, left = room - given, left - 1
        yield kind, given


def natural(name: str) -> list:
    """Sorting key of a name, in which numbers count as such."""
    return [(not part.isdigit(), int(part) if part.isdigit() else part) for part in re.split(r"(\d+)", name) if part]


def grouped(rows: list[dict], key: str = "note", room: int = 10) -> list[str]:
    """A table of verdicts with their reasons, the most frequent first; places in files and names in quotes are left out of
    the reasons.
    """
    kinds = Counter((row["verdict"], plain(str(row.get(key, "")))) for row in rows)
    lines = table("verdict", "reason", "models")
    lines += [f"| {verdict} | {reason} | {number} |" for (verdict, reason), number in kinds.most_common(room)]
    rest = kinds.most_common()[room:]
    return lines + ([f"| | {len(rest)} other reasons | {sum(number for _, number in rest)} |"] if rest else [])


def plain(reason: str) -> str:
    """A reason without where and of which it is."""
    reason = re.sub(r"^(?:\w+: )?[\w./-]+\.\w+(?::\d+)*: ", "", reason)
    reason = re.sub(r"<(\w+)[^>]*>", r"<\1>", reason)
    return re.sub(
        r"\s+", " ", re.sub(r"\d+(?:\.\d+)?(?:e[+-]\d+)?", "N", re.sub(r"\"[^\"]*\"|'[^']*'", "...", reason))
    ).strip()


def left_out(rows: list[dict], shown: list[dict], calm: tuple[str, ...] = CALM) -> list[str]:
    """A line that says how many rows are not on the page; none where all are."""
    missing = Counter(row["verdict"] for row in rows if row["verdict"] not in calm)
    missing -= Counter(row["verdict"] for row in shown)
    words = ", ".join(f"{number} more {verdict}" for verdict, number in missing.items())
    return ["", f"Not shown: {words}."] if words else []
