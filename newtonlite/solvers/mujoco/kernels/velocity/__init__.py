"""Velocity stages: bias forces, passive forces, fluid, tendons."""
