"""Requests of channels over HTTP: through the installation's policy for outgoing connections, without redirects."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.fetching import Reach
from streaming.adapters.network.posting import PostAnswer, post
from streaming.adapters.network.urls import MOST_CHARACTERS, Url, read_url
from webapp.alerts.notifications import Notification
from webapp.alerts.rules.evaluation import TICKS_PER_S

TIMEOUT_S: Final = 10.0
"""The longest time of one request; a channel without an answer by then is tried again later."""
_MOST_QUOTED: Final = 200
Address = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS, title="Address")]


class NotSent(Exception):
    """A channel did not accept a notification; the message says why, and what to do."""


@dataclass(frozen=True)
class Sending:
    """One attempt: the outbox entry's id, which stays the same in all attempts, the time, and the network access."""

    id: UUID
    at: datetime
    reach: Reach


def json_request(
    sending: Sending,
    address: str,
    body: Any,
    *,
    headers: Mapping[str, str] | Callable[[bytes], Mapping[str, str]] | None = None,
    secrets: Collection[str] = (),
    shown: Callable[[Url], str] = lambda url: url.display_url,
) -> PostAnswer:
    """Post `body` as JSON and return the answer. Raises `NotSent` without an answer, and unless it is a 2xx.

    `secrets` never appear in messages; `shown` is the form of the address in them.
    """
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    more = headers(content) if callable(headers) else headers or {}
    try:
        url = read_url(address)
        answer = post(url, sending.reach, content, {"Content-Type": "application/json", **more}, most_s=TIMEOUT_S)
    except AdapterError as error:
        raise NotSent(_without(str(error), {*secrets, address} if secrets else ())) from None
    if 200 <= answer.status < 300:
        return answer
    raise NotSent(f"{shown(url)} answers {_quoted(answer, secrets)}. {_advice(answer.status)}")


def _advice(status: int) -> str:
    if 300 <= status < 400:
        return "Redirects are not followed: enter the final address."
    if status in {401, 403}:
        return "It does not accept the credentials: enter them again."
    if status == 404:
        return "Nothing is there: correct the address."
    if status >= 500 or status in {408, 425, 429}:
        return "It is tried again."
    return "It does not accept the notification: check the address and the options of the channel."


def _quoted(answer: PostAnswer, secrets: Collection[str]) -> str:
    """Return the status and the start of the answer, without secrets in case it repeats the request."""
    text = " ".join("".join(each if each.isprintable() else " " for each in answer.text).split())
    text = _without(text, secrets)[:_MOST_QUOTED]
    return f"{answer.status} ('{text}')" if text else str(answer.status)


def _without(text: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "[secret]")
    return text


def origin(url: Url) -> str:
    """Return the form of an address whose path is a secret."""
    return url.origin


def iso(tick: int) -> str:
    """Return a tick as ISO 8601, as receivers read it."""
    return datetime.fromtimestamp(tick / TICKS_PER_S, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def summary(notification: Notification, most: int) -> str:
    """Return the headline in at most so many characters."""
    text = notification.headline
    return text if len(text) <= most else f"{text[: most - 1]}…"
