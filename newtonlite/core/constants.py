"""Constants of MuJoCo and Newton: smallest and largest values, and what stands for no limit."""

MINVAL = 1.0e-15
"""``mjMINVAL``: what is divided by is at least this; lengths, masses and pivots below it count as zero."""
MAXVAL = 1.0e10
"""``mjMAXVAL``: a coordinate, velocity or acceleration beyond it counts as diverged."""
MINIMP, MAXIMP = 1.0e-4, 0.9999
"""``mjMINIMP``, ``mjMAXIMP``: bounds of the impedance of a constraint."""
MINMU = 1.0e-5
"""``mjMINMU``: the smallest coefficient of friction."""
UNLIMITED = MAXVAL
"""Newton's limit [m or rad] of a joint axis that has none."""
UNLIMITED_EFFORT = 1.0e6
"""Newton's effort limit [N or N m] of a joint axis that has none."""
