"""Pictures as arrays: PNG files, patterns made by formula, textures."""
