"""Delivers to an address: signs each request and interprets each answer."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Final

from standardwebhooks import Webhook

from streaming.adapters.contract import AdapterError, DeliveryBatch, RefusedRequest
from streaming.adapters.network.fetching import AGAIN_LATER, Reach
from streaming.adapters.network.posting import PostAnswer, post
from streaming.adapters.network.urls import read_url
from streaming.adapters.result_json import compact_json
from streaming.adapters.secret_options import SecretText
from streaming.adapters.webhook.options import PREFIX, WebhookOptions
from streaming.adapters.webhook.requests import WebhookRequest, requests_of

REFUSES_CONTENT: Final = frozenset({400, 409, 413, 415, 422})
"""Statuses that refuse the rows of this request: others may be accepted."""
LONGEST_AGAIN_S: Final = 3_600.0
_MOST_QUOTED: Final = 200


def signed_headers(webhook: Webhook, token: SecretText | None, name: str, at: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of a signed request with the id `name`, according to Standard Webhooks."""
    headers = {
        "Content-Type": "application/json",
        "webhook-id": name,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": webhook.sign(msg_id=name, timestamp=at, data=body.decode()),
    }
    return headers if token is None else {**headers, "Authorization": f"Bearer {token.get_secret_value()}"}


class WebhookOutput:
    """One output's rows at one address; the caller records the answers."""

    def __init__(
        self,
        options: WebhookOptions,
        identity: str,
        fields: Mapping[str, str],  # noqa: ARG002  # rows include the names of their fields
        root: Path,  # noqa: ARG002  # uses no folder
        reach: Reach,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._options = options
        self._identity = identity
        self._reach = reach
        self._now = now
        self._url = read_url(options.url)
        self._webhook = Webhook(options.secret.get_secret_value())
        self._batch: int | None = None
        self._answered = 0
        self._refused: list[RefusedRequest] = []

    def send(self, batch: DeliveryBatch) -> Sequence[RefusedRequest]:
        """Post the batch request by request; return those whose content the receiver refuses.

        After an error a second call with the same batch resumes with the request that failed.
        Raises `AdapterError`: external without an answer and for 408, 425, 429 and 500 or more; user for others but
        2xx.
        """
        if batch.number != self._batch:
            self._batch, self._answered, self._refused = batch.number, 0, []
        requests = requests_of(batch, self._identity, self._options.rows_per_request, ctis=self._options.ctis)
        before = self._answered
        for request in list(requests)[before:]:
            try:
                self._send_request(batch.number, request)
            except AdapterError as error:
                error.partly_sent = self._answered > before
                raise
            self._answered += 1
        self._batch = None
        return self._refused

    def _send_request(self, number: int, request: WebhookRequest) -> None:
        """Post one request; note it if its content is refused. Raises `AdapterError` as `send` does."""
        answer = self._post(request.id, request.body)
        if answer.status in REFUSES_CONTENT:
            reason = f"{self._url.display_url} answers {self._quoted(answer)}"
            self._refused.append(RefusedRequest(number, request.part, reason, request.rows))
        elif not 200 <= answer.status < 300:
            raise self._why(answer)

    def check(self) -> None:
        """Post a request of type `test` without rows. Raises `AdapterError` unless it is accepted."""
        at = self._now()
        body = compact_json({"type": "test", "data": {"output": self._identity, "rows": []}})
        answer = self._post(f"{self._identity}.test.{int(at.timestamp() * 1_000_000)}", body)
        if not 200 <= answer.status < 300:
            raise self._why(answer)

    def close(self) -> None:
        """Do nothing: nothing stays open between requests."""

    def _post(self, name: str, body: bytes) -> PostAnswer:
        headers = signed_headers(self._webhook, self._options.token, name, self._now(), body)
        return post(self._url, self._reach, body, headers, most_s=self._options.timeout_s)

    def _why(self, answer: PostAnswer) -> AdapterError:
        message = f"{self._url.display_url} answers {self._quoted(answer)}"
        if answer.status >= 500 or answer.status in AGAIN_LATER:
            return AdapterError(
                f"{message}. The request is retried.", domain="external", again_after_s=self._again(answer)
            )
        if answer.status in {401, 403}:
            return AdapterError(
                f"{message}: it does not accept the token or the signature. Correct the token or secret."
            )
        if 300 <= answer.status < 400:
            return AdapterError(f"{message}: it redirects, and redirects are not followed. Enter the final address.")
        return AdapterError(f"{message} and does not accept the results. Correct the address, or fix the receiver.")

    def _quoted(self, answer: PostAnswer) -> str:
        """The status and the beginning of the answer, without secrets in case it repeats the request."""
        text = " ".join("".join(each if each.isprintable() else " " for each in answer.text).split())
        for secret in (self._options.secret, self._options.token):
            if secret is not None:
                text = text.replace(secret.get_secret_value().removeprefix(PREFIX), "[secret]")
        more = f" ('{text[:_MOST_QUOTED]}')" if text else ""
        return f"{answer.status}{more}"

    def _again(self, answer: PostAnswer) -> float | None:
        """The receiver's requested delay before a retry in seconds, at most an hour; None: no request."""
        text = answer.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdecimal():
            return min(float(text[:6]), LONGEST_AGAIN_S)
        try:
            at = parsedate_to_datetime(text)
        except ValueError:
            return None
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return min(max(0.0, (at - self._now()).total_seconds()), LONGEST_AGAIN_S)
