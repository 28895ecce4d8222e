"""The effect of other delays over HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.simulator.longer_delays import LateRows
from webapp.accounts.access import TenantView
from webapp.core.api import answer
from webapp.core.errors import Conflict, ErrorEnvelope
from webapp.live.api import REFUSALS
from webapp.live.dashboard_api import RANGE_PARAMETERS, requested_range
from webapp.live.figures import MOVED
from webapp.live.what_if.bodies import WhatIfInput, WhatIfResponse, question_of, shown_rows
from webapp.live.what_if.counting import DelayedRows, delayed_rows
from webapp.live.what_if.job import CountedInput, WhatIfWork, counted_delays, counted_input
from webapp.runs.access import access_binding
from webapp.runs.lifecycle.starting import ticks_of
from webapp.runs.models import Binding
from webapp.runs.storage.rows_at_hand import rows_at_hand


class DelayEffectView(TenantView):
    """The effect of other delays on the late rows of a binding."""

    @extend_schema(
        operation_id="home_binding_what_if",
        parameters=RANGE_PARAMETERS,
        responses={
            200: WhatIfResponse,
            409: ErrorEnvelope,
            422: ErrorEnvelope,
            429: ErrorEnvelope,
            **REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, binding: UUID) -> Response:
        """Return how many rows of each input would be in results with a longer delay, from the stored late rows.

        The counts are those of a run with that delay. Counts for shorter delays are estimates with bounds.
        """
        found, now = access_binding(binding), timezone.now()
        within, at = requested_range(found, request, now), ticks_of(now)
        rows = delayed_rows(found.pk, within, at)
        counted = _counted(found, {name: each for name, each in rows.items() if not isinstance(each, str)})
        return answer(
            WhatIfResponse(
                now=at,
                begin=within.begin,
                end=within.end,
                completeness=found.completeness,
                newest_only=counted.newest_only,
                inputs=[_input_of(found, name, each, counted) for name, each in rows.items()],
            )
        )


@dataclass(frozen=True)
class _CountedInputs:
    """The counts by input; `newest_only`: older rows of the quarantine were not read."""

    inputs: Mapping[str, CountedInput]
    newest_only: bool = False


def _counted(binding: Binding, rows: Mapping[str, DelayedRows]) -> _CountedInputs:
    """Count the late rows of each input; reads the quarantine only if there are any. Raises `Conflict`."""
    questions = {name: question_of(name, each, binding.completeness) for name, each in rows.items()}
    found = {name: counted_input(question, LateRows([])) for name, question in questions.items()}
    wanted = [name for name, each in rows.items() if each.counts.of(("dropped_late", *MOVED))]
    if not wanted:
        return _CountedInputs(found)
    with rows_at_hand(binding.pk) as at_hand:
        counts = counted_delays(WhatIfWork(at_hand.folder, [questions[name] for name in wanted]))
    if counts.problem is not None:
        raise Conflict(counts.problem)
    oldest = min(span.after for name in wanted for span in questions[name].spans)
    inputs = {**found, **dict(zip(wanted, counts.inputs, strict=True))}
    return _CountedInputs(inputs, newest_only=at_hand.complete_from > oldest + 1)


def _input_of(binding: Binding, name: str, rows: DelayedRows | str, counted: _CountedInputs) -> WhatIfInput:
    if isinstance(rows, str):
        return WhatIfInput(name=name, reason=rows, rows=None)
    return WhatIfInput(name=name, reason=None, rows=shown_rows(rows, counted.inputs[name], binding.completeness))
