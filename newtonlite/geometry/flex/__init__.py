"""Soft bodies as geometry: generated points and elements, volumes in Gmsh files, grids of interpolation cells."""
