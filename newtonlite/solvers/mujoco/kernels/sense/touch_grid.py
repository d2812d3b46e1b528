"""Grid of touch, MuJoCo's plugin of that name: forces of contacts, by the direction in which a site sees them.

The grid covers angles about the site's -z axis, up to ``fov`` to both sides; its cells are equal, or smaller in the
middle (foveal, ``gamma``). Not to be confused with ``tactile`` sensors, which feel depth at the vertices of a mesh.
"""

import warp as wp

from newtonlite.core.mujoco import MjtDisableBit
from newtonlite.solvers.mujoco.field_types import DataFields, ModelFields
from newtonlite.solvers.mujoco.kernels.primitives.flex_point import is_flex_side
from newtonlite.solvers.mujoco.kernels.primitives.team import sync
from newtonlite.solvers.mujoco.kernels.sense.write import bounded


@wp.func
def grid_edge(k: int, count: int, fov: float, gamma: float) -> float:
    """Edge ``k`` of ``count`` cells [rad]: ``gamma x^5 + (1 - gamma) x`` of the field of view, x from -1 to 1."""
    x = 2.0 * float(k) / float(count) - 1.0
    return fov * (gamma * x * x * x * x * x + (1.0 - gamma) * x)


@wp.func
def grid_cell(angle: float, count: int, fov: float, gamma: float) -> int:
    """Cell of an angle, the lower one at an edge between two; -1 outside."""
    found = int(-1)
    for k in range(count):
        if grid_edge(k, count, fov, gamma) < angle and angle <= grid_edge(k + 1, count, fov, gamma):
            found = k
    return found


@wp.func
def grid_wrench(m: ModelFields, d: DataFields, world: int, site: int, c: int, turned: bool) -> wp.spatial_vector:
    """Force and torque of a contact in the site's frame, each as its components along z, x and y."""
    frame = wp.transpose(d.contact_frame[world, c])
    axes = wp.transpose(d.site_xmat[world, site])
    wrench = d.contact_force[world, c]
    force = axes * (frame * wp.spatial_top(wrench))
    torque = axes * (frame * wp.spatial_bottom(wrench))
    out = wp.spatial_vector(force[2], force[0], force[1], torque[2], torque[0], torque[1])
    if turned:
        out = -out
    return out


@wp.func
def add_touch(m: ModelFields, d: DataFields, world: int, i: int, c: int):
    """Add a contact to the cell in whose direction it lies, where it touches what the site is on; flexes count for nothing."""
    s = m.sense_grid[i]
    site = m.sensor_objid[s]
    geoms = d.contact_geom[world, c]
    if is_flex_side(m, d, world, c, 1):
        return
    own = m.grid_weldid[i]
    one = m.geom_weldid[geoms[0]]
    two = m.geom_weldid[geoms[1]]
    if one != own and two != own:
        return

    # azimuth and elevation of the contact, seen along -z
    p = wp.transpose(d.site_xmat[world, site]) * (d.contact_pos[world, c] - d.site_xpos[world, site])
    shape = m.grid_shape[i]
    fov = m.grid_fov[world, i]
    column = grid_cell(wp.atan2(p[0], -p[2]), shape[0], fov[0], fov[2])
    row = grid_cell(wp.atan2(p[1], wp.sqrt(p[0] * p[0] + p[2] * p[2])), shape[1], fov[1], fov[2])
    if column < 0 or row < 0:
        return
    # a contact's force acts on its second geom
    wrench = grid_wrench(m, d, world, site, c, one == own)
    first = m.sensor_adr[s] + row * shape[0] + column
    for k in range(shape[2]):
        at = first + k * shape[0] * shape[1]
        d.sensordata[world, at] = d.sensordata[world, at] + wrench[k]


@wp.func
def touch_grids(m: ModelFields, d: DataFields, world: int, lane: int, nlane: int):
    """Grids of touch, each by one lane: the contacts are summed up in their order."""
    if m.ngrid > 0 and (m.opt_disableflags & MjtDisableBit.SENSOR) == 0:
        for i in range(lane, m.ngrid, nlane):
            s = m.sense_grid[i]
            first = m.sensor_adr[s]
            for k in range(m.sensor_dim[s]):
                d.sensordata[world, first + k] = 0.0
            for c in range(d.ncon[world]):
                if d.contact_efc_address[world, c] >= 0:
                    add_touch(m, d, world, i, c)
            for k in range(m.sensor_dim[s]):
                d.sensordata[world, first + k] = bounded(m, world, s, d.sensordata[world, first + k])
    sync()
