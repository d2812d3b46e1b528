"""compiler, option, flag, size, statistic."""

from dataclasses import replace

from newtonlite.core.limits import most
from newtonlite.core.mujoco import MjtCone, MjtConflict, MjtIntegrator, MjtJacobian, MjtLRMode, MjtSolver
from newtonlite.core.table import (
    CARRIED,
    COMPILED,
    FULL,
    METADATA,
    REFUSED,
    Attr,
    Element,
    boolean,
    declared,
    integer,
    keyword,
    keyword_of,
    real,
    switch,
    text,
    tristate,
)
from newtonlite.schema.groups import SOLIMP, SOLREF

LENGTHRANGE = Element(
    "lengthrange",
    (
        Attr("mode", keyword_of(MjtLRMode), 1, doc="Actuators whose length range is computed."),
        Attr("useexisting", boolean, True, doc="Keep ranges that are given."),
        Attr("uselimit", boolean, False, doc="Take the limits of joints and tendons where there are any."),
        Attr("accel", real, 20.0, unit="m/s^2", doc="Target acceleration."),
        Attr("maxforce", real, 0.0, unit="N", doc="Largest force, where positive."),
        Attr("timeconst", real, 1.0, unit="s", doc="Time constant of the damping."),
        Attr("timestep", real, 0.01, unit="s", doc="Time step."),
        Attr("inttotal", real, 10.0, unit="s", doc="Length of the simulation."),
        Attr("interval", real, 2.0, unit="s", doc="Length of the interval that is measured at its end."),
        Attr("tolrange", real, 0.05, doc="Tolerance, relative to the range."),
    ),
    many=False,
    doc="How length ranges of muscles are computed.",
    handled="settings",
)


def compiled(usd: str, kind, default, doc: str, **more) -> Attr:
    """A setting of the compiler that USD has too, in mixed case."""
    name = usd.removesuffix(":min").lower()
    return Attr(name, kind, default, usd=f"mjc:compiler:{usd}", doc=doc, **more)


COMPILER = Element(
    "compiler",
    (
        compiled("angle", keyword("radian", "degree"), 1, "Unit of angles in the file."),
        Attr(
            "eulerseq",
            text,
            "xyz",
            doc="Order of euler angles; lower case turns with the body, upper case stays fixed.",
        ),
        compiled("autoLimits", boolean, True, "A range alone makes a limit.", binds="mujoco:autolimits"),
        compiled("inertiaFromGeom", tristate, 2, "Infer inertias from geoms: never, always, or where none is given."),
        compiled("inertiaGroupRange:min", integer[2], (0, 5), "Groups of geoms that count for inertias."),
        compiled("boundMass", real, 0.0, "Least mass of a body.", unit="kg"),
        compiled("boundInertia", real, 0.0, "Least principal inertia of a body.", unit="kg m^2"),
        compiled("balanceInertia", boolean, False, "Repair inertias that break A + B >= C by their mean."),
        compiled("setTotalMass", real, -1.0, "Scale masses and inertias to this total, where positive.", unit="kg"),
        Attr("strippath", boolean, False, doc="Drop folders from file names."),
        Attr("assetdir", text, "", doc="Folder of meshes and textures."),
        Attr("meshdir", text, "", doc="Folder of meshes and height fields."),
        Attr("texturedir", text, "", doc="Folder of textures."),
        Attr("discardvisual", boolean, False, doc="Drop geoms that collide with nothing."),
        Attr("fitaabb", boolean, False, doc="Fit primitives to the bounding box of a mesh instead of its inertia."),
        compiled("fuseStatic", boolean, False, "Merge bodies without joints into their parents."),
        compiled("alignFree", boolean, False, "Align the frames of floating bodies with their inertia."),
        Attr(
            "coordinate",
            keyword("local", "global"),
            0,
            doc="Frame of positions; global ones are from old files.",
            status=REFUSED,
        ),
        Attr("passthrough", boolean, False, doc="Keep the text of unresolved defaults.", status=REFUSED),
        Attr(
            "conflict",
            keyword_of(MjtConflict, "warning error merge"),
            0,
            doc="What to do where attached models disagree.",
        ),
        Attr("savecanonical", boolean, True, doc="How files are written.", status=METADATA),
        Attr("savecompiled", boolean, True, doc="How files are written.", status=METADATA),
        Attr("saveinertial", boolean, False, doc="Write inertials of all bodies.", status=METADATA),
        Attr("usethread", boolean, True, doc="Compile in several threads.", status=METADATA),
    ),
    (LENGTHRANGE,),
    frequency="once",
    doc="How the file is read. The last one wins, for the whole file.",
    handled="settings",
    status=COMPILED,
)

DISABLE = """constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent actuation
    refsafe sensor midphase eulerdamp autoreset nativeccd island""".split()
ENABLE = "multiccd energy invdiscrete fwdinv override diagexact speculative ipc".split()

FLAG = Element(
    "flag",
    (
        *(
            Attr(
                n,
                switch,
                True,
                binds=f"mujoco:flag_{n}",
                usd=f"mjc:flag:{n}",
                doc=f"The part of the engine called {n}.",
            )
            for n in DISABLE
        ),
        *(
            Attr(n, switch, n == "multiccd", binds=f"mujoco:flag_{n}", usd=f"mjc:flag:{n}", doc=f"The part called {n}.")
            for n in ENABLE
        ),
        Attr(
            "sleep",
            switch,
            False,
            binds="mujoco:enable_sleeping",
            usd="mjc:flag:sleep",
            doc="Let resting islands sleep.",
        ),
    ),
    frequency="once",
    many=False,
    doc="Parts of the engine, each disabled or enabled.",
)


def setting(name: str, kind, default, unit: str, doc: str, status: str = FULL) -> Attr:
    """An option that the engine reads under the same name."""
    return Attr(
        name,
        kind,
        default,
        binds=f"mujoco:{name}",
        field=name,
        usd=f"mjc:option:{name}",
        unit=unit,
        doc=doc,
        status=status,
    )


OPTION = Element(
    "option",
    (
        setting("timestep", real, 0.002, "s", "Time step of the file; step() takes its own."),
        Attr(
            "gravity",
            real[3],
            (0.0, 0.0, -9.81),
            field="gravity",
            usd="mjc:option:gravity",
            unit="m/s^2",
            doc="Gravity.",
            handled="set_gravity",
        ),
        setting("impratio", real, 1.0, "", "Frictional to normal impedance of elliptic contacts."),
        setting("tolerance", real, 1e-8, "", "The solver stops below this scaled improvement or gradient."),
        setting("ls_tolerance", real, 0.01, "", "Tolerance of the line search."),
        setting("noslip_tolerance", real, 1e-6, "", "Tolerance of the noslip solver."),
        setting("ccd_tolerance", real, 1e-6, "m", "Tolerance of convex collision."),
        setting("sleep_tolerance", real, 0.001, "m/s", "Speed below which islands fall asleep."),
        setting("density", real, 0.0, "kg/m^3", "Density of the medium."),
        setting("viscosity", real, 0.0, "kg/(m s)", "Viscosity of the medium."),
        setting("wind", real[3], (0.0, 0.0, 0.0), "m/s", "Velocity of the medium."),
        setting("magnetic", real[3], (0.0, -0.5, 0.0), "", "Magnetic field, for magnetometers."),
        setting("iterations", integer, 100, "", "Most iterations of the solver."),
        setting("ls_iterations", integer, 50, "", "Most iterations of the line search."),
        setting("noslip_iterations", integer, 0, "", "Iterations of the noslip solver."),
        setting("ccd_iterations", integer, 35, "", "Most iterations of convex collision."),
        setting("sdf_iterations", integer, 10, "", "Iterations of signed-distance collision.", CARRIED),
        setting("sdf_initpoints", integer, 40, "", "Starting points of signed-distance collision.", CARRIED),
        setting(
            "integrator",
            keyword_of(MjtIntegrator, "Euler RK4 implicit implicitfast discrete"),
            0,
            "",
            "Time integration.",
        ),
        setting("cone", keyword_of(MjtCone), 0, "", "Friction cone."),
        setting("jacobian", keyword_of(MjtJacobian), 2, "", "Storage of Jacobians."),
        setting("solver", keyword_of(MjtSolver, "PGS CG Newton"), 2, "", "Constraint solver."),
        setting("o_margin", real, 0.0, "", "Contact override: margin."),
        setting("o_solref", real[1:2], SOLREF, "", "Contact override: solref."),
        setting("o_solimp", real[1:5], SOLIMP, "", "Contact override: solimp."),
        setting("o_friction", real[1:5], (1.0, 1.0, 0.005, 0.0001, 0.0001), "", "Contact override: friction."),
        Attr(
            "actuatorgroupdisable",
            integer[0:None],
            (),
            binds="mujoco:actuator_group_disabled",
            field="disableactuator",
            convert="bits",
            usd="mjc:option:actuatorgroupdisable",
            doc="Groups of actuators that are switched off.",
        ),
    ),
    (FLAG,),
    frequency="once",
    doc="Options of the physics. The last setting wins.",
)

NUSER = "body jnt geom site cam tendon actuator sensor".split()

SIZE = Element(
    "size",
    (
        Attr(
            "memory",
            text,
            "-1",
            unit="bytes",
            doc="Memory of the arena; ours is sized by what is needed.",
            status=METADATA,
        ),
        Attr("njmax", integer, -1, doc="Most constraint rows (from old files).", status=METADATA),
        Attr("nconmax", integer, -1, doc="Most contacts (from old files).", status=METADATA),
        Attr("nstack", integer, -1, doc="Size of the stack (from old files).", status=METADATA),
        Attr("nuserdata", declared, 0, doc="Numbers of the user's own per simulation.", status=METADATA),
        Attr("nkey", replace(integer, top=most("keyframes")), 0, doc="At least so many keyframes.", status=METADATA),
        *(
            Attr(f"nuser_{n}", declared, -1, doc=f"User numbers of each {n}; -1: as many as any has.", status=METADATA)
            for n in NUSER
        ),
    ),
    doc="Sizes that the model does not imply.",
    status=METADATA,
)

STATISTIC = Element(
    "statistic",
    (
        Attr(
            "meaninertia",
            real,
            binds="mujoco:stat_meaninertia",
            field="meaninertia",
            unit="kg or kg m^2",
            doc="Mean of the diagonal of M; kept, but without effect, as in MuJoCo 4.0.",
        ),
        Attr(
            "meanmass", real, binds="mujoco:stat_meanmass", field="meanmass", unit="kg", doc="Mean mass of the bodies."
        ),
        Attr(
            "meansize", real, binds="mujoco:stat_meansize", field="meansize", unit="m", doc="Mean size of the bodies."
        ),
        Attr("extent", real, binds="mujoco:stat_extent", field="extent", unit="m", doc="Half the size of the model."),
        Attr("center", real[3], binds="mujoco:stat_center", field="center", unit="m", doc="Middle of the model."),
    ),
    frequency="once",
    doc="Statistics that are computed where the file does not give them.",
)
