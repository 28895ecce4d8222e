"""A busy server is asked again after the wait that it asks for, as a number or as a date."""

from collections.abc import Mapping

import httpx
import pytest

from tests.client.test_read_snippet import NOW_S
from webapp.client import PunctualError
from webapp.client.credentials import Account
from webapp.client.library.streams import RemoteStream
from webapp.client.library.things import PushedBatch
from webapp.client.server import LONGEST_RETRY_AFTER_S, ApiServer, read_answer, retry_after_s

RECEIPT = {"first": 0, "rows": 1, "again": False}


@pytest.mark.parametrize(
    ("text", "wait_s"),
    [
        ("7", 7.0),
        (" 7 ", 7.0),
        ("86400", LONGEST_RETRY_AFTER_S),
        ("9" * 5_000, LONGEST_RETRY_AFTER_S),
        ("Mon, 23 Nov 2026 10:01:00 GMT", 60.0),
        ("Mon, 23 Nov 2026 11:01:00 +0100", 60.0),
        ("Mon, 23 Nov 2026 09:59:00 GMT", 0.0),
        ("Tue, 24 Nov 2026 10:00:00 GMT", LONGEST_RETRY_AFTER_S),
        ("Mon, 99 Nov 99999999999 10:01:00 GMT", 0.0),
        ("-5", 0.0),
        ("\u0667", 0.0),
        ("soon", 0.0),
        ("", 0.0),
    ],
)
def test_the_wait_is_a_number_or_a_date(text: str, wait_s: float) -> None:
    assert retry_after_s({"retry-after": text}, lambda: NOW_S) == wait_s
    assert retry_after_s({}, lambda: NOW_S) == 0.0


@pytest.mark.parametrize("body", [b'{"message": "Too many rows."}', b"<html>busy</html>"])
def test_a_refusal_has_the_wait_of_the_answer(body: bytes) -> None:
    with pytest.raises(PunctualError) as refused:
        read_answer(httpx.Response(503, headers={"Retry-After": "60"}, content=body), "http://127.0.0.1:1")
    assert refused.value.retry_after_s == 60.0


class BusyServer(ApiServer):
    """Refuses requests with the waits `waits`, in turn, and then accepts them."""

    def __init__(self, waits: list[str]) -> None:
        super().__init__(Account("http://127.0.0.1:1", "pct_1", "acme"))
        self.waits = waits

    def send(self, path: str, content: bytes, headers: Mapping[str, str]) -> object:
        if not self.waits:
            return RECEIPT
        wait = {"Retry-After": text} if (text := self.waits.pop(0)) else {}
        return read_answer(httpx.Response(429, headers=wait, content=b'{"message": "Busy."}'), "http://127.0.0.1:1")


def test_a_push_waits_as_long_as_the_server_asks_for() -> None:
    pauses: list[float] = []
    stream = RemoteStream("s", "pushed", "push", BusyServer(["7", "", "0", "86400"]))
    assert stream.push([{"n": 1}], pause=pauses.append) == [PushedBatch(**RECEIPT)]
    assert pauses == [7.0, 1.0, 2.0, LONGEST_RETRY_AFTER_S]
