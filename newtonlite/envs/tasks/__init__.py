"""Tasks that come with the package: one readable file each, a module with a function ``task()``. A file of one's own is
read likewise.
"""

from importlib import import_module, util
from pathlib import Path

from newtonlite.core.errors import ModelError
from newtonlite.envs.task import Task


def names() -> list[str]:
    """The packaged tasks, sorted."""
    return sorted(file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("_"))


def load(name: str) -> Task:
    """The packaged task of this name, or that of a Python file: what its ``task()`` returns.

    ``FILE.py:NAME`` calls another function of the file. ModelError names the tasks there are, or says what the file
    lacks.
    """
    file, _, function = str(name).partition(".py:")
    if function or file.endswith(".py"):
        return _from_file(Path(file + ".py" if function else file), function or "task")
    return packaged(name)


def packaged(name: str) -> Task:
    """The packaged task of this name; never a file. ModelError names the tasks there are."""
    if name not in names():
        raise ModelError(
            f"no task is called {name!r}; there are: {', '.join(names())}; a file of your own is named FILE.py"
        )
    return import_module(f"newtonlite.envs.tasks.{name}").task()


def _from_file(file: Path, function: str) -> Task:
    """The task that a function of a file returns."""
    if not file.is_file():
        raise ModelError(f"{file}: no such file")
    spec = util.spec_from_file_location(file.stem, file)
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, function, None)):
        raise ModelError(f"{file}: has no function {function}() that returns a Task")
    made = getattr(module, function)()
    if not isinstance(made, Task):
        raise ModelError(f"{file}: {function}() returned {type(made).__name__}, expected a newtonlite.envs.Task")
    return made
