"""Cameras of many worlds: depth, segmentation and normals by ray casting.

``surfaces`` makes a hierarchy of boxes for each mesh and height field, once; ``rays`` has the rays of the cameras and the
cones about tiles of pixels; ``trace`` casts them, and ``batch`` holds the pictures.
"""
