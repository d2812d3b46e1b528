"""Writing models: MJCF text, and an exact binary form."""
