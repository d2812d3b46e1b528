"""The team primitives in plain Warp: the definitions that the native forms are tested against.

Each has the name and the signature of its native form. What a twin leaves alone, such as the pad of a row or the other half
of a symmetric matrix, the native form may overwrite.
"""
