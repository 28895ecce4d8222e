"""A request's number is in its answer, in the lines of the log, and in what a user reads of a failure."""

import io
import logging
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.conf import settings as installed

from tests.webapp.conftest import Person
from webapp.core.http.requests import RequestOfLine

HEX = re.compile(r"[0-9a-f]{32}")


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Return the lines of the installation's log."""
    written, handler = io.StringIO(), logging.StreamHandler()
    handler.setStream(written)
    handler.setFormatter(logging.Formatter(installed.LOGGING["formatters"]["line"]["format"]))
    handler.addFilter(RequestOfLine())
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


def test_each_answer_has_a_number_of_its_own_whatever_was_sent(alice: Person) -> None:
    sent = {"X-Request-ID": "0" * 32}
    numbers = {alice.client.get(alice.url("streams/"), headers=sent).headers["X-Request-ID"] for _ in range(3)}
    assert len(numbers) == 3
    assert all(HEX.fullmatch(each) for each in numbers - {"0" * 32})
    assert "0" * 32 not in numbers


def test_a_failure_contains_its_number_in_the_log(alice: Person, log: Any) -> None:
    with mock.patch("webapp.streams.api.to_response", side_effect=ZeroDivisionError):
        answered = alice.post("streams/", {"name": "x", "definition": {"shape": "point"}, "adapter": {"kind": "no"}})
        assert answered.status_code == 422
        with mock.patch("webapp.streams.services.create_stream"):
            answered = alice.post("streams/", _body())
    number = answered.headers["X-Request-ID"]
    assert answered.status_code == 500
    assert answered.json()["message"].endswith(f"mention the number {number}.")
    [line] = [each for each in log.getvalue().splitlines() if "Internal Server Error" in each]
    assert f"[{number}]" in line
    assert "ZeroDivisionError" in log.getvalue()


def test_a_refusal_is_in_the_log_under_its_number_though_the_request_is_over(alice: Person, log: Any) -> None:
    answered = alice.get("nothing/")
    assert answered.status_code == 404
    [line] = [each for each in log.getvalue().splitlines() if "Not Found" in each]
    assert f"[{answered.headers['X-Request-ID']}]" in line


def test_a_line_outside_of_requests_has_no_number(log: Any) -> None:
    logging.getLogger("webapp.anything").warning("the reconciler waits")
    assert log.getvalue().endswith("webapp.anything [-] the reconciler waits\n")


def test_the_installations_own_handler_writes_the_number() -> None:
    [handler] = installed.LOGGING["root"]["handlers"]
    [name] = installed.LOGGING["handlers"][handler]["filters"]
    assert installed.LOGGING["filters"][name]["()"] == "webapp.core.http.requests.RequestOfLine"


def _body() -> dict[str, Any]:
    definition = {"shape": "point", "fields": {"a": "string"}, "event_time": {"start": {"column": "at"}}}
    return {"name": "x", "definition": definition, "adapter": {"kind": "rows", "options": {}}}
