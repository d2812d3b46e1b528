"""The schema of MJCF: data only, one file per section.

``MUJOCO`` is the root element; everything else hangs below it.
"""

from newtonlite.core.table import METADATA, Attr, Element, text
from newtonlite.schema.actuator import ACTUATOR
from newtonlite.schema.asset import ASSET
from newtonlite.schema.body import WORLDBODY
from newtonlite.schema.contact import CONTACT
from newtonlite.schema.default import DEFAULT
from newtonlite.schema.deformable import DEFORMABLE
from newtonlite.schema.equality import EQUALITY
from newtonlite.schema.extension import EXTENSION
from newtonlite.schema.keyframe import CUSTOM, KEYFRAME
from newtonlite.schema.option import COMPILER, OPTION, SIZE, STATISTIC
from newtonlite.schema.sensor import SENSOR
from newtonlite.schema.tendon import TENDON
from newtonlite.schema.visual import VISUAL

MUJOCO = Element(
    "mujoco",
    (Attr("model", text, "MuJoCo Model", doc="Name of the model.", status=METADATA),),
    (
        COMPILER,
        OPTION,
        SIZE,
        STATISTIC,
        VISUAL,
        DEFAULT,
        EXTENSION,
        CUSTOM,
        ASSET,
        WORLDBODY,
        DEFORMABLE,
        CONTACT,
        EQUALITY,
        TENDON,
        ACTUATOR,
        SENSOR,
        KEYFRAME,
    ),
    doc="The whole file.",
)
