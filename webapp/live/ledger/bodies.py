"""The requests and responses of the ledger."""

import re
from datetime import date, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import BeforeValidator, model_validator

from streaming.definition.strict import Strict
from webapp.live.budgets import BudgetState
from webapp.live.history import Knowledge
from webapp.live.home_bodies import FreshnessBudgetResponse

MOST_DAYS: Final = 92


def _day(text: object) -> object:
    if not isinstance(text, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError("A day has the form YYYY-MM-DD, for example 2026-11-28.")
    return date.fromisoformat(text)


Day = Annotated[date, BeforeValidator(_day)]


class LedgerQuery(Strict):
    """The requested days: so many until today, or those from `first` to `last`."""

    days: Literal["7", "30", "90"] = "30"
    first: Day | None = None
    last: Day | None = None

    @model_validator(mode="after")
    def _has_both_days(self) -> Self:
        if (self.first is None) != (self.last is None):
            raise ValueError("A range has both `first` and `last`. Set both, or neither.")
        if self.first is not None and self.last is not None and not 0 <= (self.last - self.first).days < MOST_DAYS:
            raise ValueError(f"`last` must not be before `first`; at most {MOST_DAYS} days. Choose a shorter range.")
        return self

    def within(self, today: date) -> tuple[date, date]:
        """Return the first and the last day."""
        if self.first is None or self.last is None:
            return today - timedelta(days=int(self.days) - 1), today
        return self.first, self.last


class LedgerSpan(Strict):
    """A span of time, in ticks."""

    begin: int
    end: int


class LedgerCounts(Strict):
    """Rows: `received` is `difference` plus the sum of `outcomes`; `results` are committed rows of all outputs."""

    received: int
    outcomes: dict[str, int]
    difference: int
    results: int


class LedgerDayResponse(Strict):
    """One day in UTC, as YYYY-MM-DD.

    `knowledge`: everything is recorded; reports of the `unknown` spans may be missing; there was no run (none).
    `counts` is null if nothing is known of the day. `repaired` rows were repaired on it.
    """

    day: str
    knowledge: Knowledge
    unknown: list[LedgerSpan]
    counts: LedgerCounts | None
    repaired: int


class LedgerDelivery(Strict):
    """The present state of a delivery; null where no runner has reported it.

    `waiting_rows` may include rows of other outputs unless `waiting_exact`. `deleted_rows` were deleted before they
    could be delivered.
    """

    node: str
    state: str | None
    waiting_rows: int | None
    waiting_exact: bool
    refused_requests: int | None
    deleted_rows: int | None


class LedgerResponse(Strict):
    """The days `first` to `last` of a binding, newest first, and their sums; `unknown_days` of them are not known."""

    now: int
    first: str
    last: str
    binding: str
    name: str
    query: str
    query_name: str
    days: list[LedgerDayResponse]
    total: LedgerCounts
    repaired: int
    unknown_days: int
    deliveries: list[LedgerDelivery]


class LossBudgetResponse(Strict):
    """The loss budget of a binding over `days` days in UTC, until tick `now`.

    It promises that `completeness` percent of the `received` rows are in results, so `rows` may be missing. `lost` were
    in no result at first, and `repaired` of these were given back. `left` is below zero if the promise is broken.
    `used_up_at` is the tick at which a `burning` budget is used up if rows are lost as in the last 15 minutes.
    `unknown_s` seconds count neither for nor against it.
    """

    now: int
    days: int
    state: BudgetState
    completeness: float
    received: int
    lost: int
    repaired: int
    rows: int
    left: int
    used_up_at: int | None
    unknown_s: int


class FreshnessLevelResponse(Strict):
    """The freshness budget of a binding over `days` days in UTC, until tick `now`; null without a freshness level."""

    now: int
    days: int
    budget: FreshnessBudgetResponse | None


class LedgerKey(Strict):
    """A public key: 32 bytes as base64."""

    algorithm: Literal["ed25519"]
    public_key: str


class LedgerKeysResponse(Strict):
    """The keys with which this installation signs ledgers; the first one signs now."""

    keys: list[LedgerKey]
