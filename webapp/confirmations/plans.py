"""Plans that need a confirmation: their effect, the state that they are made against, and carrying them out."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from django.db import transaction

from streaming.definition.counts import counted
from streaming.wire.beginning import KeptBegin
from webapp.accounts.models import User
from webapp.accounts.permissions import Permission
from webapp.bundles import applying, planning
from webapp.bundles.bodies import DefinitionChange
from webapp.confirmations.models import Confirmation
from webapp.confirmations.requests import PlanKind, StopHow
from webapp.confirmations.services import ACTIONS, PlannedAction
from webapp.core.errors import Conflict, Faulty
from webapp.runs.access import access_binding, open_run
from webapp.runs.bindings.changing import open_change
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import output_names, outputs_of
from webapp.runs.starts import services as starts
from webapp.runs.starts.asked_inputs import gone_faults
from webapp.runs.starts.next_start import begin_sentence, refuse_carrying, spec_of_start, start_mark
from webapp.runs.states import Desired

MOST_EFFECT: Final = 300_000
"""Characters of all diffs of a plan: a person reads them all before they confirm."""
CHANGED: Final = (
    "The state has changed since this plan was made, so nothing was done. Plan again, and ask for a new confirmation."
)
Files = Mapping[str, str]
_DONE: Final = {"create": "created", "update": "changed", "delete": "deleted"}


def _apply(confirmation: Confirmation, by: User | None, files: Files, within: Callable[[], object]) -> None:
    prune = confirmation.settings["prune"]
    applying.apply(files, prune=prune, token=confirmation.state, author=by, within=within)


def _start(confirmation: Confirmation, by: User | None, files: Files, within: Callable[[], object]) -> None:
    binding, begin = _binding(confirmation, files), confirmation.settings["begin"]
    mark = start_mark(binding)

    def as_planned() -> None:
        _require(confirmation, _start_plan(access_binding(binding.pk), begin))
        within()

    _require(confirmation, _start_plan(binding, begin))  # also before the adapters are tried
    if not starts.start(binding=binding, by=by, begin_at=begin, shown=mark, within=as_planned).is_new:
        raise Conflict(CHANGED)


def _stop(confirmation: Confirmation, _: User | None, files: Files, within: Callable[[], object]) -> None:
    with transaction.atomic():
        binding, how = _binding(confirmation, files), confirmation.settings["how"]
        Binding.objects.select_for_update(of=("self",)).get(pk=binding.pk)
        _require(confirmation, _stop_plan(binding, how))
        within()
        starts.stop(binding=binding, flush=how == "flush", discard=how == "discard")


def _binding(confirmation: Confirmation, files: Files) -> Binding:
    if files:
        raise Conflict("This plan has no files. Send none.")
    assert confirmation.binding is not None  # nosec B101 # plans to start and to stop have one
    return access_binding(confirmation.binding)


def _require(confirmation: Confirmation, now: Confirmation) -> None:
    if now.state != confirmation.state:
        raise Conflict(CHANGED)


def _apply_plan(files: Mapping[str, str], *, prune: bool) -> Confirmation:
    planned = planning.plan(files, prune=prune)
    if planned.refused:
        raise Faulty(list(planned.found.faults))
    changes = [each for each in planned.found.changes if each.action != "unchanged"]
    if not changes:
        raise Conflict("The files change nothing, so there is nothing to confirm. Check the files.")
    if sum(len(each.diff) for each in changes) > MOST_EFFECT:
        raise Conflict("The changes are too long for a person to check at once. Plan fewer files at once.")
    return Confirmation(
        kind="apply",
        title=f"Apply {counted(len(changes), 'change')} of definitions",
        permission=Permission.EDIT,
        state=planned.token,
        sentences=[*_counts(changes), *(f"{each.message} {each.remedy}" for each in planned.found.faults)],
        settings={"prune": prune},
        changes=[each.model_dump(mode="json") for each in changes],
    )


def _counts(changes: Sequence[DefinitionChange]) -> Iterator[str]:
    numbers = Counter((each.action, each.kind) for each in changes)
    for (action, kind), number in sorted(numbers.items()):
        plural = "queries" if kind == "query" else f"{kind}s"
        yield f"{counted(number, kind, plural)} {'is' if number == 1 else 'are'} {_DONE[action]}."


def _start_plan(binding: Binding, begin: KeptBegin | None) -> Confirmation:
    if open_run(binding) is not None:
        raise Conflict(f"{binding.name} has a run that has not ended. Stop it first.")
    mark = start_mark(binding)  # first: a change during the rest of this request must give another mark
    if begin == "oldest_open" and (faults := gone_faults(spec_of_start(binding))):
        raise Faulty(faults)
    if begin == "carried_over":
        refuse_carrying(binding)
    version, targets = binding.query_version, output_names(binding)
    sentences = [f"It runs version {version.number} of {version.query.name}.", begin_sentence(binding, begin)]
    if targets:
        sentences.append(f"Its results are delivered to: {', '.join(targets)}.")
    outputs = [each.model_dump(mode="json") for each in outputs_of(binding)]
    levels = [binding.freshness, binding.completeness, binding.freshness_level]
    seen = [str(version.pk), mark, begin, sentences, outputs, *levels]
    return Confirmation(
        kind="start",
        title=f"Start {binding.name}",
        permission=Permission.OPERATE,
        state=_hash("start", binding, seen),
        sentences=sentences,
        changes=[],
        settings={"begin": begin},
        binding=binding.pk,
    )


def _stop_plan(binding: Binding, how: StopHow) -> Confirmation:
    run = open_run(binding)
    if run is None or run.desired == Desired.STOPPED:
        raise Conflict(f"{binding.name} is not running or is already being stopped, so there is nothing to stop.")
    version, change = run.query_version, open_change(binding)
    sentences = [
        f"It runs version {version} of {run.query_name}.",
        {"flush": starts.FLUSHED, "discard": starts.DISCARDED, None: starts.KEPT}[how],
    ]
    if change is not None:
        sentences.append(f"The change to version {change.version} is canceled.")
    return Confirmation(
        kind="stop",
        title=f"Stop {binding.name}",
        permission=Permission.OPERATE,
        state=_hash("stop", binding, [str(run.pk), sentences, None if change is None else str(change.pk)]),
        sentences=sentences,
        changes=[],
        settings={"how": how},
        binding=binding.pk,
    )


def _hash(kind: PlanKind, binding: Binding, seen: Sequence[Any]) -> str:
    content = [kind, str(binding.organisation_id), str(binding.pk), binding.name, *seen]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


ACTIONS["apply"] = PlannedAction(lambda body: _apply_plan(body.files, prune=body.prune), _apply)
ACTIONS["start"] = PlannedAction(lambda body: _start_plan(access_binding(body.binding), body.begin), _start)
ACTIONS["stop"] = PlannedAction(lambda body: _stop_plan(access_binding(body.binding), body.how), _stop)
