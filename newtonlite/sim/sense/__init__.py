"""Sensors that read a scene's states and contacts, whatever solver made them."""
