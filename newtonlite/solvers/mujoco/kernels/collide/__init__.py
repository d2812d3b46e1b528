"""Collision: broad phase, narrow phase, contact parameters."""
