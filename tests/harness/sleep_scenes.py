"""Small scenes in which trees sleep and something wakes them, one fact each."""

OPTION = '<option><flag sleep="enable"/></option>'
FLOATING = '<option gravity="0 0 0"><flag sleep="enable"/></option>'
FLOOR = '<geom type="plane" size="5 5 .1"/>'
STILL = '<joint name="{name}" type="slide" damping="9"/><geom size=".1" contype="0" conaffinity="0"/>'


def box(pos: str, attributes: str = "") -> str:
    """A free box of 0.2 m."""
    return f'<body pos="{pos}" {attributes}><freejoint/><geom type="box" size=".1 .1 .1"/></body>'


def slider(name: str, attributes: str = "") -> str:
    """A damped slider that touches nothing."""
    return f"<body {attributes}>{STILL.format(name=name)}</body>"


def scene(world: str, option: str = OPTION, rest: str = "") -> str:
    """A model from what is in its world, its options and the rest."""
    return f"<mujoco>{option}<worldbody>{world}</worldbody>{rest}</mujoco>"


STACK = scene(FLOOR + box("0 0 .0995") + box("1 0 .0995") + box("0 0 .2985"))
TIED = "<tendon><fixed name='t' {how}><joint joint='a' coef='1'/><joint joint='b' coef='-1'/></fixed></tendon>"
FOLLOW = '<equality><joint joint1="a" joint2="b" polycoef="0 1" active="false"/></equality>'
MOCAP = '<body name="hand" mocap="true" pos="1 0 .1"><geom size=".1"/>{child}</body>'


def at(step: int, name: str, index, value, back=None):
    """A poke: one number of MuJoCo's data at one step, and another at the next."""

    def poke(now, data):
        if now == step:
            getattr(data, name).flat[index] = value
        if now == step + 1 and back is not None:
            getattr(data, name).flat[index] = back

    return poke


WAKING = {
    "position": (STACK, at(75, "qpos", 0, 0.01), [1, 0, 1]),
    "velocity": (STACK, at(75, "qvel", 0, 1e-3), [1, 0, 1]),
    "minus zero": (STACK, at(75, "qvel", 0, -0.0), [1, 0, 1]),
    "force on a body": (STACK, at(75, "xfrc_applied", 12, 1.0, 0.0), [0, 1, 0]),
    "force on a dof": (STACK, at(75, "qfrc_applied", 12, 1.0, 0.0), [1, 0, 1]),
    "nothing": (STACK, None, [0, 0, 0]),
    "mocap body under a tree": (
        scene(MOCAP.format(child=f'<body pos="0 0 1">{STILL.format(name="a")}</body>'), FLOATING),
        at(30, "mocap_pos", 0, 1.1),
        [1],
    ),
    "mocap body that touches": (
        scene(FLOOR + box("0 0 .0995") + MOCAP.format(child="")),
        at(60, "mocap_pos", 0, 0.19),
        [1],
    ),
    "equality switched on": (scene(slider("a") + slider("b"), FLOATING, FOLLOW), at(30, "eq_active", 0, 1), [1, 1]),
    "equality with what is awake": (
        scene(slider("a", 'sleep="never"') + slider("b"), FLOATING, FOLLOW),
        at(30, "eq_active", 0, 1),
        [0, 1],
    ),
    "tendon at its limit": (
        scene(slider("a", 'sleep="never"') + slider("b"), FLOATING, TIED.format(how="range='-1 1' margin='.05'")),
        at(30, "qpos", 0, 0.96),
        [0, 1],
    ),
    "tendon that is slack": (
        scene(slider("a", 'sleep="never"') + slider("b"), FLOATING, TIED.format(how="range='-1 1'")),
        at(30, "qpos", 0, 0.9),
        [0, 0],
    ),
}
"""Scene, poke, and how often each tree wakes."""
