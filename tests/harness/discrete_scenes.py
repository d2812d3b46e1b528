"""Flexes under the integrator discrete: one of each kind that couples dofs."""

FLEXES = {
    "tetrahedra under a ball": """<geom type="plane" size="1 1 .1"/><flexcomp name="f" type="grid" dim="3" count="3 3 3"
      spacing=".05 .05 .05" mass=".5" radius=".002" pos="0 0 .051"><elasticity young="1e4" poisson=".2" damping=".01"/>
      <contact selfcollide="none"/></flexcomp><body pos="0 0 .15"><freejoint/><geom size=".05" mass=".2"/></body>""",
    "cells": """<flexcomp name="f" type="grid" dim="3" count="4 3 5" spacing=".1 .1 .1" mass=".9" dof="trilinear" cellcount="2 1 1">
      <elasticity young="1e4" poisson=".3" damping=".01"/><contact selfcollide="none" contype="0" conaffinity="0"/></flexcomp>""",
    "shell": """<flexcomp name="f" type="box" dim="2" count="4 4 4" spacing=".1 .1 .1" mass=".5" radius=".002" dof="trilinear"
      cellcount="2 2 2"><elasticity young="1e5" poisson=".2" damping=".01" thickness=".02" elastic2d="both"/>
      <contact selfcollide="none" contype="0" conaffinity="0"/></flexcomp>""",
    "cloth on an arm": """<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" contype="0"
      conaffinity="0"/><flexcomp name="f" type="grid" dim="2" count="4 3 1" spacing=".1 .1 .1" pos=".45 0 0" mass=".2">
      <elasticity young="1e5" poisson=".2" thickness=".005" elastic2d="both" damping=".01"/><pin gridrange="0 0 0 2"/>
      <contact selfcollide="none"/></flexcomp></body>""",
    "rod clamped to an arm": """<body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" size=".02" fromto="-.3 0 0 -.2 0 0"/>
      <flexcomp name="f" type="grid" dim="1" count="6 1 1" spacing=".04 .04 .04" mass=".1" radius=".005"><edge equality="true"/>
      <elasticity young="1e6" shear="4e5" damping=".01"/><pin id="0 1"/><contact selfcollide="none"/></flexcomp></body>""",
    "flat rod on a cylinder": """<geom type="cylinder" size=".03 .2" euler="90 0 0"/><flexcomp name="f" type="grid" dim="1" count="6 1 1"
      spacing=".04 .04 .04" mass=".1" radius=".003" pos="0 0 .032" euler="0 0 30"><edge equality="true"/><elasticity young="1e6"
      shear="4e5" damping=".001" section="box" sectionsize=".006 .003"/><contact selfcollide="none"/></flexcomp>""",
    "ring": """<flexcomp name="f" type="circle" dim="1" count="9 1 1" spacing=".04 .04 .04" mass=".2" radius=".006"><edge
      equality="true"/><elasticity young="1e6" damping=".002"/><contact selfcollide="none"/></flexcomp>""",
    "bent rod": """<flexcomp name="f" type="direct" dim="1" point="0 0 0 .05 0 0 .09 .03 0 .12 .06 .02 .13 .1 .04 .15 .14 .05"
      element="0 1 1 2 2 3 3 4 4 5" mass=".1" radius=".006"><edge equality="true"/><elasticity young="1e6" shear="3e5"
      damping=".003"/><contact selfcollide="none"/></flexcomp>""",
}

PLANE = '<geom type="plane" size="1 1 .1"/>'
PASSIVE = {
    "cells on a sphere and a plane": """<geom type="sphere" size=".05" pos=".03 .02 -.036"/><geom type="plane" size="1 1 .1"/>
      <flexcomp name="a" type="grid" dim="3" count="4 3 3" spacing=".05 .05 .05" mass=".8" radius=".01" pos="0 0 .058" dof="trilinear">
      <elasticity young="1e4"/><pin grid="0 0 0"/><contact passive="true" selfcollide="none"/></flexcomp>""",
    "folded on itself": """<flexcomp name="a" type="direct" dim="2" mass=".6" radius=".01" point="0 0 0 .1 0 0 0 .1 0 .02 .02 .015
      .12 .02 .016 .02 .12 .017" element="0 1 2 3 4 5"><contact passive="true" selfcollide="narrow"/></flexcomp>""",
    "pinned to an arm": PLANE
    + """<body name="arm" pos="0 0 .008"><joint axis="0 1 0" pos="-.1 0 0"/><geom size=".01" mass=".1" contype="0" conaffinity="0"/>
      <flexcomp name="a" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" mass=".9" radius=".01"><edge equality="true"/>
      <pin id="0 1"/><contact passive="true" selfcollide="none"/></flexcomp></body>""",
    "rigid and a rope have rows": PLANE
    + """<flexcomp name="a" type="grid" dim="2" count="3 3 1" spacing=".05 .05 .05" radius=".01" rigid="true" pos="0 0 .008">
      <contact passive="true"/></flexcomp><flexcomp name="b" type="grid" dim="1" count="4 1 1" spacing=".04 .04 .04" mass=".2"
      radius=".01" pos=".1 0 .008" euler="0 0 20"><edge equality="true"/><contact passive="true" selfcollide="none"/></flexcomp>
      <flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".04 .04 .04" mass=".2" radius=".01" pos=".02 0 .025">
      <edge equality="true"/><contact selfcollide="none"/></flexcomp>""",
}


def flex_scene(flexes: str, options: str = "", cone: str = "pyramidal") -> str:
    """MJCF of them, solved to the minimum."""
    solved = 'tolerance="1e-12" iterations="300"'
    return (
        f'<mujoco><option integrator="discrete" timestep=".004" cone="{cone}" {solved} {options}/>'
        f"<worldbody>{flexes}</worldbody></mujoco>"
    )


def hung_cloth(side: int, options: str = "", height: float = 0.5) -> str:
    """MJCF of a square cloth with ``side`` vertices each way, held along one edge, and a plane."""
    return f"""<mujoco><option integrator="discrete" timestep=".005" {options}/><worldbody><geom type="plane" size="5 5 .1"/>
    <flexcomp name="f" type="grid" dim="2" count="{side} {side} 1" spacing=".02 .02 .02" mass=".5" radius=".005" pos="0 0 {height}">
    <elasticity young="1e4" poisson=".2" damping=".01" thickness=".005" elastic2d="both"/><contact selfcollide="none"/>
    <pin gridrange="0 0 0 {side - 1}"/></flexcomp></worldbody></mujoco>"""
