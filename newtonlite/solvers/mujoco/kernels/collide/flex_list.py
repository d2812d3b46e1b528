"""Lists of near parts of flexes: what each lane of a team found, side by side in the order of the lanes."""

import warp as wp

from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.team import team_scan


@wp.func
def element_at(elements: wp.array[int], place: int, end: int) -> int:
    """Element in a lane's place, -1 from ``end`` on."""
    e = int(-1)
    if place < end:
        e = elements[place]
    return e


@wp.func
def list_part(d: DataFields, world: int, near: bool, part: wp.vec2i, listed: int) -> int:
    """List the parts of the lanes that found theirs near in ``flexnear``, behind the ``listed`` ones; how many are listed then."""
    slots = team_scan(d.team_i, world, wp.where(near, 1, 0))
    if near:
        d.flexnear[world, listed + slots[0]] = part
    return listed + slots[1]


@wp.func
def list_block(m: ModelFields, d: DataFields, world: int, near: bool, block: int, listed: int) -> int:
    """The same of blocks in ``flexnear_block``; those count too for which there is no room."""
    slots = team_scan(d.team_i, world, wp.where(near, 1, 0))
    if near and listed + slots[0] < m.nflexnearblock:
        d.flexnear_block[world, listed + slots[0]] = block
    return listed + slots[1]
