"""The Python program that the page of a stream shows waits as long as the server asks for, then sends again."""

import io
import json
import urllib.error
import urllib.request
from email.message import Message
from typing import Any

import pytest

from tests.client.test_read_snippet import NOW_S, RETRY_AFTER, retry_after_function
from tests.conftest import ROOT

SNIPPETS = ROOT / "frontend" / "src" / "model" / "stream" / "pushSnippets.ts"
PLACES = {
    "${JSON.stringify(url)}": '"http://127.0.0.1:1/rows/"',
    "${JSON.stringify(`Bearer ${token}`)}": '"Bearer pct_1"',
    "${RETRY_AFTER}": "",
}


@pytest.fixture
def scope(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the names that the program defines; its pauses are in `pauses`, and take no time."""
    program = SNIPPETS.read_text().partition("return `import")[2].partition("`;")[0]
    for place, text in {**PLACES, "${RETRY_AFTER}": retry_after_function()}.items():
        assert place in program
        program = program.replace(place, text)
    scope: dict[str, Any] = {"pauses": []}
    exec("import" + program.partition("\npush(")[0].replace("\\\\", "\\"), scope)
    monkeypatch.setattr("time.sleep", scope["pauses"].append)
    monkeypatch.setattr("time.time", lambda: NOW_S)
    return scope


@pytest.mark.parametrize(("text", "wait_s"), RETRY_AFTER)
def test_a_busy_server_gets_the_same_batch_again(
    text: str, wait_s: float, scope: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = Message()
    if text:
        headers["Retry-After"] = text
    sent: list[urllib.request.Request] = []

    def answer(request: urllib.request.Request, timeout: float) -> io.BytesIO:
        assert timeout > 0
        sent.append(request)
        if len(sent) == 1:
            raise urllib.error.HTTPError(request.full_url, 429, "busy", headers, io.BytesIO(b"busy"))
        return io.BytesIO(b'{"rows": 1}')

    monkeypatch.setattr("urllib.request.urlopen", answer)
    assert scope["push"]([{"speed": 1.5}, {"speed": None}]) == {"rows": 1}
    assert scope["pauses"] == [wait_s]
    first, second = sent
    assert first.headers == second.headers
    assert [json.loads(line) for line in bytes(first.data or b"").splitlines()] == [{"speed": 1.5}, {"speed": None}]


def test_a_number_that_json_cannot_carry_is_not_sent(scope: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        scope["push"]([{"speed": float("inf")}])
