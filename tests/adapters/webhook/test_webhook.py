"""Results posted to a real HTTPS server: its requests, the meaning of its answers, and the secrets."""

import base64
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from streaming.adapters.contract import AcknowledgingAdapter, AdapterError, CheckedTarget, DeliveryBatch
from streaming.adapters.network.fetching import Reach
from streaming.adapters.registry import OptionsRefused, delivering_adapter
from streaming.adapters.webhook import requests
from streaming.adapters.webhook.adapter import WebhookOutput
from streaming.adapters.webhook.options import WebhookOptions
from streaming.temporal.ticks import INFINITY
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from tests.https import Authority, Server, authority, redirects, sends, serving

NEAR = OutgoingPolicy(networks=("127.0.0.1/32",))
SECRET = "whsec_" + base64.b64encode(b"planted secret of 24 bytes").decode()
TOKEN = "planted-t0ken"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def server(made: Authority) -> Iterator[Server]:
    with serving(made) as running:
        running.answers["/hook"] = sends(b"", 204)
        yield running


Built = Callable[..., WebhookOutput]


@pytest.fixture
def output(server: Server, made: Authority, tmp_path: Path) -> Built:
    def build(policy: OutgoingPolicy = NEAR, clock: Callable[[], float] | None = None, **options: Any) -> WebhookOutput:
        options_read = WebhookOptions.model_validate({"url": server.url("/hook"), "secret": SECRET, **options})
        reach = made.reach(policy)
        reach = reach if clock is None else Reach(reach.policy, reach.resolve, reach.trust, clock)
        return WebhookOutput(options_read, "one", {"n": "long"}, tmp_path, reach)

    return build


def batch(*numbers: int, number: int = 7, cti: int | None = None) -> DeliveryBatch:
    rows = [{"output": "out", "start": n * 1_000_000, "end": None, "payload": {"n": n}} for n in numbers]
    return DeliveryBatch(number, rows, cti)


def bodies(server: Server) -> list[dict[str, Any]]:
    return [json.loads(each.body) for each in server.posted]


def test_every_row_is_posted_once_in_order_and_signed(server: Server, output: Built) -> None:
    adapter = output(rows_per_request=2, token=TOKEN)
    assert isinstance(adapter, AcknowledgingAdapter)
    assert isinstance(adapter, CheckedTarget)
    assert adapter.send(batch(1, 2, 3)) == []
    assert [each["data"]["part"] for each in bodies(server)] == [0, 1]
    assert {each["type"] for each in bodies(server)} == {"results"}
    sent = [row for each in bodies(server) for row in each["data"]["rows"]]
    assert sent == [{"start": f"1970-01-01T00:00:0{n}Z", "end": None, "payload": {"n": n}} for n in (1, 2, 3)]
    for each in server.posted:
        Webhook(SECRET).verify(each.body, each.headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRET).verify(each.body + b" ", each.headers)
        assert each.headers["authorization"] == f"Bearer {TOKEN}"
    assert SECRET.encode() not in b"".join(each.body for each in server.posted)


def test_a_repeated_request_has_the_same_name_and_no_other_request_has_it(server: Server, output: Built) -> None:
    for adapter in (output(rows_per_request=2), output(rows_per_request=2), output(rows_per_request=1)):
        adapter.send(batch(1, 2, 3))
    names: dict[str, bytes] = {}
    for each in server.posted:
        assert names.setdefault(each.headers["webhook-id"], each.body) == each.body, "two contents with one name"
    assert len(server.posted) == 7
    assert len(names) == 5, "[1, 2] and [3] twice; then [1], [2], and [3] as a third part"


def test_a_batch_resumes_with_the_request_that_failed(server: Server, output: Built) -> None:
    statuses = iter([204, 422, 503, 503, 204, 204])

    def answer(handler: Any) -> None:
        sends(b"", next(statuses))(handler)

    server.answers["/hook"] = answer
    adapter, numbers = output(rows_per_request=1), batch(1, 2, 3, 4)
    partly_sent = []
    for _ in range(2):
        with pytest.raises(AdapterError) as caught:
            adapter.send(numbers)
        partly_sent.append(caught.value.partly_sent)
    assert partly_sent == [True, False]
    assert [each.part for each in adapter.send(numbers)] == [1], "the refused request of the first attempt"
    assert [each["data"]["part"] for each in bodies(server)] == [0, 1, 2, 2, 2, 3]


def test_another_batch_starts_with_its_first_request(server: Server, output: Built) -> None:
    statuses = iter([204, 503, 204, 204])

    def answer(handler: Any) -> None:
        sends(b"", next(statuses))(handler)

    server.answers["/hook"] = answer
    adapter = output(rows_per_request=1)
    with pytest.raises(AdapterError):
        adapter.send(batch(1, 2))
    adapter.send(batch(3, 4, number=8))
    assert [each["data"]["part"] for each in bodies(server)] == [0, 1, 0, 1]


def test_a_request_is_within_the_limit_unless_a_single_row_is_larger(
    server: Server, output: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "MOST_BYTES", 200)
    rows = [{"output": "out", "start": 0, "end": None, "payload": {"s": "x" * size}} for size in (10, 10, 900, 10)]
    output().send(DeliveryBatch(1, rows, None))
    assert [len(each["data"]["rows"]) for each in bodies(server)] == [2, 1, 1]


@pytest.mark.parametrize(
    ("cti", "sent"), [(2_000_000, {"cti": "1970-01-01T00:00:02Z"}), (INFINITY, {"cti": None}), (None, {})]
)
def test_the_last_request_of_a_batch_has_the_cti_if_configured(
    server: Server, output: Built, cti: int | None, sent: dict[str, Any]
) -> None:
    output(ctis=True, rows_per_request=1).send(batch(1, 2, cti=cti))
    output(rows_per_request=1).send(batch(1, number=9, cti=cti))
    found = [{name: at for name, at in each["data"].items() if name == "cti"} for each in bodies(server)]
    assert found == [{}, sent, {}]
    server.posted.clear()
    output(ctis=True).send(batch(cti=cti))
    assert [each["data"]["rows"] for each in bodies(server)] == ([] if cti is None else [[]])


@pytest.mark.parametrize("status", [400, 409, 413, 415, 422])
def test_rows_refused_for_their_content_are_returned_and_the_rest_is_sent(
    server: Server, output: Built, status: int
) -> None:
    def answer(handler: Any) -> None:
        refused = b'"n":2' in server.posted[-1].body
        sends(b"two is no number", status)(handler) if refused else sends(b"", 200)(handler)

    server.answers["/hook"] = answer
    [request] = output(rows_per_request=1).send(batch(1, 2, 3))
    assert (request.number, request.part, [row["payload"] for row in request.rows]) == (7, 1, [{"n": 2}])
    assert request.reason == f"{server.url('/hook')} answers {status} ('two is no number')"
    assert len(server.posted) == 3


@pytest.mark.parametrize(
    ("status", "domain", "words"),
    [
        (401, "user", "Correct the token or secret"),
        (403, "user", "Correct the token or secret"),
        (404, "user", "does not accept the results"),
        (410, "user", "does not accept the results"),
        (408, "external", "is retried"),
        (425, "external", "is retried"),
        (429, "external", "is retried"),
        (500, "external", "is retried"),
        (503, "external", "is retried"),
    ],
)
def test_an_answer_decides_if_it_is_retried(
    server: Server, output: Built, status: int, domain: str, words: str
) -> None:
    content = f"no: {SECRET} and {SECRET.removeprefix('whsec_')} and {TOKEN}\r\n\x00".encode()
    server.answers["/hook"] = sends(content, status)
    with pytest.raises(AdapterError, match=words) as caught:
        output(token=TOKEN).send(batch(1))
    assert caught.value.domain == domain
    assert TOKEN not in str(caught.value)
    assert SECRET.removeprefix("whsec_") not in str(caught.value)


def test_a_redirect_is_not_followed(server: Server, output: Built) -> None:
    server.answers["/hook"] = redirects("/elsewhere")
    with pytest.raises(AdapterError, match="Enter the final address") as caught:
        output().send(batch(1))
    assert caught.value.domain == "user"
    assert [each.path for each in server.posted] == ["/hook"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30", 30.0), ("999999", 3_600.0), ("soon", None), ("", None), ("-5", None), ("1" * 400, 3_600.0)],
)
def test_a_receiver_can_delay_the_next_request(server: Server, output: Built, text: str, seconds: float | None) -> None:
    server.answers["/hook"] = sends(b"", 503, Retry_After=text)
    with pytest.raises(AdapterError) as caught:
        output().send(batch(1))
    assert caught.value.again_after_s == seconds


def test_a_receiver_may_name_the_moment(server: Server, made: Authority, tmp_path: Path) -> None:
    server.answers["/hook"] = sends(b"", 503, Retry_After="Tue, 24 Nov 2026 08:01:00 GMT")
    options = WebhookOptions.model_validate({"url": server.url("/hook"), "secret": SECRET})
    now = datetime(2026, 11, 24, 8, 0, 0, tzinfo=UTC)
    with pytest.raises(AdapterError) as caught:
        WebhookOutput(options, "one", {}, tmp_path, made.reach(NEAR), lambda: now).send(batch(1))
    assert caught.value.again_after_s == 60.0


def test_a_request_without_an_answer_in_time_is_retried(output: Built) -> None:
    ticking = count(0, 4)
    with pytest.raises(AdapterError, match="takes too long to answer") as caught:
        output(clock=lambda: float(next(ticking)), timeout_s=10).send(batch(1))
    assert caught.value.domain == "external"


def test_an_interrupted_request_is_retried(server: Server, output: Built) -> None:
    server.answers["/hook"] = lambda handler: handler.connection.close()
    with pytest.raises(AdapterError, match="closed the connection before it answered") as caught:
        output().send(batch(1))
    assert caught.value.domain == "external"


def test_only_allowed_addresses_are_reached(server: Server, output: Built) -> None:
    with pytest.raises(AdapterError, match="can't be reached") as caught:
        output(NOTHING).send(batch(1))
    assert caught.value.domain == "external"
    assert server.posted == []


def test_the_check_posts_a_test_without_rows(server: Server, output: Built) -> None:
    output().check()
    [body] = bodies(server)
    assert (body["type"], body["data"]["rows"]) == ("test", [])
    Webhook(SECRET).verify(server.posted[0].body, server.posted[0].headers)
    server.answers["/hook"] = sends(b"what is this", 422)
    with pytest.raises(AdapterError, match="422"):
        output().check()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"secret": "whsec_c2hvcnQ="}, "24 to 64 bytes"),
        ({"secret": base64.b64encode(b"x" * 32).decode()}, "whsec_"),
        ({"secret": "whsec_" + "é" * 40}, "24 to 64 bytes"),
        ({"secret": SECRET, "token": "a b"}, "visible ASCII"),
        ({"secret": SECRET, "rows_per_request": 0}, "rows_per_request"),
        ({}, "secret"),
    ],
)
def test_invalid_options_are_refused(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionsRefused, match=words) as caught:
        delivering_adapter("webhook", {"url": "https://hooks.example/x", **options}, "one", {}, tmp_path)
    assert SECRET not in str(caught.value)
