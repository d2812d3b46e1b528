"""The ``mujoco`` namespace on a builder: its declaration, and how copies, owners and placements act on it."""
