"""Robots that comparisons and races run over: small ones of our own, those of published wheels, and a folder beside the project."""
