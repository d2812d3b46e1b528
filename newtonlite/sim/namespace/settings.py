"""Options, flags and statistics of a file on a builder, by the rows of the schema."""

from typing import Any

from newtonlite.core.table import CUSTOM, Element
from newtonlite.schema.execute import scene_values
from newtonlite.schema.namespace import PER_WORLD


def add_settings(builder, element: Element, values: dict[str, Any]) -> None:
    """Set what rows of an element bind: that of the open world, or of all; defaults count, whatever was there before."""
    row = max(builder.current_world, 0)
    for key, value in scene_values(element, values, every=True).items():
        builder.custom_attributes[key].values[row if key.removeprefix(CUSTOM) in PER_WORLD else 0] = value
