"""Images as arrays: PNG files, procedural patterns, textures."""
