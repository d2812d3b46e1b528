"""Settings: the environment variables of the package, what each takes, and their values."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from newtonlite.core.errors import SettingError

YES, NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
POLICIES = ("background", "wait", "general")


def switch(text: str) -> bool:
    """Yes or no; ValueError for anything else."""
    word = text.strip().lower()
    word = word.lstrip("0") or "0" if word.isascii() and word.isdigit() else word
    if word not in (*YES, *NO):
        raise ValueError(f"one of {', '.join(YES)} for yes, {', '.join(NO)} for no")
    return word in YES


def policy(text: str) -> str:
    """One of ``POLICIES``, the first for empty text; ValueError for anything else."""
    if text and text not in POLICIES:
        raise ValueError(f"one of {', '.join(POLICIES)}")
    return text or POLICIES[0]


def folder(text: str) -> Path | None:
    """A folder; None for empty text."""
    return Path(text) if text else None


def users_folder() -> Path:
    """The folder of the package in the user's folder for caches."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "newtonlite"


class Setting(NamedTuple):
    """Setting: what makes a value of its text, what gives one where it is not set, and what it is for."""

    parse: Callable[[str], Any]
    default: Callable[[], Any]
    doc: str


SETTINGS = {
    "NEWTONLITE_ALLOW_OUTSIDE": Setting(
        switch, lambda: True, "whether models may read outside the folder above their own"
    ),
    "NEWTONLITE_KERNELS": Setting(
        policy, lambda: POLICIES[0], "what a first step does whose kernels are not compiled yet"
    ),
    "NEWTONLITE_PROGRESS": Setting(switch, lambda: True, "whether a call that waits for a compiler says for what"),
    "NEWTONLITE_WARP_INTERNALS": Setting(
        switch, lambda: True, "whether names of Warp are used that are not its public interface"
    ),
    "NEWTONLITE_CACHE_PATH": Setting(folder, users_folder, "folder of cached results; empty for none"),
}


def setting(name: str) -> Any:
    """The value of a setting. SettingError with its name, its text and what is expected for one that makes no sense."""
    row, text = SETTINGS[name], os.environ.get(name)
    if text is None:
        return row.default()
    try:
        return row.parse(text)
    except ValueError as expected:
        raise SettingError(f"{name}: expected {expected}, got {text!r}") from None
