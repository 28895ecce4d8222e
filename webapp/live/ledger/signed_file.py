"""The ledger as a CSV file that anybody can add up, with the meaning of its columns and a signature.

The first cell of a line is its kind. The last line has the signature of all bytes before it (Ed25519).
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from webapp.core.exported_files import harmless
from webapp.live.figures import PeriodCounts
from webapp.live.ledger.counting import Ledger, LedgerDay, difference_in, unknown_s
from webapp.live.ledger.signatures import public_keys, signature_of
from webapp.live.queries import LiveDelivery
from webapp.monitoring.reading import TICKS_PER_S

SIGNATURE: Final = b"signature,ed25519:"
KEYS_ADDRESS: Final = "/api/ledger-keys/"
_VERIFY: Final = (
    "The line that starts with `signature` must be the last one: refuse a file with anything after it. Take all bytes "
    "before this line. Verify the signature over them with Ed25519: the signature and the public key are base64. "
    f"Compare the public key with those at {KEYS_ADDRESS} of the installation."
)
_OUTCOMES: Final[Mapping[str, str]] = {
    "on_time": "Rows at or after the largest time so far.",
    "reordered": "Rows before the largest time so far, but not before the CTI.",
    "adjusted": "Rows before the CTI whose start was moved up to it.",
    "shifted": "Rows before the CTI whose lifetime was moved to start at it.",
    "late_kept": "Rows before the CTI that passed on unchanged.",
    "dropped_late": "Rows before the CTI that are in no result.",
    "dropped_early": "Rows too far in the future, which are in no result.",
    "dropped_window_closed": "Rows whose windows had all closed, which are in no result.",
    "malformed": "Rows that could not be read as events, which are in no result.",
    "overlap": "Rows that the other source of the input, history or live, has too. They count there.",
}
COLUMNS: Final[Mapping[str, str]] = {
    "day": "Day in UTC. A row counts on the day on which its batch was reported.",
    "knowledge": "known: all is recorded. unknown: reports may be missing, see the lines `unknown`. none: no run.",
    "unknown_s": "Seconds of the day whose reports may be missing.",
    "received": "Rows received from all inputs. Empty if nothing is known of the day.",
    **_OUTCOMES,
    "difference": "received minus the sum of the ten outcomes. Not 0: the counts do not add up.",
    "results": "Result rows committed, of all outputs.",
    "repaired": "Rows repaired on this day. They were counted as dropped or malformed when they were received.",
}
"""The columns of the days, with their meanings."""
DELIVERY_COLUMNS: Final[Mapping[str, str]] = {
    "output": "Name of the output.",
    "state": "State of its delivery when the file was written. unknown: no runner has reported it.",
    "waiting_rows": "Result rows that have not reached the target. An upper limit if waiting_exact is no.",
    "waiting_exact": "yes: waiting_rows is exact. no: it may include rows of other outputs.",
    "refused_requests": "Requests that the target has refused permanently.",
    "deleted_rows": "Result rows that were deleted before they could be delivered.",
}
"""The columns of the deliveries, with their meanings."""


def signed_file(ledger: Ledger, organisation: str) -> bytes:
    """Return the whole file."""
    text = io.StringIO()
    csv.writer(text).writerows([_cell(cell) for cell in line] for line in _lines(ledger, organisation))
    content = text.getvalue().encode()
    return content + SIGNATURE + signature_of(content).encode() + b"\r\n"


def _cell(value: object) -> object:
    """Return a number as it is, so that it can be added up; a text never becomes a formula."""
    return value if isinstance(value, int) else harmless(value)


def _lines(ledger: Ledger, organisation: str) -> Iterator[Iterable[object]]:
    binding = ledger.binding
    yield "punctual_ledger", 1
    yield "organisation", organisation, str(binding.organisation_id)
    yield "binding", binding.name, str(binding.pk)
    yield "query", binding.query_version.query.name, str(binding.query_version.query_id)
    yield "days", ledger.first.isoformat(), ledger.last.isoformat()
    yield "written", _utc(ledger.now)
    yield from (("definition", name, meaning) for name, meaning in COLUMNS.items())
    yield "columns", *COLUMNS
    yield from (("day", *_of_day(each)) for each in ledger.days)
    all_unknown_s = sum(unknown_s(each) for each in ledger.days)
    yield "total", "", "", all_unknown_s, *_of_counts(ledger.total), ledger.repaired
    for day in ledger.days:
        yield from (("unknown", _utc(begin), _utc(end)) for begin, end in day.unknown)
    yield from (("delivery_definition", name, meaning) for name, meaning in DELIVERY_COLUMNS.items())
    yield "delivery_columns", *DELIVERY_COLUMNS
    yield from (("delivery", *_of_delivery(each)) for each in (() if ledger.live is None else ledger.live.deliveries))
    yield "verify", _VERIFY
    yield "public_key", f"ed25519:{public_keys()[0]}"


def _of_day(each: LedgerDay) -> list[object]:
    counts: list[object] = [""] * (len(_OUTCOMES) + 3) if each.counts is None else _of_counts(each.counts)
    return [each.day.isoformat(), each.knowledge, unknown_s(each), *counts, each.repaired]


def _of_delivery(delivery: LiveDelivery) -> list[object]:
    seen = delivery.seen
    if seen is None:
        return [delivery.node, "unknown", "", "", "", ""]
    exact = "yes" if seen.waiting_exact else "no"
    return [delivery.node, seen.state, seen.waiting_rows, exact, seen.refused_requests, seen.lost_rows]


def _of_counts(counts: PeriodCounts) -> list[object]:
    outcomes = [counts.outcomes.get(outcome, 0) for outcome in _OUTCOMES]
    return [counts.received, *outcomes, difference_in(counts), counts.results]


def _utc(tick: int) -> str:
    return datetime.fromtimestamp(tick // TICKS_PER_S, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
