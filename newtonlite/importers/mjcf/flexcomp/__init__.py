"""Flexcomp: the soft body of one element, with the bodies and joints of its points."""
