"""Hydroelastic settings of Newton: supported, without effect, or refused."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from newtonlite.core.errors import ModelError

MARGIN_AREA = 1e-2
"""[m^2] by default."""


class HydroelasticSDF:
    """Contacts between shapes with ``is_hydroelastic``, which ``CollisionPipeline`` makes by itself: only its
    ``Config`` is of use here.
    """

    @dataclass
    class Config:
        """Settings for ``CollisionPipeline(sdf_hydroelastic_config=...)``; raises ModelError for values that are out of
        range or ask for what is not here.

        A patch is cut into at most 32 cells along its longest side and gathered into columns (docs/collision.md),
        whatever sizes of buffers say: nothing of it can overflow. Pieces stand at their centres of pressure with their
        own mean normals, so that force and moment are kept whatever ``normal_matching`` and ``anchor_contact`` say.
        ``reduce_contacts`` False, ``moment_matching``, ``output_contact_surface``, and pressures that are not
        proportional to depth (``pressure_func``, ``pressure_data``) are refused; pieces that do not press yet are not
        listed, so ``margin_contact_area`` is as well.
        """

        reduce_contacts: bool = True
        pre_prune_contacts: bool = True
        buffer_fraction: float = 1.0
        buffer_mult_broad: int = 1
        buffer_mult_iso: int = 1
        buffer_mult_contact: int = 1
        contact_buffer_fraction: float = 0.5
        contact_reduction_hashtable_size_factor: float = 0.25
        grid_size: int = 256 * 8 * 128
        output_contact_surface: bool = False
        normal_matching: bool = True
        anchor_contact: bool = False
        moment_matching: bool = False
        margin_contact_area: float = MARGIN_AREA
        pressure_func: Any = None
        pressure_data: Any = None
        mc_edge_clamp_min: float = 0.02

        def __post_init__(self):
            """Check the values."""
            for name, low, high in (
                ("buffer_fraction", 0.0, 1.0),
                ("contact_buffer_fraction", 0.0, 1.0),
                ("contact_reduction_hashtable_size_factor", 0.0, np.inf),
                ("buffer_mult_broad", 0.0, np.inf),
                ("buffer_mult_iso", 0.0, np.inf),
                ("buffer_mult_contact", 0.0, np.inf),
            ):
                value = getattr(self, name)
                if not low < value <= high:
                    raise ModelError(
                        f"HydroelasticSDF.Config {name}: {value!r}; give a number above {low:g}"
                        + (f", at most {high:g}" if high < np.inf else "")
                    )
            if not 0.0 <= self.mc_edge_clamp_min <= 0.5:
                raise ModelError(
                    f"HydroelasticSDF.Config mc_edge_clamp_min: {self.mc_edge_clamp_min!r}; give a number from 0 to 0.5"
                )
            wants = {
                "reduce_contacts=False": not self.reduce_contacts,
                "output_contact_surface": self.output_contact_surface,
                "moment_matching": self.moment_matching,
                "margin_contact_area": self.margin_contact_area != MARGIN_AREA,
                "pressure_func": self.pressure_func is not None,
                "pressure_data": self.pressure_data is not None,
            }
            for name, asked in wants.items():
                if asked:
                    raise ModelError(f"HydroelasticSDF.Config {name} is not supported; leave it out")

    def __init__(self, *arguments: Any, **options: Any):
        raise ModelError(
            "HydroelasticSDF: CollisionPipeline makes these contacts by itself; set is_hydroelastic and kh of shapes, and pass it a Config"
        )
