"""The page of the viewer in a browser, on viser."""
