"""Constraint rows: equality, dry friction, limits, contacts."""
