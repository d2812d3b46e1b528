"""The border between the scene's words and the engine's: push before a step, pull after it."""
