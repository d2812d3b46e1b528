"""Linear algebra of rigid bodies: quaternions, rotations, spatial vectors."""
