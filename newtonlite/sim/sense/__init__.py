"""Sensors over a scene's states and contacts, independent of the solver."""
