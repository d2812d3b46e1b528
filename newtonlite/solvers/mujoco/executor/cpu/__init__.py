"""The executor's backend for the CPU: kernels entered by their addresses, in chains, gangs of worlds and islands.

Its modules know private names of Warp, and how it compiles and enters kernels; ``executor/fence.py`` is the door to them.
"""
