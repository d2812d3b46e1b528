"""The last part of labels."""


def names(labels) -> list[str]:
    """The names that things have in their file, or were given."""
    return [label.rpartition("/")[2] for label in labels]
