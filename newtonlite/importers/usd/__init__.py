"""Reading USD: ``parse_usd`` into a builder, ``load_usd`` into plain records."""

from newtonlite.importers.usd.load import load_usd
from newtonlite.importers.usd.parse import parse_usd

__all__ = ["load_usd", "parse_usd"]
