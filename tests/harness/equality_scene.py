"""Random scenes with tendons of all kinds and equality constraints on top of the joints, shapes and actuators of
``RandomScene``.
"""

import re
from itertools import count

import numpy as np

from tests.harness.random_scene import RandomScene

SCALAR = ("hinge", "slide")


LAWS = (
    'dyntype="integrator" gainprm="0.5" biastype="affine" biasprm="0 -0.5 -0.05" actlimited="true" actrange="-0.6 0.7"',
    'dyntype="filter" dynprm="0.05" gainprm="0.8" actearly="true"',
    'dyntype="filterexact" dynprm="0.03" gainprm="0.6"',
    'dyntype="none" gaintype="affine" gainprm="0.7 0.2 -0.05" ctrllimited="true" ctrlrange="-1 1" forcerange="-0.5 0.6"',
)


class TiedScene(RandomScene):
    """MJCF drawn from a seed; every body has a name and a site, some a shape that strings run around."""

    def __init__(self, seed: int):
        self.sites, self.wheels = [], []
        super().__init__(seed)
        self.scalars = [name for name, kind in self.joints if kind in SCALAR]
        self.tendons = []
        world = "".join(f'<site name="w{k}" pos="{self.numbers(3, -0.6, 0.9)}"/>' for k in range(2))
        self.sites += ["w0", "w1"]
        tendons = "".join(self.tendon() for _ in range(self.rng.integers(1, 5)))
        ties = "".join(self.tie() for _ in range(self.rng.integers(1, 4)))
        self.more = np.random.default_rng([seed, 1])
        ties += "".join(self.tie_of_bodies() for _ in range(self.more.integers(0, 2)))
        engines = "".join(self.engine() for _ in range(self.more.integers(1, 4)))
        motors = "".join(
            f'<motor tendon="{t}" gear="{self.numbers(1, 0.2, 1)}" ctrlrange="-1 1"/>'
            for t in self.tendons
            if self.rng.random() < 0.4
        )
        bodies = count()
        self.text = (
            re.sub("<body ", lambda _: f'<body name="b{next(bodies)}" ', self.text)
            .replace("</worldbody>", f"{world}</worldbody><tendon>{tendons}</tendon><equality>{ties}</equality>")
            .replace("</actuator>", f"{motors}{engines}</actuator>")
        )

    def shape(self) -> str:
        site = f"s{len(self.sites)}"
        self.sites.append(site)  # of body b<number>
        made = (
            super().shape()
            + f'<site name="{site}" pos="{self.numbers(3, -0.08, 0.08)}" euler="{self.numbers(3, -60, 60)}"/>'
        )
        if self.rng.random() < 0.4:
            wheel = f"g{len(self.wheels)}"
            self.wheels.append(wheel)
            size = f'type="{self.pick("sphere", "cylinder")}" size="{self.numbers(1, 0.02, 0.05)} 0.05"'
            made += (
                f'<geom name="{wheel}" {size} euler="{self.numbers(3, -60, 60)}" contype="0" conaffinity="0" mass="0"/>'
            )
        return made

    def tendon(self) -> str:
        name = f"t{len(self.tendons)}"
        self.tendons.append(name)
        fixed = len(self.scalars) > 1 and self.rng.random() < 0.4
        path = self.fixed_path() if fixed else self.spatial_path()
        words = [f'name="{name}"', f'stiffness="{self.numbers(1, 0, 10)}"', f'damping="{self.numbers(1, 0, 0.3)}"']
        if self.rng.random() < 0.4:
            words.append(f'frictionloss="{self.numbers(1, 0.02, 0.3)}"')
        if self.rng.random() < 0.4:
            words.append(
                f'limited="true" range="{"-0.2 0.3" if fixed else "0.1 2.5"}" margin="{self.numbers(1, 0, 0.05)}" solreflimit="0.05 1"'
            )
        if "geom" not in path and self.rng.random() < 0.4:
            words.append(f'armature="{self.numbers(1, 0.01, 0.1)}"')
        if self.rng.random() < 0.5:
            words.append('springlength="0.1 0.3"')
        kind = "fixed" if fixed else "spatial"
        return f"<{kind} {' '.join(words)}>{path}</{kind}>"

    def fixed_path(self) -> str:
        chosen = self.rng.permutation(self.scalars)[: self.rng.integers(1, 4)]
        return "".join(f'<joint joint="{j}" coef="{self.numbers(1, -1, 1)}"/>' for j in chosen)

    def spatial_path(self) -> str:
        branches = [self.branch() for _ in range(self.rng.integers(1, 3))]
        return '<pulley divisor="2"/>'.join(branches)

    def branch(self) -> str:
        chosen = self.rng.permutation(self.sites)[: self.rng.integers(2, 4)].tolist()
        path = f'<site site="{chosen[0]}"/>'
        for site in chosen[1:]:
            if self.wheels and self.rng.random() < 0.5:
                side = f' sidesite="{self.pick(*self.sites)}"' if self.rng.random() < 0.3 else ""
                path += f'<geom geom="{self.pick(*self.wheels)}"{side}/>'
            path += f'<site site="{site}"/>'
        return path

    def tie(self) -> str:
        soft = f'solref="{self.numbers(1, 0.1, 0.3)} 1" active="{self.pick("true", "true", "false")}"'
        one, two = self.rng.permutation(self.sites)[:2]
        choices = [
            f'<connect site1="{one}" site2="{two}" {soft}/>',
            f'<weld site1="{one}" site2="{two}" torquescale="{self.numbers(1, 0.2, 2)}" {soft}/>',
        ]
        if len(self.scalars) > 1:
            one, two = self.rng.permutation(self.scalars)[:2]
            choices.append(f'<joint joint1="{one}" joint2="{two}" polycoef="{self.numbers(5, -0.5, 0.5)}" {soft}/>')
        if len(self.tendons) > 1:
            one, two = self.rng.permutation(self.tendons)[:2]
            choices.append(f'<tendon tendon1="{one}" tendon2="{two}" polycoef="{self.numbers(5, -0.3, 0.5)}" {soft}/>')
        return self.pick(*choices)

    def some(self, *choices):
        return choices[self.more.integers(len(choices))]

    def tie_of_bodies(self) -> str:
        """A connect or weld of bodies, to each other or to the world."""
        soft = f'solref="{self.more.uniform(0.1, 0.3):.3f} 1"'
        one, two = self.more.permutation(len(self.sites) - 2)[:2] if len(self.sites) > 3 else (0, 0)
        other = f'body2="b{two}"' if two != one and self.more.random() < 0.7 else ""
        anchor = " ".join(f"{x:.3f}" for x in self.more.uniform(-0.05, 0.05, 3))
        return self.some(
            f'<connect body1="b{one}" {other} anchor="{anchor}" {soft}/>',
            f'<weld body1="b{one}" {other} torquescale="0.7" {soft}/>',
        )

    def engine(self) -> str:
        """An actuator of some law on whatever it can act on."""
        law = self.some(*LAWS)
        on = [
            f'site="{self.some(*self.sites[:-2])}" gear="0.2 -0.1 0.3 0.02 0.05 -0.03"',
            f'tendon="{self.some(*self.tendons)}" gear="0.4"',
        ]
        if len(self.sites) > 3:
            one, two = self.more.permutation(self.sites[:-2])[:2]
            on.append(f'site="{one}" refsite="{two}" gear="0.3 0.1 -0.2 0.03 -0.02 0.04"')
            on.append(f'cranksite="{one}" slidersite="{two}" cranklength="0.8" gear="0.2"')
        on += [
            f'jointinparent="{name}" gear="{0.2 if kind in SCALAR else "0.05 0.1 -0.08"}"'
            for name, kind in self.joints
            if kind != "free"
        ][:1]
        choices = [f"<general {chosen} {law}/>" for chosen in on]
        choices.append(
            f'<adhesion body="b{self.more.integers(len(self.sites) - 2)}" ctrlrange="0 1" gain="{self.more.uniform(0.5, 3):.2f}"/>'
        )
        if self.scalars:
            joint = self.some(*self.scalars)
            choices.append(f'<muscle joint="{joint}" lengthrange="-1 1.5" force="2"/>')
            choices.append(f'<dcmotor joint="{joint}" motorconst="0.1 0.15" resistance="1.3"/>')
        return self.some(*choices)
