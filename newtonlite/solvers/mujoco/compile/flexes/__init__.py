"""Soft bodies: from rows of the scene to MuJoCo's arrays of flexes."""
