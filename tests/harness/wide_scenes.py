"""Scenes of many dofs, compiled: those of ``benchmarks.wide_scenes``."""

from benchmarks import wide_scenes
from tests import oracle

PLATE = wide_scenes.PLATE


def cloth(*args, **kwargs):
    """Points that slide along three axes, tied to their neighbours."""
    return oracle.compile_xml(wide_scenes.cloth(*args, **kwargs))


def chain(*args):
    """Sliders that follow each other."""
    return oracle.compile_xml(wide_scenes.chain(*args))


def heap(*args, **kwargs):
    """Free boxes and spheres in layers."""
    return oracle.compile_xml(wide_scenes.heap(*args, **kwargs))
