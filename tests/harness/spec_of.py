"""Short ways to a resolved model in tests."""

from newtonlite.importers.mjcf import load_mjcf
from newtonlite.importers.mjcf.spec import Spec


def spec_of(text: str, **options) -> Spec:
    """The resolved model of an XML text; ``<mujoco>`` is put around what lacks it."""
    if not text.lstrip().startswith("<mujoco"):
        text = f"<mujoco>{text}</mujoco>"
    return load_mjcf(text, **options)[0]


def world(text: str, **options) -> Spec:
    """The resolved model of what stands in the world."""
    return spec_of(f"<worldbody>{text}</worldbody>", **options)
