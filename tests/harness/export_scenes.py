"""Models whose every field the writer has to carry."""

import numpy as np

BALL = '<geom size=".1"/>'
CHAIN = """<body name="a" pos="0 0 1" quat="1 2 3 4"><joint name="j" axis="1 2 3" range="-1 2" ref=".1" springref=".3" stiffness="4 .5" damping=".2 .1 .3"
  armature=".01" frictionloss=".2" margin=".01" solreflimit=".03 .9" solimplimit=".8 .9 .01 .4 3" actuatorfrcrange="-5 6" group="2" user="1 2"/>
  <geom name="g" type="capsule" fromto="0 0 0 .3 .1 .2" size=".05" friction=".7 .01 .001" solmix="2" priority="1" condim="6" margin=".01" gap=".02" group="3" rgba="1 0 0 .5" user="7"/>
  <site name="s" type="box" size=".1 .2 .3" pos=".1 0 0" euler="10 20 30" group="1"/><camera name="c" pos="1 0 0" xyaxes="0 1 0 0 0 1" fovy="30"/>
  <body name="b" pos=".4 0 0"><joint name="k" type="slide" axis="0 0 1" limited="true" range="0 .5"/><geom name="h" type="box" size=".1 .2 .3" mass="2"/><site name="t"/>
  <body name="c" pos="0 .3 0" gravcomp=".5"><joint name="l" type="ball" range="0 1" damping=".3"/><geom name="i" type="ellipsoid" size=".1 .2 .3"/><site name="u" pos="0 .2 0"/></body></body></body>"""
FLOAT = '<body name="f" pos="3 0 1"><freejoint name="free"/><geom type="cylinder" size=".1 .2"/><geom type="sphere" size=".1" pos="0 .3 0" fluidshape="ellipsoid"/></body>'
RNG = np.random.default_rng(1)
POINTS = " ".join(f"{x:.4f}" for x in (RNG.standard_normal((14, 3)) * (0.1, 0.2, 0.3)).ravel())
SCENES = {
    "options": """<option timestep=".005" gravity="0 1 -3" integrator="implicitfast" cone="elliptic" solver="CG" iterations="7" tolerance="1e-5" impratio="3" density="2"
      viscosity=".1" wind="1 0 0"><flag eulerdamp="disable" energy="enable" multiccd="disable"/></option><statistic extent="3" center="1 2 3" meansize=".4"/>
      <visual><global fovy="30" azimuth="90"/><map znear=".02"/><rgba joint="1 0 0 1"/></visual><size nuserdata="3" nuser_body="2"/>""",
    "bodies": f"<worldbody><geom type='plane' size='1 2 .1' pos='0 0 -1'/><light pos='1 2 3' dir='0 1 -1' castshadow='false'/>{CHAIN}{FLOAT}<site name='z' size='.075 0 0'/><body name='m' mocap='true' pos='1 1 1'/></worldbody>",
    "inertials": """<worldbody><body><freejoint/><inertial pos=".1 .2 .3" mass="2" fullinertia="1 1.2 1.4 .1 .2 .05"/></body><body pos="1 0 0"><joint/><inertial pos="0 0 0" quat="1 1 0 0" mass="1"
      diaginertia=".1 .2 .3"/><body name="empty"><body name="heavy"><geom size=".1"/></body></body></body></worldbody>""",
    "contacts": f"""<worldbody>{CHAIN}{FLOAT}</worldbody><contact><pair geom1="g" geom2="h" condim="4" friction="1 2 .1 .2 .3" solref=".03 1" solreffriction=".1 1" solimp=".8 .9 .01" margin=".1" gap=".01"/>
      <exclude name="x" body1="a" body2="c"/></contact>""",
    "tendons": f"""<worldbody>{CHAIN}<site name="w"/><geom name="wrap" type="sphere" size=".05" pos="0 0 .5"/></worldbody><tendon><fixed name="F" range="-1 1" stiffness="3" damping=".1" frictionloss=".2"><joint
      joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed><spatial name="S" springlength=".1 .3" width=".02" rgba="0 1 0 1" range="0 3"><site site="w"/><geom geom="wrap" sidesite="t"/><site site="t"/>
      <pulley divisor="2"/><site site="u"/><site site="s"/></spatial></tendon>""",
    "equalities": f"""<worldbody>{CHAIN}{FLOAT}</worldbody><tendon><fixed name="F"><joint joint="j" coef="1"/></fixed><fixed name="G"><joint joint="k" coef="1"/></fixed></tendon><equality>
      <connect name="e" body1="a" body2="f" anchor=".1 .2 .3" solref=".1 1"/><connect site1="s" site2="t"/><weld body1="b" body2="f" anchor="0 .1 0" torquescale=".5"/>
      <weld body1="b" relpose="1 2 3 1 1 0 0" active="false"/><weld site1="s" site2="u"/><joint joint1="j" joint2="k" polycoef=".1 2 .3 .4 .5"/><joint joint1="k"/><tendon tendon1="F" tendon2="G"/></equality>""",
    "actuators": f"""<worldbody>{CHAIN}{FLOAT}</worldbody><tendon><fixed name="F"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor name="A" joint="j" ctrlrange="-1 1" gear="3" group="2"/>
      <position joint="k" kp="5" kv="1" forcerange="-2 3"/><velocity joint="k" kv="2"/><general tendon="F" dyntype="filter" dynprm=".1" actrange="-1 2" biastype="affine" biasprm="1 2 3"/><motor site="s" refsite="u"
      gear="1 2 3 4 5 6"/><muscle joint="j" lengthrange=".1 .9"/><adhesion body="b" ctrlrange="0 1" gain="4"/><intvelocity joint="k" kp="2" actrange="-1 1"/><damper joint="k" kv="1" ctrlrange="0 2"/>
      <motor joint="l" gear="1 2 3"/><motor jointinparent="l"/><cylinder joint="k" area="2" timeconst=".3"/><motor joint="k" nsample="4" delay=".01"/><motor cranksite="s" slidersite="t" cranklength=".5"/></actuator>""",
    "sensors": f"""<worldbody>{CHAIN}<camera name="z"/></worldbody><tendon><fixed name="F" range="0 1"><joint joint="j" coef="1"/></fixed></tendon><actuator><motor name="A" joint="j"/></actuator><sensor><touch site="s"
      name="q" noise=".1" cutoff="3" user="1"/><accelerometer site="s"/><force site="t"/><rangefinder site="s"/><magnetometer site="s"/><camprojection site="s" camera="z"/><jointpos joint="j"/><jointlimitfrc joint="j"/>
      <tendonpos tendon="F"/><tendonlimitpos tendon="F"/><actuatorfrc actuator="A"/><jointactuatorfrc joint="j"/><ballquat joint="l"/><framepos objtype="site" objname="s" reftype="body" refname="c"/>
      <framequat objtype="xbody" objname="a"/><framelinacc objtype="geom" objname="g"/><subtreecom body="a"/><distance geom1="g" geom2="h" cutoff="1"/><normal body1="a" body2="c" cutoff="1"/><clock/><e_kinetic/>
      <contact geom1="g" num="3" data="found force pos" reduce="mindist"/><contact subtree1="a" body2="c"/><insidesite site="s" objtype="body" objname="b"/><user dim="2" needstage="vel"/></sensor>""",
    "keys": f"""<custom><numeric name="n" data="1 2 3" size="5"/><text name="t" data="a &lt;b&gt; &quot;c&quot;"/><tuple name="u"><element objtype="body" objname="a" prm=".5"/></tuple></custom><worldbody>{CHAIN}<body
      name="m" mocap="true"/></worldbody><actuator><general joint="j" dyntype="integrator"/></actuator><keyframe><key name="k" time="2" qpos="1 2 1 0 0 0" ctrl="3" act="4" mpos="1 2 3"/><key/></keyframe>""",
    "meshes": f"""<asset><mesh name="m" vertex="{POINTS}"/><mesh name="n" vertex="{POINTS}" scale=".5 -1 2" refpos=".1 .2 .3" inertia="exact"/><mesh name="o" vertex="{POINTS}" inertia="shell"/></asset><worldbody>
      <body><freejoint/><geom type="mesh" mesh="m" pos="1 2 3" quat="1 2 3 4"/></body><body pos="1 0 0"><joint/><geom type="mesh" mesh="n"/><geom type="mesh" mesh="o" pos="0 .1 0"/><geom type="box" mesh="m"/></body></worldbody>""",
    "heights": """<asset><hfield name="h" nrow="3" ncol="4" size="1 2 .5 .1" elevation="0 1 2 3 4 5 6 7 8 9 10 11"/></asset><worldbody><geom type="hfield" hfield="h" pos="1 0 0"/></worldbody>""",
    "looks": """<asset><texture name="t" type="2d" builtin="checker" width="8" height="4" rgb1="1 0 0" rgb2="0 0 1" colorspace="linear"/><texture name="sky" type="skybox" builtin="gradient" width="4" height="4" colorspace="sRGB"/>
      <material name="m" texture="t" texrepeat="2 3" reflectance=".3" rgba="1 1 0 1"/><material name="l"><layer role="normal" texture="t"/><layer role="orm" texture="t"/></material></asset><worldbody><geom size="1" material="m"/>
      <site name="x" material="l"/><camera name="c" mode="targetbody" target="b" resolution="64 32" sensorsize=".01 .02" focal=".03 .04" output="rgb depth"/><light name="l" type="directional" target="b" mode="targetbody"/>
      <body name="b" pos="0 0 3"><geom size="1"/></body></worldbody>""",
    "without names": """<worldbody><body><joint/><geom size=".1"/></body><body pos="1 0 0"><joint/><geom size=".1"/><site/></body></worldbody><sensor/>""",
}
"""Sections of a model by what they show."""


def scene(name: str) -> str:
    """A whole model."""
    return f"<mujoco>{SCENES[name]}</mujoco>"
