"""Slow comparisons over the collection of real models; ``python -m conformance NAME`` runs one."""
