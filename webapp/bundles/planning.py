"""The plan of applying files: each definition checked with all the others, its diff, and the token of the plan."""

import difflib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from streaming.definition.faults import FaultCode, Severity
from streaming.definition.own_functions.modules import ModuleDescription, modules_declared
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from streaming.definition.strict import Strict
from streaming.wire.freshness import Freshness
from webapp.boards.definition import BoardDefinition
from webapp.bundles.boards import present_board
from webapp.bundles.bodies import Action, DefinitionChange, DefinitionsPlan, FileFault, Kind
from webapp.bundles.checking import BindingAfter, FutureDefinitions, check_files
from webapp.bundles.effort import Effort
from webapp.bundles.exporting import PresentDefinitions, changed_stream, present_stream, read_present
from webapp.bundles.files import DefinitionFiles, path_of, read_files
from webapp.bundles.modules import JudgedModules, changes_of, divide, judge
from webapp.core.context import current_organisation
from webapp.core.errors import fault
from webapp.core.limited.jobs import READING, limited
from webapp.queries.checking import QueryDraft
from webapp.queries.services import says_the_same
from webapp.queries.texts import text_of
from webapp.runs.access import Held, held_by_open_runs
from webapp.runs.bindings.service_levels import FreshnessLevel
from webapp.runs.outputs.bound_outputs import BoundOutput

MOST_COMPARED: Final = 4_000_000
"""Product of the line counts of two texts up to which they are compared."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class StreamPlanned(Strict):
    """A stream as it will be stored; its secrets are encrypted."""

    definition: dict[str, Any]
    adapter: dict[str, Any]


class InputPlanned(Strict):
    """The stream that an input of a binding will read, and the settings that replace the stream's."""

    stream: str
    advance: AdvanceTimeSettings | None
    event_time: EventTimeBy | None


class BindingPlanned(Strict):
    """A binding as it will be stored."""

    query: str
    dedicated: bool
    id: UUID
    freshness: Freshness
    completeness: float
    freshness_level: FreshnessLevel | None
    inputs: dict[str, InputPlanned]
    outputs: list[BoundOutput]


@dataclass(frozen=True)
class PlanFindings:
    """The findings: changes to show, and the definitions to write by name; `deleted` only with prune.

    `modules` are the new ones by hash. None is deleted: earlier versions of queries name them.
    """

    changes: list[DefinitionChange]
    faults: list[FileFault]
    streams: dict[str, StreamPlanned]
    queries: dict[str, QueryDraft]
    bindings: dict[str, BindingPlanned]
    boards: dict[str, BoardDefinition]
    modules: dict[str, ModuleDescription]
    deleted: dict[Kind, list[str]]


@dataclass(frozen=True)
class PlannedChanges:
    """The plan: its findings, the definitions that it is based on, and the token of both."""

    found: PlanFindings
    present: PresentDefinitions
    token: str

    @property
    def refused(self) -> bool:
        """Return whether any of the problems is an error."""
        return any(each.severity is Severity.ERROR for each in self.found.faults)

    def to_response(self) -> DefinitionsPlan:
        """Return the plan as the API shows it."""
        return DefinitionsPlan(changes=self.found.changes, faults=self.found.faults, token=self.token)


def plan(files: Mapping[str, str], *, prune: bool) -> PlannedChanges:
    """Return the changes of applying `files`; nothing is written.

    Raises `Busy` while too many plans are made at once, `TooMuchWork` for files that exceed time or memory.
    """
    present, held = read_present(), held_by_open_runs() if prune else {}
    modules, definitions = divide(files)
    found = findings(definitions, present, held, judge(modules), prune)
    return PlannedChanges(found, present, token_of(files, present, prune=prune))


@limited("The check of these files", "Send fewer or smaller files at once.", READING, opens_secrets=True)
def findings(
    files: Mapping[str, str],
    present: PresentDefinitions,
    held: Mapping[Held, str],
    modules: JudgedModules,
    prune: bool,
) -> PlanFindings:
    """Return the findings of `files`, `modules` and `present`; `held` are definitions that open runs need."""
    effort = Effort()
    read = read_files(files, effort)
    with modules_declared(modules.valid):
        after = check_files(read, present, effort, prune=prune)
    deleted = _deleted(read, present) if prune else {}
    faults = [*read.faults, *modules.faults, *after.faults, *held_faults(deleted, held)]
    return PlanFindings(
        changes=[*changes_of(modules), *_changes(after, present, deleted, effort)],
        faults=sorted(faults, key=lambda each: (each.file, each.line, each.column)),
        streams={
            name: StreamPlanned(definition=each.definition, adapter=each.adapter)
            for name, each in after.streams.items()
        },
        queries={name: each.draft for name, each in after.queries.items()},
        bindings={name: _planned(each, after.ids[name]) for name, each in after.bindings.items()},
        boards={name: each.definition for name, each in after.boards.items()},
        modules={name: modules.valid[name] for name in modules.new},
        deleted=deleted,
    )


def _planned(binding: BindingAfter, pk: UUID) -> BindingPlanned:
    inputs = {
        node: InputPlanned(stream=each.stream.name, advance=each.advance, event_time=each.event_time)
        for node, each in binding.chosen.items()
    }
    return BindingPlanned(
        query=binding.query,
        dedicated=binding.dedicated,
        id=pk,
        freshness=binding.freshness,
        completeness=binding.completeness,
        freshness_level=binding.freshness_level,
        inputs=inputs,
        outputs=binding.outputs,
    )


def _deleted(read: DefinitionFiles, present: PresentDefinitions) -> dict[Kind, list[str]]:
    """Return the definitions without a file, in the order in which they can be deleted."""
    return {
        "board": sorted(set(present.boards) - read.names("board")),
        "binding": sorted(set(present.bindings) - read.names("binding")),
        "query": sorted(set(present.versions) - read.names("query")),
        "stream": sorted(set(present.streams) - read.names("stream")),
    }


def held_faults(deleted: Mapping[Kind, Sequence[str]], held: Mapping[Held, str]) -> list[FileFault]:
    """Return an error for each of `deleted` that an open run needs."""
    return [
        _held_fault(kind, name, held[(kind, name)])
        for kind, names in deleted.items()
        for name in names
        if (kind, name) in held
    ]


def _held_fault(kind: Kind, name: str, binding: str) -> FileFault:
    message = f"The {kind} {name} isn't in any of the files, but a run of the binding {binding} uses it."
    remedy = f"Stop {binding} first, add the file of the {kind}, or apply without pruning."
    found = fault(FaultCode.IN_USE, message, remedy)
    return FileFault(file=path_of(kind, name), line=1, column=1, **dict(found))


def _changes(
    after: FutureDefinitions, present: PresentDefinitions, deleted: Mapping[Kind, Sequence[str]], effort: Effort
) -> Iterator[DefinitionChange]:
    named, called = present.names(), {str(pk): name for name, pk in after.ids.items()}
    for name, stream in sorted(after.streams.items()):
        before = present.streams.get(name)
        text = None if before is None else present_stream(before, named)
        yield _change("stream", name, text, changed_stream(before, stream, called), effort)
    for name, query in sorted(after.queries.items()):
        version = present.versions.get(name)
        yield _change("query", name, None if version is None else text_of(version), query.text, effort)
    for name, binding in sorted(after.bindings.items()):
        yield _change("binding", name, *_binding_texts(name, binding, after, present), effort)
    for name, board in sorted(after.boards.items()):
        yield _change("board", name, _present_text("board", name, present), board.text, effort)
    for kind, names in deleted.items():
        for name in names:
            yield _change(kind, name, _present_text(kind, name, present), None, effort)


def _binding_texts(
    name: str, binding: BindingAfter, after: FutureDefinitions, present: PresentDefinitions
) -> tuple[str | None, str]:
    """Return the texts before and after; if the version of the query changes, both show its number."""
    found = present.bindings.get(name)
    if found is None:
        return None, binding.text
    before, number = present.binding_text(found), _number_after(binding.query, after, present)
    same_query = found.query_version.query.name == binding.query
    if same_query and found.query_version.number == number:
        return before, binding.text
    return _with_version(before, found.query_version.number), _with_version(binding.text, number)


def _number_after(query: str, after: FutureDefinitions, present: PresentDefinitions) -> int:
    """Return the number of the version that will be the current one of `query`."""
    version, changed = present.versions.get(query), after.queries.get(query)
    if version is None:
        return 1
    same = changed is None or says_the_same(version, changed.draft.meaning)
    return version.number if same else version.number + 1


def _with_version(text: str, number: int) -> str:
    first, rest = text.split("\n", 1)
    return f"{first}  # version {number}\n{rest}"


def _present_text(kind: Kind, name: str, present: PresentDefinitions) -> str | None:
    if kind == "board":
        return None if name not in present.boards else present_board(present.boards[name], present.names())
    if kind == "stream":
        return present_stream(present.streams[name], present.names())
    return text_of(present.versions[name]) if kind == "query" else present.binding_text(present.bindings[name])


def _change(kind: Kind, name: str, before: str | None, now: str | None, effort: Effort) -> DefinitionChange:
    action: Action = "create" if before is None else "delete" if now is None else "update"
    if before == now:
        return DefinitionChange(kind=kind, name=name, action="unchanged", diff="")
    return DefinitionChange(
        kind=kind, name=name, action=action, diff=unified(path_of(kind, name), before, now, whole=effort.spent)
    )


def unified(path: str, before: str | None, now: str | None, *, whole: bool = False) -> str:
    """Return the unified diff of two texts; None is an absent file.

    With `whole`, and for long texts, which may take minutes to compare, the diff replaces all lines.
    """
    old, new = _LINE.findall(before or ""), _LINE.findall(now or "")
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if now is None else f"b/{path}")
    if old and new and (whole or len(old) * len(new) > MOST_COMPARED):
        head = (f"--- {names[0]}\n", f"+++ {names[1]}\n", f"@@ -1,{len(old)} +1,{len(new)} @@\n")
        lines: Iterable[str] = (*head, *(f"-{line}" for line in old), *(f"+{line}" for line in new))
    else:
        lines = difflib.unified_diff(old, new, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def token_of(files: Mapping[str, str], present: PresentDefinitions, *, prune: bool) -> str:
    """Return a hash of the files and of all present definitions of the organisation."""
    seen = [str(current_organisation()), prune, sorted(files.items()), present.fingerprint()]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()
