"""Position stages: kinematics, inertia, tendons."""
