"""Primitives of a team of lanes: sums, dense matrices, sorting, vector copies."""
