"""Build hook of the wheel: one that carries compiled kernels (``make wheel``) is for Linux on x86-64."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = "newtonlite/solvers/mujoco/executor/cpu/packaged_kernels"


class Hook(BuildHookInterface):
    """Take the kernels along where they were compiled."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Called by hatchling before it builds."""
        if version != "editable" and (Path(self.root) / KERNELS).is_dir():
            build_data["artifacts"].append(f"/{KERNELS}")
            build_data["pure_python"], build_data["tag"] = False, "py3-none-manylinux_2_28_x86_64"
