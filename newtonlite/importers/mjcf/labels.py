"""Labels of what a file holds: Newton's paths from the model to the body, ``robot/worldbody/arm/hand``."""

from collections import Counter

from newtonlite.importers.mjcf.spec import Body, Item, Spec


class Labels:
    """Gives every part of a file its label in the scene.

    A body is named below its parents, and what is on it below the body.  What has no name gets one of its body's and a
    number: ``hand_joint_0``, ``hand_geom_0``, ``hand_geom_0_visual``, ``hand_site_0``.  What was merged into another
    body keeps its label.  A ``flat`` file (URDF) has no
    parents in its labels: ``robot/hand``.  Hyphens of bodies and joints become underscores, as in Newton.
    """

    def __init__(self, spec: Spec, flat: bool = False):
        self.model: str = spec.document.root.values.get("model") or ""
        self.flat = flat
        self.path = {id(spec.world): self.model if flat else under(self.model, "worldbody")}
        self.short = {id(spec.world): "world"}
        self.counts: Counter[tuple[int, str]] = Counter()

    def body(self, body: Body, number: int) -> str:
        """The label of a body; ``number`` is its own in the scene."""
        self.short[id(body)] = short = plain(body.name) or f"body_{number}"
        self.path[id(body)] = path = under(self.model if self.flat else self.path_of(body.home or body.parent), short)
        return path

    def path_of(self, body: Body | None) -> str:
        """The label of a body of the file, also of one that was merged into another."""
        assert body is not None  # the world has its own
        if id(body) not in self.path:
            path, self.short[id(body)] = self.path_of(body.home or body.parent), plain(body.name) or "body"
            self.path[id(body)] = under(path, self.short[id(body)])
        return self.path[id(body)]

    def joint(self, body: Body, joints: list[Item]) -> str:
        """The label of the joint that stands for several of a file; of the one that holds a body without joints."""
        names = [self.joint_name(body, item) for item in joints] or [f"{self.short[id(body)]}_joint"]
        return self.on(body, "_".join(names))

    def joint_name(self, body: Body, item: Item) -> str:
        """The name of a joint, or one made up of its body's."""
        kind = "freejoint" if item.node.tag == "freejoint" else f"joint_{body.joints.index(item)}"
        return plain(item.name) or f"{self.short[id(body)]}_{kind}"

    def geom(self, geom: Item, visual: bool) -> str:
        """The label of a geom; those that collide and those that are only seen are counted apart."""
        return self.counted(geom, "geom", "_visual" if visual else "")

    def site(self, site: Item) -> str:
        """The label of a site."""
        return self.counted(site, "site", "")

    def counted(self, item: Item, kind: str, ending: str) -> str:
        """The label of a geom or site, which all have numbers, whether they need them or not."""
        body = item.home or item.body
        path, key = self.path_of(body), (id(body), kind + ending)
        number = self.counts[key]
        self.counts[key] = number + 1
        name = item.name or f"{self.short[id(body)]}_{kind}_{number}{ending}"
        return under(self.model if self.flat else path, name)

    def articulation(self, root: Body, alone: bool) -> str:
        """The label of an articulation: the model's name, with that of the root where there are several."""
        return self.model if alone and self.model else under(self.model, self.short[id(root)])

    def of_model(self, name: str) -> str:
        """The label of what stands beside the world, such as an equality constraint; nothing for what has no name."""
        return under(self.model, name) if name else ""

    def on(self, body: Body, name: str) -> str:
        """The label of something on a body."""
        return under(self.model if self.flat else self.path[id(body)], name)


def under(path: str, name: str) -> str:
    """A name below a path, which may be empty."""
    return f"{path}/{name}" if path else name


def plain(name: str) -> str:
    """A name without hyphens, which are no part of paths in USD."""
    return name.replace("-", "_")
