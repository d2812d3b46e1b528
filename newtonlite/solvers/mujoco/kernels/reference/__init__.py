"""Reference forms of native functions, in plain Warp: what each computes, for readers and for tests.

A reference form has the name, the signature and the file name of its native form, which tests compare with it. What it
leaves alone, such as the pad of a row or the other half of a symmetric matrix, the native form may overwrite. The engine
does not use them, and the wheel does not have them.
"""
