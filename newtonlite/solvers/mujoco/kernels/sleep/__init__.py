"""Sleeping and waking of kinematic trees, islands."""
