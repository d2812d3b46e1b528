"""Shapes: what they weigh, what they are made of, where they touch."""
