"""actuator: general, and the shortcuts that stand for one."""

from newtonlite.core.mujoco import MjtBias, MjtCtrlChart, MjtCtrlInput, MjtDyn, MjtGain
from newtonlite.core.table import (
    COMPILED,
    Attr,
    Element,
    boolean,
    declared,
    integer,
    keyword,
    keyword_of,
    name,
    real,
    reference,
    without,
)
from newtonlite.schema.extension import CHOICE, CONFIG
from newtonlite.schema.groups import CLASS, INTERPOLATIONS, limited, polynomial, user

DYN = keyword_of(MjtDyn)
GAIN = keyword_of(MjtGain)
BIAS = keyword_of(MjtBias)
CONTROLS = keyword_of(MjtCtrlInput)
CHART = keyword_of(MjtCtrlChart)
ANY_INPUT = keyword(**CONTROLS.words, **CHART.words)
NONE = "-"
"""Field of rows that no single array holds."""
PRM0 = (0.0,) * 10
PRM1 = (1.0,) + (0.0,) * 9


def bound(name: str, kind, default, doc: str, usd: str = "", field: str = "", **more) -> Attr:
    """A row that goes to the custom attribute of the same name, and to the array of that name where no other is given."""
    field = "" if field == NONE else field or f"actuator_{name}"
    return Attr(name, kind, default, binds=f"mujoco:actuator_{name}", field=field, usd=usd, doc=doc, **more)


def clamp(name: str, decides: str, doc: str, usd: str, **more) -> Attr:
    """A row that says whether a range counts."""
    return limited(name, decides, binds=f"mujoco:actuator_{name}", usd=usd, doc=doc, **more)


NAMED = (Attr("name", name("actuator"), binds="mujoco:actuator_label", doc="Name.", classed=False), CLASS)


def target(name: str, of: str, doc: str, binds: str = "trnid", usd: str = "") -> Attr:
    """A row of what an actuator acts on."""
    return Attr(
        name,
        reference(of),
        binds=f"mujoco:actuator_{binds}",
        usd=usd,
        doc=doc,
        classed=False,
        handled="actuator_target",
    )


TARGET = (
    target("joint", "joint", "Joint it acts on."),
    target("jointinparent", "joint", "Joint it acts on, in the parent's frame."),
    target("tendon", "tendon", "Tendon it pulls."),
    target("cranksite", "site", "Site of the crank."),
    target("slidersite", "site", "Site of the slider.", "slidersite", "mjc:sliderSite"),
    target("site", "site", "Site it pushes."),
    target("refsite", "site", "Site it pushes against.", "refsite", "mjc:refSite"),
)
BODY = target("body", "body", "Body whose contacts it holds.")
LENGTHRANGE = bound(
    "lengthrange", real[2], (0.0, 0.0), "Range of its length; 0 0: computed.", "mjc:lengthRange:min", classed=False
)

DELAY = (
    bound("nsample", declared, 0, "Samples of the delay's buffer.", "mjc:nsample", NONE),
    bound("interp", keyword(*INTERPOLATIONS), 0, "Interpolation in the buffer.", "mjc:interp", NONE),
    bound("delay", real, 0.0, "Delay of the control.", "mjc:delay", unit="s"),
)
CTRLRANGE = bound("ctrlrange", real[2], (0.0, 0.0), "Range the control is clamped to.", "mjc:ctrlRange:min", NONE)
CTRLLIMITED = clamp("ctrllimited", "ctrlrange", "Whether it is clamped", "mjc:ctrlLimited")
FORCE = (
    bound("forcerange", real[2], (0.0, 0.0), "Range the force is clamped to.", "mjc:forceRange:min", unit="N or N m"),
    clamp("forcelimited", "forcerange", "Whether it is clamped", "mjc:forceLimited", field="actuator_forcelimited"),
)
GROUP = bound("group", integer, 0, "Group, for switching actuators off.", "mjc:group")
GEAR = (
    bound(
        "gear",
        real[1:6],
        (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        "Scale of length and force, per axis of the target.",
        "mjc:gear",
    ),
    bound("cranklength", real, 0.0, "Length of the connecting rod.", "mjc:crankLength", unit="m"),
    polynomial("actuator", "damping", "Damping of the actuator"),
    bound("armature", real, 0.0, "Inertia of the actuator.", "mjc:armature"),
)
ACT = (
    bound("actrange", real[2], (0.0, 0.0), "Range the activation is clamped to.", "mjc:actRange:min"),
    clamp("actlimited", "actrange", "Whether it is clamped", "mjc:actLimited", field="actuator_actlimited"),
)
INHERIT = Attr(
    "inheritrange",
    real,
    0.0,
    usd="mjc:inheritRange",
    doc="Take the control range from the target's range, scaled.",
    status=COMPILED,
    handled="inherit",
)
SERVO = (
    Attr("kp", real, doc="Position gain.", status=COMPILED),
    Attr("kv", real, doc="Velocity gain.", status=COMPILED),
    Attr("dampratio", real, doc="Damping ratio, in place of kv.", status=COMPILED),
)
COMMON = (
    *TARGET,
    LENGTHRANGE,
    CTRLRANGE,
    CTRLLIMITED,
    *FORCE,
    *GEAR,
    GROUP,
    *DELAY,
    user("mujoco:actuator_user", "actuator_user"),
)
INPUT = (
    Attr(
        "input",
        CONTROLS[1:None],
        binds="mujoco:actuator_ctrlspec",
        doc="What the controls mean.",
        handled="actuator_row",
    ),
    bound("velrange", real[2], (0.0, 0.0), "Range of velocity controls.", field=NONE),
    bound("ffrange", real[2], (0.0, 0.0), "Range of feed-forward controls.", field=NONE),
)


ON_TURN = tuple(a for a in TARGET if a.name in ("joint", "site", "refsite"))
PID = (
    Attr("ki", real, doc="Integral gain.", status=COMPILED),
    Attr("imax", real, doc="Bound of the integral.", status=COMPILED),
    Attr("slewmax", real, doc="Greatest rate of the position setpoint.", status=COMPILED),
    Attr("posrange", real[2], doc="Range of position controls; another name of ctrlrange.", status=COMPILED),
    INHERIT,
    *INPUT,
)
MOTOR = (
    Attr("motorconst", real[1:2], unit="N m/A", doc="Torque and back-EMF constants.", status=COMPILED),
    Attr("resistance", real, unit="Ohm", doc="Resistance of the winding.", status=COMPILED),
    Attr(
        "nominal",
        real[1:3],
        doc="Voltage, stall torque and no-load speed, for what constants do not say.",
        status=COMPILED,
    ),
    Attr("saturation", real[1:3], doc="Greatest torque, current, and rate of the current.", status=COMPILED),
    Attr("inductance", real[1:2], doc="Inductance, or the time constant of the current.", status=COMPILED),
    Attr("cogging", real[1:3], doc="Amplitude, poles and phase of cogging.", status=COMPILED),
    Attr(
        "controller", real[1:6], doc="kp, ki, kd, slew rate, bound of the integral, greatest voltage.", status=COMPILED
    ),
    Attr(
        "thermal",
        real[1:6],
        doc="Resistance, capacitance, time constant, coefficient, reference and ambient temperature.",
        status=COMPILED,
    ),
    Attr(
        "lugre",
        real[1:5],
        doc="Stiffness, damping, Coulomb, static and Stribeck speed of bristle friction.",
        status=COMPILED,
    ),
    INPUT[0],
)


def shortcut(
    name: str,
    attrs: tuple[Attr, ...],
    doc: str,
    base: tuple[Attr, ...] = COMMON,
    status: str = COMPILED,
    children: tuple[Element, ...] = (),
) -> Element:
    """An element that stands for a ``general`` one with certain types and parameters."""
    return Element(
        name,
        (*NAMED, *base, *attrs),
        children,
        family="actuator",
        frequency="mujoco:actuator",
        doc=doc,
        status=status,
        handled=name,
    )


GENERAL = Element(
    "general",
    (
        *NAMED,
        *TARGET,
        BODY,
        LENGTHRANGE,
        CTRLRANGE,
        CTRLLIMITED,
        *FORCE,
        *ACT,
        *GEAR,
        bound("dyntype", DYN, 0, "Activation dynamics.", "mjc:dynType"),
        bound("gaintype", GAIN, 0, "Force per control.", "mjc:gainType"),
        bound("biastype", BIAS, 0, "Force without control.", "mjc:biasType"),
        bound("dynprm", real[1:10], PRM1, "Parameters of the dynamics.", "mjc:dynPrm"),
        bound("gainprm", real[1:10], PRM1, "Parameters of the gain.", "mjc:gainPrm"),
        bound("biasprm", real[1:10], PRM0, "Parameters of the bias.", "mjc:biasPrm"),
        bound("actdim", declared, -1, "Number of activations; -1: as the dynamics have.", "mjc:actDim", NONE),
        bound("actearly", boolean, False, "Use the activation of the next step.", "mjc:actEarly"),
        INHERIT,
        Attr(
            "input",
            ANY_INPUT[1:None],
            binds="mujoco:actuator_ctrlspec",
            doc="What the controls mean, or the chart of orientations.",
            handled="actuator_row",
        ),
        *INPUT[1:],
        GROUP,
        *DELAY,
        user("mujoco:actuator_user", "actuator_user"),
    ),
    family="actuator",
    frequency="mujoco:actuator",
    doc="Force = gain(control or activation) + bias, on a joint, tendon or site.",
)

SHORTCUTS = (
    shortcut("motor", (), "Force is the control."),
    shortcut(
        "position",
        (*SERVO, INHERIT, Attr("timeconst", real, doc="Filter of the control.")),
        "A spring towards the control.",
    ),
    shortcut("velocity", (SERVO[1],), "A damper towards the control."),
    shortcut("intvelocity", (*SERVO, INHERIT, *ACT), "A position servo whose target is the integral of the control."),
    shortcut(
        "damper",
        (SERVO[1],),
        "A damper whose strength is the control.",
        tuple(a for a in COMMON if a is not CTRLLIMITED),
    ),
    shortcut(
        "cylinder",
        (
            Attr("timeconst", real, 1.0, unit="s", doc="Time constant of the pressure.", status=COMPILED),
            Attr("area", real, 1.0, unit="m^2", doc="Area of the cylinder.", status=COMPILED),
            Attr("diameter", real, unit="m", doc="Diameter, in place of the area.", status=COMPILED),
            Attr("bias", real[3], (0.0, 0.0, 0.0), doc="Parameters of the bias.", status=COMPILED),
        ),
        "A pneumatic or hydraulic cylinder.",
    ),
    shortcut(
        "muscle",
        (
            Attr("timeconst", real[2], (0.01, 0.04), unit="s", doc="Rise and fall of the activation.", status=COMPILED),
            Attr(
                "tausmooth",
                real,
                0.0,
                doc="Width of the smooth switch between the two.",
                status=COMPILED,
                classed=False,
            ),
            Attr("range", real[2], (0.75, 1.05), doc="Length range in units of the optimal length.", status=COMPILED),
            Attr("force", real, -1.0, unit="N", doc="Peak force; negative: from scale.", status=COMPILED),
            Attr("scale", real, 200.0, doc="Peak force from the inverse weight.", status=COMPILED),
            Attr("lmin", real, 0.5, doc="Least length of the force-length curve.", status=COMPILED),
            Attr("lmax", real, 1.6, doc="Greatest length of the force-length curve.", status=COMPILED),
            Attr("vmax", real, 1.5, doc="Greatest velocity of shortening.", status=COMPILED),
            Attr("fpmax", real, 1.3, doc="Passive force at the greatest length.", status=COMPILED),
            Attr("fvmax", real, 1.2, doc="Active force at the greatest velocity.", status=COMPILED),
        ),
        "A muscle.",
        tuple(a for a in COMMON if a.name not in ("site", "refsite")),
    ),
    shortcut(
        "adhesion",
        (BODY, Attr("gain", real, 1.0, unit="N", doc="Force per control.", status=COMPILED)),
        "Holds the contacts of a body.",
        (CTRLRANGE, *FORCE, GROUP, *DELAY, user("mujoco:actuator_user", "actuator_user")),
    ),
    shortcut("dcmotor", MOTOR, "A direct-current motor.", tuple(a for a in COMMON if a not in FORCE)),
    shortcut(
        "orientation",
        (
            *SERVO,
            Attr(
                "input",
                CHART[1:2],
                binds="mujoco:actuator_ctrlspec",
                doc="Chart of the target.",
                handled="actuator_row",
            ),
        ),
        "A servo of orientations.",
        (*ON_TURN, CTRLRANGE, *FORCE, GROUP, *DELAY, user("mujoco:actuator_user", "actuator_user")),
    ),
    shortcut("pid", (*SERVO, *PID), "A servo with setpoints of position and velocity."),
    shortcut(
        "plugin",
        (*CHOICE, *(a for a in GENERAL.attrs if a.name in ("actdim", "actearly", "dyntype", "dynprm")), *ACT),
        "The law of a plugin.",
        without(COMMON, "refsite"),
        children=(CONFIG,),
    ),
)

ACTUATOR = Element("actuator", children=(GENERAL, *SHORTCUTS), doc="Actuators.", status=COMPILED)
