"""Writing USD from a compiled model: ``save_usd``."""

from newtonlite.exporters.usd.write import save_usd

__all__ = ["save_usd"]
