"""Enumerations of the public interface, with Newton's values."""

from enum import IntEnum, IntFlag

from newtonlite.core.enum_members import bind_members


class JointType(IntEnum):
    """Joint type: the motion that a joint allows its child body."""

    PRISMATIC = 0
    REVOLUTE = 1
    BALL = 2
    FIXED = 3
    FREE = 4
    DISTANCE = 5
    D6 = 6
    ROD = 7

    def dof_count(self, num_axes: int) -> tuple[int, int]:
        """(velocities, coordinates) of a joint of this type; ``num_axes`` matters to D6 only."""
        if self is JointType.D6:
            return num_axes, num_axes
        return _DOF_COUNT[self]

    def constraint_count(self, num_axes: int) -> int:
        """Rows that hold the joint together in a maximal-coordinate solver."""
        return 6 - self.dof_count(num_axes)[0]


_DOF_COUNT = {
    JointType.PRISMATIC: (1, 1),
    JointType.REVOLUTE: (1, 1),
    JointType.BALL: (3, 4),
    JointType.FIXED: (0, 0),
    JointType.FREE: (6, 7),
    JointType.DISTANCE: (6, 7),
    JointType.ROD: (6, 7),
}


class JointTargetMode(IntEnum):
    """Target mode: the quantity that the built-in drive of a degree of freedom follows."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    POSITION_VELOCITY = 3
    EFFORT = 4

    @staticmethod
    def from_gains(
        target_ke: float, target_kd: float, force_position_velocity: bool = False, has_drive: bool = False
    ) -> "JointTargetMode":
        """The mode that the gains of a drive imply: without gains it applies effort, and without a drive there is none."""
        if not has_drive:
            return JointTargetMode.NONE
        if target_ke != 0.0:
            both = force_position_velocity and target_kd != 0.0
            return JointTargetMode.POSITION_VELOCITY if both else JointTargetMode.POSITION
        if target_kd != 0.0:
            return JointTargetMode.VELOCITY
        return JointTargetMode.EFFORT


class GeoType(IntEnum):
    """Geometry of a shape; the numbers up to MESH follow MuJoCo's order, off by one."""

    NONE = 0
    PLANE = 1
    HFIELD = 2
    SPHERE = 3
    CAPSULE = 4
    ELLIPSOID = 5
    CYLINDER = 6
    BOX = 7
    MESH = 8
    CONE = 9
    CONVEX_MESH = 10
    GAUSSIAN = 11

    @property
    def is_primitive(self) -> bool:
        """Whether sizes alone say the shape."""
        return self in (*range(GeoType.SPHERE, GeoType.MESH), GeoType.PLANE, GeoType.CONE)

    @property
    def is_explicit(self) -> bool:
        """Whether data of its own says the shape: vertices or heights."""
        return self in (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD)


class ShapeFlags(IntEnum):
    """Shape flags: the collisions, fields and pictures that a shape takes part in."""

    VISIBLE = 1
    COLLIDE_SHAPES = 2
    COLLIDE_PARTICLES = 4
    SITE = 8
    HYDROELASTIC = 16


class ParticleFlags(IntEnum):
    """Particle flags: the roles of a particle."""

    ACTIVE = 1
    PROXY = 2


class BodyFlags(IntEnum):
    """Body flags: forces move a dynamic body, and the writer of its pose moves a kinematic one."""

    DYNAMIC = 1
    KINEMATIC = 2
    PROXY = 4
    ALL = 7


class ModelFlags(IntEnum):
    """Parts of a model that were changed, for a solver's ``notify_model_changed``."""

    JOINT_PROPERTIES = 1
    JOINT_DOF_PROPERTIES = 2
    BODY_PROPERTIES = 4
    BODY_INERTIAL_PROPERTIES = 8
    SHAPE_PROPERTIES = 16
    MODEL_PROPERTIES = 32
    CONSTRAINT_PROPERTIES = 64
    TENDON_PROPERTIES = 128
    ACTUATOR_PROPERTIES = 256
    JOINT_DOF_FORCE_PROPERTIES = 512
    JOINT_DOF_INERTIAL_PROPERTIES = 1024
    JOINT_REFERENCE_POSE_PROPERTIES = 2048
    SHAPE_TYPE_AND_SOURCE = 4096
    ALL = 8191


class StateFlags(IntEnum):
    """Parts of a state that a reset restores or a solver writes."""

    NONE = 0
    JOINT_Q = 1
    JOINT_QD = 2
    BODY_Q = 4
    BODY_QD = 8
    PARTICLE_Q = 16
    PARTICLE_QD = 32
    BODY_F = 64
    PARTICLE_F = 128
    JOINT_F = 256
    JOINT = JOINT_Q | JOINT_QD
    BODY = BODY_Q | BODY_QD
    PARTICLE = PARTICLE_Q | PARTICLE_QD
    FORCE = BODY_F | PARTICLE_F | JOINT_F
    ALL = JOINT | BODY | PARTICLE | FORCE


class EqType(IntEnum):
    """Equality constraints of the ``mujoco`` namespace."""

    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3


class EqualityTarget(IntEnum):
    """Counterparts of equality constraints in Newton's words: none, a loop joint, a mimic constraint."""

    NONE = 0
    JOINT = 1
    MIMIC = 2


class AttributeAssignment(IntEnum):
    """The object that carries an attribute after ``finalize``."""

    MODEL = 0
    STATE = 1
    CONTROL = 2
    CONTACT = 3


class AttributeFrequency(IntEnum):
    """Attribute frequency: the kind of object that an attribute has one row for."""

    ONCE = 0
    JOINT = 1
    JOINT_DOF = 2
    JOINT_COORD = 3
    JOINT_CONSTRAINT = 4
    BODY = 5
    SHAPE = 6
    ARTICULATION = 7
    PARTICLE = 9
    EDGE = 10
    TRIANGLE = 11
    TETRAHEDRON = 12
    SPRING = 13
    CONSTRAINT_MIMIC = 14
    WORLD = 15
    ATTACHMENT_PARTICLE_BODY = 16
    CONTACT = 17
    CONTACT_RIGID = 18
    CONTACT_SOFT = 19
    TENDON = 20
    TENDON_GUIDE = 21
    TENDON_SEGMENT = 22
    CURVE = 23
    SURFACE = 24
    VOLUME = 25


class CtrlSource(IntEnum):
    """Control source of an actuator of the ``mujoco`` namespace."""

    JOINT_TARGET = 0
    CTRL_DIRECT = 1


class CtrlType(IntEnum):
    """Control type of such an actuator: its use of a joint target."""

    POSITION = 0
    VELOCITY = 1
    GENERAL = 2
    DCMOTOR = 3


class TrnType(IntEnum):
    """Transmission type of such an actuator: the object it acts on."""

    UNDEFINED = -1
    JOINT = 0
    JOINT_IN_PARENT = 1
    TENDON = 2
    SITE = 3
    BODY = 4
    SLIDERCRANK = 5


class SleepPolicy(IntEnum):
    """Whether a tree may sleep, as ``mujoco:sleep_policy`` says it."""

    AUTO = 0
    NEVER = 3
    ALLOWED = 4
    INIT = 5


class OverflowBits(IntFlag):
    """Overflow bits of the ``overflow`` observable, one per capacity; the third is newtonlite's own. The first: pairs
    of geoms that the broad phase found."""

    CONTACT_PIPELINE = 1 << 16
    SOLVER_NCONMAX = 1 << 17
    SOLVER_NJMAX = 1 << 18


class SolrefMode(IntEnum):
    """Source of a solref, as ``mujoco:solref_mode`` has it: gains as forces, the author's own numbers, or MJCF's default."""

    FORCE_SPACE = 0
    RAW = 1
    MJCF_DEFAULT = 2


class TendonWrap(IntEnum):
    """Elements of a spatial tendon's path, as ``mujoco:tendon_wrap_type`` has them."""

    SITE = 0
    GEOM = 1
    PULLEY = 2


class ColorSpace(IntEnum):
    """Colour space: the meaning of the numbers of a colour."""

    LINEAR = 0
    SRGB = 1


bind_members(globals())
