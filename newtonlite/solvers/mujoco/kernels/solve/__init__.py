"""Constraint solvers: Newton, CG, PGS, noslip."""
