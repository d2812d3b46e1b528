"""Generated source: functions made of text, which Warp and debuggers read back as if it stood in a file."""

import linecache


def define(source: str, file: str, scope: dict) -> None:
    """Run generated source in ``scope``, and keep it, under the name ``file``, where its readers look for it."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)
