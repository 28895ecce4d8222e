"""Delivers to an address: each request signed, each answer read for what it means."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

from standardwebhooks import Webhook

from streaming.adapters.contract import AdapterError, DeliveryBatch, RefusedRequest
from streaming.adapters.network.fetching import AGAIN_LATER, Reach
from streaming.adapters.network.posting import PostAnswer, posted
from streaming.adapters.network.urls import read_url
from streaming.adapters.result_json import compact_json
from streaming.adapters.webhook.options import PREFIX, WebhookOptions
from streaming.adapters.webhook.requests import requests_of

REFUSES_CONTENT: Final = frozenset({400, 409, 413, 415, 422})
"""Answers that are about the rows of this very request: others may be taken."""
LONGEST_AGAIN_S: Final = 3_600.0
_MOST_QUOTED: Final = 200


class WebhookOutput:
    """One output's rows at one address; what it answered is for whoever delivers to note."""

    def __init__(
        self,
        options: WebhookOptions,
        identity: str,
        fields: Mapping[str, str],  # noqa: ARG002  # rows say the names of their fields themselves
        root: Path,  # noqa: ARG002  # nothing of it is in a folder
        reach: Reach,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._options = options
        self._identity = identity
        self._reach = reach
        self._now = now
        self._url = read_url(options.url)
        self._webhook = Webhook(options.secret.get_secret_value())

    def send(self, batch: DeliveryBatch) -> Sequence[RefusedRequest]:
        """Post the batch request by request; those whose content the receiver refuses are returned.

        Raises `AdapterError`: external for no answer, 408, 425, 429 and from 500 on; user for any other but 2xx.
        """
        refused = []
        for request in requests_of(batch, self._identity, self._options.rows_per_request, ctis=self._options.ctis):
            answer = self._post(request.id, request.body)
            if answer.status in REFUSES_CONTENT:
                reason = f"{self._url.shown} answers {self._quoted(answer)}"
                refused.append(RefusedRequest(batch.number, request.part, reason, request.rows))
            elif not 200 <= answer.status < 300:
                raise self._why(answer)
        return refused

    def check(self) -> None:
        """Post a request that says `test` and has no rows. Raises `AdapterError` unless it is taken."""
        at = self._now()
        body = compact_json({"type": "test", "data": {"output": self._identity, "rows": []}})
        answer = self._post(f"{self._identity}.test.{int(at.timestamp() * 1_000_000)}", body)
        if not 200 <= answer.status < 300:
            raise self._why(answer)

    def close(self) -> None:
        """Nothing is open between requests."""

    def _post(self, name: str, body: bytes) -> PostAnswer:
        at = self._now()
        headers = {
            "Content-Type": "application/json",
            "webhook-id": name,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": self._webhook.sign(msg_id=name, timestamp=at, data=body.decode()),
        }
        if self._options.token is not None:
            headers["Authorization"] = f"Bearer {self._options.token.get_secret_value()}"
        return posted(self._url, self._reach, body, headers, most_s=self._options.timeout_s)

    def _why(self, answer: PostAnswer) -> AdapterError:
        said = f"{self._url.shown} answers {self._quoted(answer)}"
        if answer.status >= 500 or answer.status in AGAIN_LATER:
            return AdapterError(f"{said}. It is tried again.", domain="external", again_after_s=self._again(answer))
        if answer.status in {401, 403}:
            return AdapterError(f"{said}: it does not accept the token or the signature. Correct the token or secret.")
        if 300 <= answer.status < 400:
            return AdapterError(f"{said}: it sends elsewhere, which is not followed. Give the address it leads to.")
        return AdapterError(f"{said} in place of taking the results. Correct the address, or what answers there.")

    def _quoted(self, answer: PostAnswer) -> str:
        """The status and how the answer begins, without what is secret, in case it says what it was sent."""
        text = " ".join("".join(each if each.isprintable() else " " for each in answer.text).split())
        for secret in (self._options.secret, self._options.token):
            if secret is not None:
                text = text.replace(secret.get_secret_value().removeprefix(PREFIX), "[secret]")
        more = f" ('{text[:_MOST_QUOTED]}')" if text else ""
        return f"{answer.status}{more}"

    def _again(self, answer: PostAnswer) -> float | None:
        """After how many seconds the receiver wants to be asked again, an hour at most; None: it does not say."""
        text = answer.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdecimal():
            return min(float(text[:6]), LONGEST_AGAIN_S)
        try:
            at = parsedate_to_datetime(text)
        except ValueError:
            return None
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return min(max(0.0, (at - self._now()).total_seconds()), LONGEST_AGAIN_S)
