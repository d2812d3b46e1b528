"""Managers: each runs the terms of one table of a task, for all worlds at once."""
