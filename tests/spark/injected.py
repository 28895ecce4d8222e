"""Failures injected at calls of a carrier's stages that concern a single binding."""

import functools
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, Final

import pytest

from streaming.spark.query.manifests import Manifest

STAGES: Final = (
    "streaming.spark.source.feed",
    "streaming.spark.source.feed_work",
    "streaming.spark.source.feed_binding",
    "streaming.spark.query.arrival_merge",
    "streaming.engine.feed.lane_feed",
    "streaming.engine.feed.sending",
    "streaming.spark.stage.stage",
    "streaming.spark.messages.shared_keys",
    "streaming.engine.operators.bucket",
    "streaming.spark.sink.part_files",
    "streaming.spark.sink.already_emitted",
    "streaming.spark.planning.repair_turns",
    "streaming.spark.sink.row_lines",
    "streaming.spark.sink.result_rows",
    "streaming.spark.query.totals",
    "streaming.spark.query.failures",
    "streaming.spark.sink.publishing",
    "streaming.spark.sink.shadow_results",
    "streaming.spark.query.restart_points",
    "streaming.spark.query.savepoints",
    "streaming.resume.repairs",
    "streaming.resume.changeover",
    "streaming.storage.results",
)
"""The modules whose functions fail: all that handle a binding after its batch was planned."""
_NAME: Final = re.compile(r"(?:results/)?([a-z])(?:@\d+)?(?:/.*)?")
_HOLDERS: Final = ("key", "binding", "spec", "added", "_work", "_binding")


def names_in(value: object, depth: int = 3) -> set[str]:
    """Return the bindings that `value` names, as far as can be seen."""
    if isinstance(value, str):
        found = _NAME.fullmatch(value)
        return {found[1]} if found else set()
    if depth == 0 or value is None or isinstance(value, bytes | int | float | type):
        return set()
    if isinstance(value, list | tuple | set | frozenset) and not hasattr(value, "_fields"):
        return set().union(*(names_in(each, depth - 1) for each in value))
    if isinstance(value, dict):
        return set().union(*(names_in(each, depth - 1) for each in value))
    if hasattr(value, "_fields"):
        return names_in(getattr(value, "binding", None), depth - 1)
    held = getattr(value, "__dict__", {})
    return set().union(*(names_in(held.get(name), depth - 1) for name in _HOLDERS))


def concerns(frame: FrameType | None, binding: str) -> bool:
    """Return True if a call on the stack has arguments that name `binding` and no other one."""
    while frame is not None:
        code = frame.f_code
        if "/streaming/" in code.co_filename:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if names_in([frame.f_locals.get(name) for name in names]) == {binding}:
                return True
        frame = frame.f_back
    return False


def decodes_manifest(frame: FrameType | None) -> bool:
    """Return True if a manifest is decoded on the stack: a failure there means a damaged file, which stops all runs."""
    while frame is not None:
        if frame.f_code is Manifest.of_json.__func__.__code__:  # type: ignore[attr-defined]
            return True
        frame = frame.f_back
    return False


@dataclass
class Injection:
    """Fails calls that concern `binding`, if `fails` is true of the function and its number of calls.

    `calls`: the number of calls of each function, by name.
    """

    binding: str
    fails: Callable[[str, int], bool] = lambda _, __: False
    error: Callable[[], Exception] = ArithmeticError
    calls: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`, called `name`, wrapped to fail."""

        @functools.wraps(function)
        def call(*args: Any, **named: Any) -> Any:
            if decodes_manifest(sys._getframe(1)):
                return function(*args, **named)
            if names_in([*args, *named.values()]) == {self.binding} or concerns(sys._getframe(1), self.binding):
                self.calls[name] += 1
                if self.fails(name, self.calls[name]):
                    self.failed += 1
                    raise self.error()
            return function(*args, **named)

        return call


@contextmanager
def injecting(injection: Injection) -> Iterator[Injection]:
    """Call `injection` before every function of the stages, in all threads."""
    with pytest.MonkeyPatch.context() as patch:
        for name in STAGES:
            module = import_module(name)
            for member in list(vars(module).values()):
                if inspect.isfunction(member) and member.__module__ == name:
                    _replace(patch, member, injection.wrapped(f"{name}.{member.__name__}", member))
                elif inspect.isclass(member) and member.__module__ == name and not issubclass(member, Exception):
                    _wrap_methods(patch, member, f"{name}.{member.__name__}", injection)
        yield injection


def _replace(patch: pytest.MonkeyPatch, function: object, wrapped: object) -> None:
    """Replace `function` with `wrapped` wherever it was imported."""
    for module in [each for name, each in sys.modules.items() if name.startswith("streaming.")]:
        for name in [name for name, member in vars(module).items() if member is function]:
            patch.setattr(module, name, wrapped)


def _wrap_methods(patch: pytest.MonkeyPatch, owner: type, called: str, injection: Injection) -> None:
    for name, member in list(vars(owner).items()):
        if name.startswith("__") and name not in ("__init__", "__enter__"):
            continue
        of = partial(injection.wrapped, f"{called}.{name}")
        if isinstance(member, classmethod | staticmethod):
            patch.setattr(owner, name, type(member)(of(member.__func__)))
        elif isinstance(member, property) and member.fget is not None:
            patch.setattr(owner, name, property(of(member.fget)))
        elif inspect.isfunction(member):
            patch.setattr(owner, name, of(member))
