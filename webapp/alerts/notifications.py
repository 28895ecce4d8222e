"""Notifications: one for all rules of a binding, as the outbox stores them and every channel writes them."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from streaming.wire.message import Message


class NotifiedAlert(Message):
    """One rule in a notification. Times are ticks; `resolved_at` is null while it fires.

    `value` is written with its unit, `limit` what it reached.
    """

    rule: str
    title: str
    level: Literal["warn", "page"]
    status: Literal["firing", "resolved"]
    sentence: str
    value: str
    since: int | None
    fired_at: int
    resolved_at: int | None = None


class Notification(Message):
    """All rules of one subject (a binding or the organisation) that fire now, or have just resolved.

    `kind` is `test` for a message that somebody sends to try a channel. `subject` is the id of the binding or
    organisation, `name` its name, `link` its page.
    """

    kind: Literal["alerts", "test"]
    organisation: str
    slug: str
    subject: str
    name: str
    link: str
    at: int
    alerts: list[NotifiedAlert] = Field(default_factory=list)

    @property
    def firing(self) -> list[NotifiedAlert]:
        """The rules that fire, those that page first."""
        return sorted((each for each in self.alerts if each.status == "firing"), key=lambda each: each.level != "page")

    @property
    def resolved(self) -> list[NotifiedAlert]:
        """The rules that have resolved."""
        return [each for each in self.alerts if each.status == "resolved"]

    @property
    def level(self) -> Literal["warn", "page"]:
        """The highest level of its rules."""
        return "page" if any(each.level == "page" for each in self.firing or self.alerts) else "warn"

    @property
    def headline(self) -> str:
        """The subject line: the state of the binding, and its worst rule."""
        if self.kind == "test":
            return f"Punctual: test of a channel of {self.organisation}"
        firing = self.firing
        if not firing:
            return f"Resolved: {self.name}: {', '.join(each.title for each in self.resolved)}"
        more = f" and {len(firing) - 1} more" if len(firing) > 1 else ""
        return f"{'Page' if self.level == 'page' else 'Warning'}: {self.name}: {firing[0].title}{more}"

    @property
    def lines(self) -> list[str]:
        """One sentence for each rule."""
        if self.kind == "test":
            return [f"This is a test of a channel of {self.organisation}. No alert is firing because of it."]
        return [each.sentence for each in self.firing] + [f"Resolved: {each.title}." for each in self.resolved]


class OutboxState(StrEnum):
    """The state of an outbox entry. `failed`: it could not be sent for a day, and is not tried again."""

    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
