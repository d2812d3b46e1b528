"""Tables of passive forces: bodies in the fluid, springs that yield, and polynomial stiffness and damping."""

import numpy as np

from newtonlite.core.constants import MINVAL
from newtonlite.core.mujoco import MjtEnableBit, MjtJoint, MjtSensor
from newtonlite.solvers.mujoco.derive.contact_surface import has_adhesion
from newtonlite.solvers.mujoco.derive.flex_forces import plastic_width
from newtonlite.solvers.mujoco.derive.ragged import flattened, starts


def derive(mj) -> dict:
    """Bodies in the fluid with their ellipsoids, number of polynomials, and size of the forces from outside on bodies."""
    bodies = _fluid_bodies(mj)
    sensors = np.asarray(getattr(mj, "sensor_type", ()))
    ellipsoids = [_ellipsoids(mj, b) for b in bodies]
    poly = [
        np.asarray(getattr(mj, f"{name}poly", 0.0)) for name in ("jnt_stiffness", "dof_damping", "actuator_damping")
    ]
    return {
        "npoly": sum(int(np.count_nonzero(p)) for p in poly),
        "nfluid": len(bodies),
        "nfluid1": len(bodies) + 1,
        "fluid_body": bodies,
        "fluid_adr": starts(ellipsoids),
        "fluid_geom": flattened(ellipsoids),
        "nfluidgeom": sum(map(len, ellipsoids)),
        "nouter": int(mj.nbody) if _pushed(mj, bodies) else 0,
        "nenergy": int(
            bool(
                mj.opt.enableflags & MjtEnableBit.ENERGY
                or np.isin(sensors, (MjtSensor.E_POTENTIAL, MjtSensor.E_KINETIC)).any()
            )
        ),
        **plastic_springs(mj),
        **_absent(mj),
    }


def _pushed(mj, in_fluid) -> bool:
    """Whether anything but contacts pushes at bodies: a fluid, gravity compensation, adhesion, soft bodies."""
    soft = int(getattr(mj, "nflex", 0)) > 0
    return bool(len(in_fluid) or np.any(np.asarray(mj.body_gravcomp)) or has_adhesion(mj) or soft)


def _fluid_bodies(mj) -> np.ndarray:
    """Bodies with mass, where there is a fluid."""
    fluid = np.any(np.asarray(mj.opt.density) > 0) or np.any(np.asarray(mj.opt.viscosity) > 0)
    heavy = np.asarray(mj.body_mass).reshape(-1, int(mj.nbody)).max(0) >= MINVAL
    return np.flatnonzero(heavy & (np.arange(mj.nbody) > 0)) if fluid else np.zeros(0, int)


def _ellipsoids(mj, body: int) -> list:
    """Geoms of a body that the fluid takes for ellipsoids."""
    if not int(mj.ngeom):
        return []
    coefficient = (
        np.asarray(getattr(mj, "geom_fluid", np.zeros((int(mj.ngeom), 12))))[..., 0].reshape(-1, int(mj.ngeom)).max(0)
    )
    return [int(g) for g in np.flatnonzero((np.asarray(mj.geom_bodyid) == body) & (coefficient > 0))]


def plastic_springs(mj) -> dict:
    """Addresses of the rest positions of plastic springs of joints and tendons, and their values at reset; what flexes
    have taken on comes after them, from zero. Springs of free joints do not yield.
    """
    joints, tendons = _yields(mj, "jnt_springyield", int(mj.njnt)), _yields(mj, "tendon_springyield", int(mj.ntendon))
    joints &= np.asarray(mj.jnt_type) != MjtJoint.FREE
    width = np.where(joints, np.where(np.asarray(mj.jnt_type) == MjtJoint.BALL, 4, 1), 0)
    source = [int(q) + k for q, n in zip(mj.jnt_qposadr, width) for k in range(n)]
    poses = np.asarray(mj.qpos_spring)[..., source]
    bands = np.asarray(getattr(mj, "tendon_lengthspring", np.zeros((0, 2))))[..., np.flatnonzero(tendons), :]
    bands = bands.reshape(*bands.shape[:-2], 2 * tendons.sum())
    worlds = np.broadcast_shapes(poses.shape[:-1], bands.shape[:-1])
    soft = sum(plastic_width(mj, f) for f in range(int(getattr(mj, "nflex", 0))))
    rests = [np.broadcast_to(x, (*worlds, x.shape[-1])) for x in (poses, bands, np.zeros(soft))]
    return {
        "nplastic": int(width.sum() + 2 * tendons.sum()) + soft,
        "jnt_plasticadr": np.where(joints, np.cumsum(width) - width, -1),
        "tendon_plasticadr": np.where(tendons, width.sum() + 2 * (np.cumsum(tendons) - 1), -1),
        "plastic0": np.concatenate(rests, axis=-1),
    }


def _yields(mj, name: str, count: int) -> np.ndarray:
    """Mask of the springs that yield, in any world."""
    values = np.asarray(getattr(mj, name, np.zeros(count)))
    return (values.reshape(-1, max(1, count)) > 0).any(0)[:count] if values.size else np.zeros(count, bool)


def _absent(mj) -> dict:
    """Zeros for what a compiled model without such springs, dampers and fluids may leave out."""
    shapes = {
        "jnt_stiffnesspoly": (int(mj.njnt), 2),
        "jnt_springyield": (int(mj.njnt),),
        "tendon_springyield": (int(mj.ntendon),),
        "dof_dampingpoly": (int(mj.nv), 2),
        "geom_fluid": (int(mj.ngeom), 12),
    }
    return {name: np.zeros(shape) for name, shape in shapes.items() if not hasattr(mj, name)}
