"""Velocities and accelerations of bodies, geoms and sites, for all worlds at once."""

import warp as wp

from newtonlite.core.errors import StateError
from newtonlite.core.kernel_module import kernel_module
from newtonlite.mjwarp.enums import ObjType

kernel_module(__name__)


@wp.kernel(enable_backward=False)
def object_motion(
    b: int,
    rootid: wp.array[int],
    com: wp.array2d[wp.vec3],
    cvel: wp.array2d[wp.spatial_vector],
    motion: wp.array2d[wp.spatial_vector],
    pos: wp.array2d[wp.vec3],
    mat: wp.array2d[wp.mat33],
    id: int,
    local: bool,
    second: bool,
    res: wp.array[wp.spatial_vector],
):
    """A spatial vector of a body seen at a point; an acceleration (``second``) with what the point's own turning adds."""
    world = wp.tid()
    arm = pos[world, id] - com[world, rootid[b]]
    turn = wp.spatial_top(motion[world, b])
    move = wp.spatial_bottom(motion[world, b]) + wp.cross(turn, arm)
    if second:
        v = cvel[world, b]
        move += wp.cross(wp.spatial_top(v), wp.spatial_bottom(v) + wp.cross(wp.spatial_top(v), arm))
    if local:
        back = wp.transpose(mat[world, id])
        turn = back * turn
        move = back * move
    res[world] = wp.spatial_vector(turn, move)


def object_velocity(m, d, objtype: int, objid: int, res: wp.array, flg_local: bool = False) -> None:
    """Angular and linear velocity, ``[nworld]`` spatial vectors, of an object (``mj_objectVelocity``). Needs
    ``com_vel``.

    ``objtype`` is an ``ObjType``: BODY (at the centre of mass), XBODY, GEOM, SITE or CAMERA; ``flg_local``: in the
    object's own axes. Raises StateError for other types, or objects that do not exist.
    """
    _launch(m, d, objtype, objid, d.cvel, flg_local, False, res)


def object_acceleration(m, d, objtype: int, objid: int, res: wp.array, flg_local: bool = False) -> None:
    """Angular and linear acceleration of an object, gravity pushing up (``mj_objectAcceleration``). Needs
    ``rne_postconstraint``.
    """
    _launch(m, d, objtype, objid, d.cacc, flg_local, True, res)


def _launch(m, d, objtype: int, objid: int, motion: wp.array, local: bool, second: bool, res: wp.array) -> None:
    bodies, pos, mat = _place(m, d, objtype)
    count = pos.shape[1]
    if not 0 <= objid < count:
        raise StateError(f"objid={objid}: the model has {count} of type {ObjType(objtype).name}")
    body = objid if bodies is None else int(bodies[objid])
    inputs = [body, m.body_rootid, d.subtree_com, d.cvel, motion, pos, mat, objid, bool(local), second]
    wp.launch(object_motion, d.nworld, inputs, [res], device=m.device)


def _place(m, d, objtype: int) -> tuple:
    """Bodies of the objects of a type (None: they are bodies), their positions and orientations."""
    if objtype == ObjType.BODY:
        return None, d.xipos, d.ximat
    if objtype == ObjType.XBODY:
        return None, d.xpos, d.xmat
    if objtype == ObjType.GEOM:
        return m.source.geom_bodyid, d.geom_xpos, d.geom_xmat
    if objtype == ObjType.SITE:
        return m.source.site_bodyid, d.site_xpos, d.site_xmat
    if objtype == ObjType.CAMERA:
        return m.source.cam_bodyid, d.cam_xpos, d.cam_xmat
    raise StateError(f"objtype={objtype}: expected ObjType.BODY, XBODY, GEOM, SITE or CAMERA")
