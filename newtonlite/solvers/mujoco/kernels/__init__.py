"""Stages of the engine as Warp functions, one folder per phase of a step."""
