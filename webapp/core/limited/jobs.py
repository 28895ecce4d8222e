"""What may run in a limited process: functions that are named here, and nothing else."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, ParamSpec, TypeVar, get_type_hints

from django.conf import settings
from pydantic import TypeAdapter

P = ParamSpec("P")
T = TypeVar("T")
MIB: Final = 1024**2


@dataclass(frozen=True)
class Limits:
    """What one process may use; `memory_bytes` counts from what it has when it begins, `wall_s` includes waiting."""

    cpu_s: int
    wall_s: float
    memory_bytes: int = 384 * MIB
    output_bytes: int = 16 * MIB
    file_bytes: int = 128 * MIB
    at_once: int = 2
    """How many of these one organisation has at the same time, in one server process."""

    @property
    def sentence(self) -> str:
        """What there is, in words."""
        memory = f"{self.memory_bytes // MIB} MiB of memory and {self.output_bytes // MIB} MiB of output"
        return f"{self.cpu_s} s of processor time, {self.wall_s:g} s in all, {memory}"


TYPING: Final = Limits(cpu_s=5, wall_s=10, at_once=4)
"""For what is asked again and again while somebody types."""
READING: Final = Limits(cpu_s=20, wall_s=30, memory_bytes=512 * MIB)
"""For what reads inputs, or checks many definitions."""


@dataclass(frozen=True)
class Job(Generic[P, T]):
    """A function that runs in a limited process.

    `title` begins the sentence that says what reached a limit, `remedy` ends it. With `opens_secrets` the process gets
    the keys of its organisation, and no others.
    """

    function: Callable[P, T]
    title: str
    remedy: str
    limits: Limits
    opens_secrets: bool

    @property
    def name(self) -> str:
        """The module and the name of the function."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @cached_property
    def result(self) -> TypeAdapter[T]:
        """What the function returns, written and read as JSON."""
        return TypeAdapter(get_type_hints(self.function)["return"])

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the function in a process of its own, for the organisation in context.

        Raises `Busy` while as many run as may, `TooMuchWork` at a limit, `ClientGone` when nobody waits any more.
        Inside of a limited process it is called as it is.
        """
        if getattr(settings, "IN_LIMITED_PROCESS", False):  # which only its own settings say
            return self.function(*args, **kwargs)
        from webapp.core.limited.running import run  # it starts processes, which the limited process itself never does

        return run(self, args, kwargs)


_JOBS: Final[dict[str, Job[..., Any]]] = {}


def limited(
    title: str, remedy: str, limits: Limits, *, opens_secrets: bool = False
) -> Callable[[Callable[P, T]], Job[P, T]]:
    """Make a function one that runs in a limited process. Its module must be in the setting LIMITED_JOBS."""

    def decorate(function: Callable[P, T]) -> Job[P, T]:
        made = Job(function, title, remedy, limits, opens_secrets)
        _JOBS[made.name] = made
        return made

    return decorate


def known_jobs() -> dict[str, Job[..., Any]]:
    """Return every job by its name."""
    modules: tuple[str, ...] = getattr(settings, "LIMITED_JOBS", ())  # the limited processes alone have it
    for module in modules:
        importlib.import_module(module)
    return _JOBS
