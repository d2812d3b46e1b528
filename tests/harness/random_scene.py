"""Random scenes: trees of bodies with random joints, shapes and actuators, over a floor."""

import numpy as np

ROOT_JOINTS = ("free", "hinge", "slide", "ball", "free")
LINK_JOINTS = ("hinge", "hinge", "slide", "ball", "hinge slide", "weld")


class RandomScene:
    """MJCF drawn from a seed; `text` is the document."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.joints = []
        trees = "".join(self.tree(i) for i in range(self.rng.integers(1, 4)))
        actuators = "".join(self.actuator(joint, kind) for joint, kind in self.joints if self.rng.random() < 0.6)
        option = f'cone="{self.pick("pyramidal", "elliptic")}" integrator="{self.pick("Euler", "implicitfast")}"'
        floor = f'<geom type="plane" size="0 0 1" condim="{self.pick(1, 3, 4, 6)}" euler="{self.numbers(2, -5, 5)} 0"/>'
        self.text = (
            f'<mujoco><option timestep="0.002" {option} impratio="{self.pick(1, 1, 3)}"/>'
            f"<worldbody>{floor}{trees}</worldbody><actuator>{actuators}</actuator></mujoco>"
        )

    def pick(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def numbers(self, count: int, low: float, high: float) -> str:
        return " ".join(f"{x:.3f}" for x in self.rng.uniform(low, high, count))

    def tree(self, index: int) -> str:
        place = f'pos="{0.5 * index:.2f} {self.numbers(2, 0.2, 0.5)}" quat="{self.numbers(4, 0.2, 1)}"'
        return f"<body {place}>{self.joint(self.pick(*ROOT_JOINTS))}{self.shape()}{self.links(1)}</body>"

    def links(self, depth: int) -> str:
        count = self.rng.integers(0, 3) if depth < 4 else 0
        place = 'pos="{}" euler="{}"'
        return "".join(
            f"<body {place.format(self.numbers(3, -0.25, 0.25), self.numbers(3, -60, 60))}>"
            f"{self.joint(self.pick(*LINK_JOINTS))}{self.shape()}{self.links(depth + 1)}</body>"
            for _ in range(count)
        )

    def joint(self, kinds: str) -> str:
        return "".join(self.one_joint(kind) for kind in kinds.split() if kind != "weld")

    def one_joint(self, kind: str) -> str:
        name = f"j{len(self.joints)}"
        self.joints.append((name, kind))
        if kind == "free":
            return f'<freejoint name="{name}"/>'
        words = [f'damping="{self.rng.uniform(0.02, 0.3):.3f}" armature="{self.rng.uniform(0.02, 0.05):.3f}"']
        if kind != "ball":
            words.append(f'axis="{self.numbers(3, 0.1, 1)}"')
        if kind == "slide" or self.rng.random() < 0.4:  # an unlimited slide would carry its body far from the others
            limits = {"ball": "0 40", "slide": "-0.08 0.1", "hinge": "-35 50"}
            words.append(f'range="{limits[kind]}"')
        if self.rng.random() < 0.3:
            words.append(f'stiffness="{self.rng.uniform(0.2, 3):.3f}"')
        if self.rng.random() < 0.3:
            words.append(f'frictionloss="{self.rng.uniform(0.01, 0.2):.3f}"')
        return f'<joint name="{name}" type="{kind}" pos="{self.numbers(3, -0.03, 0.03)}" {" ".join(words)}/>'

    def shape(self) -> str:
        sizes = {
            "sphere": self.numbers(1, 0.03, 0.06),
            "capsule": self.numbers(2, 0.03, 0.06),
            "box": self.numbers(3, 0.03, 0.06),
        }
        kind = self.pick(*sizes)
        place = f'pos="{self.numbers(3, -0.05, 0.05)}" euler="{self.numbers(3, -90, 90)}"'
        friction = f'condim="{self.pick(1, 3, 3, 4, 6)}" friction="{self.numbers(1, 0.3, 1)} 0.02 0.005"'
        return f'<geom type="{kind}" size="{sizes[kind]}" {place} {friction}/>'

    def actuator(self, joint: str, kind: str) -> str:
        if kind in ("free", "ball"):
            return f'<motor joint="{joint}" gear="{self.numbers(3, -1, 1)} 0 0 0"/>'
        return self.pick(
            f'<motor joint="{joint}" gear="{self.numbers(1, 0.3, 2)}" ctrlrange="-0.8 0.9"/>',
            f'<position joint="{joint}" kp="{self.numbers(1, 1, 8)}" kv="0.3" forcerange="-1 1.5"/>',
            f'<velocity joint="{joint}" kv="{self.numbers(1, 0.1, 1)}"/>',
        )
