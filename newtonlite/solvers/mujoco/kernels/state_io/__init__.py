"""State input and output: push before a step, pull after it, and the scene's parameters written into the engine's."""
