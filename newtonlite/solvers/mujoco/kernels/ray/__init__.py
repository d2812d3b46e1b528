"""Ray casting."""
