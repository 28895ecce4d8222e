"""Jobs of limited processes: only registered functions run there."""

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
    """Limits of one process; `memory_bytes` counts from its size at the start, `wall_s` includes waiting."""

    cpu_s: int
    wall_s: float
    memory_bytes: int = 384 * MIB
    output_bytes: int = 16 * MIB
    file_bytes: int = 128 * MIB
    at_once: int = 2
    """Most concurrent processes of this kind for one organisation, in one server process."""

    @property
    def sentence(self) -> str:
        """Return the limits in words."""
        memory = f"{self.memory_bytes // MIB} MiB of memory and {self.output_bytes // MIB} MiB of output"
        return f"{self.cpu_s} s of processor time, {self.wall_s:g} s in all, {memory}"


TYPING: Final = Limits(cpu_s=5, wall_s=10, at_once=4)
"""For requests that repeat while somebody types."""
READING: Final = Limits(cpu_s=20, wall_s=30, memory_bytes=512 * MIB)
"""For reading inputs, or checking many definitions."""


@dataclass(frozen=True)
class Job(Generic[P, T]):
    """A function that runs in a limited process.

    `title` starts the sentence about a reached limit, `remedy` ends it. With `opens_secrets` the process gets the keys
    of its organisation, and no others.
    """

    function: Callable[P, T]
    title: str
    remedy: str
    limits: Limits
    opens_secrets: bool

    @property
    def name(self) -> str:
        """Return module and name of the function."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @cached_property
    def result(self) -> TypeAdapter[T]:
        """Return the type of the function's result, written and read as JSON."""
        return TypeAdapter(get_type_hints(self.function)["return"])

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the function in its own process, for the organisation in context.

        Raises `Busy` while too many run, `TooMuchWork` at a limit, `ClientGone` if nobody waits any more. Inside of a
        limited process it is an ordinary call.
        """
        if getattr(settings, "IN_LIMITED_PROCESS", False):  # set only by its own settings
            return self.function(*args, **kwargs)
        from webapp.core.limited.running import run  # it starts processes; a limited process never does

        return run(self, args, kwargs)


_JOBS: Final[dict[str, Job[..., Any]]] = {}


def limited(
    title: str, remedy: str, limits: Limits, *, opens_secrets: bool = False
) -> Callable[[Callable[P, T]], Job[P, T]]:
    """Register a function as a job of limited processes. Its module must be in the setting LIMITED_JOBS."""

    def decorate(function: Callable[P, T]) -> Job[P, T]:
        made = Job(function, title, remedy, limits, opens_secrets)
        _JOBS[made.name] = made
        return made

    return decorate


def known_jobs() -> dict[str, Job[..., Any]]:
    """Return every job by its name."""
    modules: tuple[str, ...] = getattr(settings, "LIMITED_JOBS", ())  # only limited processes have it
    for module in modules:
        importlib.import_module(module)
    return _JOBS
