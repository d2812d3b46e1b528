"""MJCF plugins: the named instances of a model, and the one that an element has."""

from newtonlite.core.plugins import attributes_of
from newtonlite.exporters.mjcf.source import NamedModel
from newtonlite.exporters.mjcf.text import Tag, section


def extension(source: NamedModel) -> Tag | None:
    """The plugins that a model uses, with named instances in their order; None for a model without any."""
    plugins: list[Tag] = []
    last = ""
    for i in range(source.count("plugin")):
        name = attributes_of(source.model, i)[0].name
        if name != last:
            plugins.append(Tag("plugin", plugin=name))
        last = name
        if source.names["plugin"][i]:
            plugins[-1].add(Tag("instance", name=source.names["plugin"][i]).add(*config(source, i)))
    return section("extension", plugins)


def config(source: NamedModel, i: int) -> list[Tag]:
    """The attributes of an instance that were given."""
    return [Tag("config", key=key, value=value) for key, value in attributes_of(source.model, i)[1].items()]


def choose(source: NamedModel, tag: Tag, i: int) -> Tag:
    """Give an element its instance: by name, or as attributes of its own where it has none."""
    tag.set(plugin=attributes_of(source.model, i)[0].name, instance=source.names["plugin"][i] or None)
    return tag if source.names["plugin"][i] else tag.add(*config(source, i))
