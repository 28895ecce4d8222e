"""Definitions as files: exported, checked, planned and applied, all changes or none."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

from ..folder import changed_files, read_folder, write_folder
from ..outcomes import CommandFailure, ExitCode
from ..output.faults import is_error
from ..server import ApiServer

ACTIONS: Final = ("create", "update", "delete", "unchanged")
MOST_NAMED: Final = 5


@dataclass(frozen=True)
class DefinitionBundle:
    """Texts by path: `streams/NAME.yaml`, `queries/NAME.sql`, `bindings/NAME.yaml`, `boards/NAME.yaml`, and
    modules in Base64: `modules/HASH.wasm`."""

    files: Mapping[str, str]

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read the files of a folder. Raises `PunctualError` for a file that is not a definition."""
        return cls(read_folder(Path(folder)))

    def write(self, folder: str | Path, *, force: bool = False) -> list[str]:
        """Write the files into a folder, all or none, and return the paths of the new and changed ones.

        Raises `PunctualError` if a file with other content would be overwritten; with `force` it is overwritten.
        """
        changed = changed_files(Path(folder), self.files)
        if changed and not force:
            some = ", ".join(changed[:MOST_NAMED]) + (" and others" if len(changed) > MOST_NAMED else "")
            remedy = "Export elsewhere, or set force (--force)."
            raise CommandFailure(ExitCode.CONFLICT, f"Nothing was exported: {some} would be overwritten. {remedy}")
        return write_folder(Path(folder), self.files)


@dataclass(frozen=True)
class PlannedChange:
    """A change of a definition; `action` is one of ACTIONS, `diff` a unified diff, empty if unchanged."""

    kind: str
    name: str
    action: str
    diff: str


@dataclass(frozen=True)
class BundleFault:
    """An error or a warning and its place: `line` and `column` count from 1."""

    file: str
    line: int
    column: int
    severity: str
    code: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity} {self.code}: {self.message} {self.remedy}"


@dataclass(frozen=True)
class BundlePlan:
    """The changes of applying a bundle; errors among `faults` refuse it. `answer` is the API's answer as it is."""

    bundle: DefinitionBundle
    prune: bool
    answer: Mapping[str, Any] = field(repr=False)
    _server: ApiServer = field(repr=False, compare=False)

    @cached_property
    def changes(self) -> list[PlannedChange]:
        """The definitions that would change."""
        return [each for each in _changes(self.answer) if each.action != "unchanged"]

    @cached_property
    def faults(self) -> list[BundleFault]:
        """All errors and warnings of all files."""
        return [_fault(each) for each in self.answer["faults"]]

    @property
    def is_valid(self) -> bool:
        """Return whether there are no errors; a warning refuses nothing."""
        return not any(is_error(each) for each in self.answer["faults"])

    @property
    def summary(self) -> dict[str, int]:
        """The number of definitions by action."""
        return summary_of(self.answer)

    def apply(self) -> Sequence[PlannedChange]:
        """Make all changes or none, and return them. Raises `PunctualError` if anything changed since the plan."""
        return [each for each in _changes(self.apply_answered()) if each.action != "unchanged"]

    def apply_answered(self) -> dict[str, Any]:
        """Apply likewise, and return the API's answer as it is."""
        body = {"files": self.bundle.files, "prune": self.prune, "token": self.answer["token"]}
        return dict(self._server.post("definitions/apply/", body))


def export_bundle(server: ApiServer) -> DefinitionBundle:
    """Return all definitions of the organisation."""
    return DefinitionBundle(server.get("definitions/")["files"])


def plan_bundle(server: ApiServer, bundle: DefinitionBundle, *, prune: bool) -> BundlePlan:
    """Return the plan of applying `bundle`; nothing is stored."""
    answered = server.post("definitions/plan/", {"files": bundle.files, "prune": prune})
    return BundlePlan(bundle, prune, answered, server)


def summary_of(answer: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of definitions by action in an answer of the API."""
    counted = Counter(str(change["action"]) for change in answer["changes"])
    return {action: counted[action] for action in ACTIONS}


def _changes(answer: Mapping[str, Any]) -> list[PlannedChange]:
    return [PlannedChange(each["kind"], each["name"], each["action"], each["diff"]) for each in answer["changes"]]


def _fault(found: Mapping[str, Any]) -> BundleFault:
    names = ("file", "line", "column", "severity", "code", "message", "remedy")
    return BundleFault(**{name: found[name] for name in names})
