"""Connections use the checked address, over every redirect, within their limits."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from itertools import count

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.dialing import resolve
from streaming.adapters.network.fetching import MOST_REDIRECTS, FetchedFile, Reach, fetch, unreachable
from streaming.adapters.network.urls import read_url
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from tests.https import NAME, OTHER, Authority, Server, authority, endless, redirects, sends, serving

ONE = OutgoingPolicy(networks=("127.0.0.1/32",))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def server(made: Authority) -> Iterator[Server]:
    with serving(made) as running:
        running.answers["/a"] = sends(b"rows")
        yield running


def opened(url: str, reach: Reach, token: str | None = None) -> AbstractContextManager[FetchedFile]:
    return fetch(read_url(url), reach, most_s=30, token=token)


def body(url: str, reach: Reach, token: str | None = None) -> bytes:
    with opened(url, reach, token) as found:
        return b"".join(found.chunks)


def refusal(url: str, reach: Reach) -> AdapterError:
    with pytest.raises(AdapterError) as caught:
        body(url, reach)
    return caught.value


def test_a_file_is_fetched_and_the_server_sees_the_name(server: Server, made: Authority) -> None:
    assert body(server.url("/a?b=c"), made.reach(ONE)) == b"rows"
    assert server.asked == [("/a?b=c", f"{NAME}:{server.port}", None)]


def test_a_name_is_resolved_once_and_the_connection_uses_the_checked_address(server: Server, made: Authority) -> None:
    answers = iter([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]])
    reach = made.reach(ONE, lambda name: next(answers))
    assert body(server.url("/a"), reach) == b"rows"
    assert str(refusal(server.url("/a"), reach)) == unreachable(read_url(server.url("/a")))
    assert next(answers) == ["127.0.0.2"], "each connection resolves once"
    assert len(server.asked) == 1


@pytest.mark.parametrize("inside", ["127.0.0.2", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.2", "fe80::1%1"])
def test_one_internal_address_refuses_the_name(server: Server, made: Authority, inside: str) -> None:
    for answers in (["127.0.0.1", inside], [inside, "127.0.0.1"]):
        refusal(server.url("/a"), made.reach(ONE, lambda name, answers=answers: answers))
    assert server.asked == []


def test_a_forbidden_network_a_silent_address_and_an_unknown_name_have_the_same_error(
    server: Server, made: Authority
) -> None:
    def unknown(name: str) -> list[str]:
        raise OSError("no such name")

    with serving(None) as gone:
        silent = gone.port
    messages = {
        str(refusal(f"https://{NAME}:{port}/a", made.reach(policy, resolver))).replace(f":{port}", "")
        for port, policy, resolver in (
            (server.port, NOTHING, lambda name: ["127.0.0.1"]),
            (server.port, OutgoingPolicy(), lambda name: ["127.0.0.1"]),
            (silent, OutgoingPolicy(), lambda name: ["127.0.0.1"]),
            (silent, ONE, lambda name: ["127.0.0.1"]),
            (server.port, ONE, unknown),
            (server.port, ONE, lambda name: []),
        )
    }
    assert len(messages) == 1
    assert server.asked == []


def test_an_address_written_as_numbers_is_checked_too(server: Server, made: Authority) -> None:
    assert body(f"https://127.0.0.1:{server.port}/a", made.reach(ONE, resolve)) == b"rows"
    refusal(f"https://127.0.0.1:{server.port}/a", made.reach(OutgoingPolicy(), resolve))


def test_a_certificate_counts_for_the_name_and_not_for_the_address(server: Server, made: Authority) -> None:
    assert "can't prove that it is third.example" in str(refusal(server.url("/a", "third.example"), made.reach(ONE)))
    assert "can't prove" in str(refusal(server.url("/a"), Reach(ONE, lambda name: ["127.0.0.1"])))
    assert server.asked == []


def test_no_proxy_of_the_environment_is_used(server: Server, made: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.3:9")
    assert body(server.url("/a"), made.reach(ONE)) == b"rows"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(server: Server, made: Authority, status: int) -> None:
    server.answers["/moved"] = redirects("/a", status)
    assert body(server.url("/moved"), made.reach(ONE)) == b"rows"


@pytest.mark.parametrize(
    "location",
    [
        "https://169.254.169.254/latest/meta-data/",
        "https://127.0.0.2:{port}/a",
        "https://[::1]:{port}/a",
        "https://[::ffff:7f00:2]:{port}/a",
        "https://inside.example:{port}/a",
    ],
)
def test_a_redirect_to_an_internal_address_is_refused_like_any_other(
    server: Server, made: Authority, location: str
) -> None:
    target = location.format(port=server.port)
    server.answers["/moved"] = redirects(target)
    reach = made.reach(ONE, lambda name: ["127.0.0.1" if name == NAME else "127.0.0.2"])
    assert str(refusal(server.url("/moved"), reach)) == unreachable(read_url(target))


@pytest.mark.parametrize("location", ["http://{name}:{port}/a", "file:///etc/passwd", "https://me:pw@{name}/", ""])
def test_a_redirect_that_leaves_tls_or_is_invalid_is_refused(server: Server, made: Authority, location: str) -> None:
    server.answers["/moved"] = redirects(location.format(name=NAME, port=server.port))
    refusal(server.url("/moved"), made.reach(ONE))
    assert {path for path, _, _ in server.asked} == {"/moved"}


def test_redirects_are_limited_in_number(server: Server, made: Authority) -> None:
    for number in range(MOST_REDIRECTS + 1):
        server.answers[f"/{number}"] = redirects(f"/{number + 1}")
    server.answers[f"/{MOST_REDIRECTS + 1}"] = sends(b"rows")
    assert body(server.url("/1"), made.reach(ONE)) == b"rows"
    assert "redirects more than 5 times" in str(refusal(server.url("/0"), made.reach(ONE)))


def test_a_token_is_sent_to_its_origin_and_does_not_return_from_another(server: Server, made: Authority) -> None:
    server.answers["/moved"] = redirects("/away")
    server.answers["/away"] = redirects(server.url("/back", OTHER))
    server.answers["/back"] = redirects(server.url("/a"))
    assert body(server.url("/moved"), made.reach(ONE), token="planted") == b"rows"
    assert [(path, held) for path, _, held in server.asked] == [
        ("/moved", "Bearer planted"),
        ("/away", "Bearer planted"),
        ("/back", None),
        ("/a", None),
    ]


def test_plain_http_is_allowed_only_to_networks_of_the_list(made: Authority) -> None:
    with serving(None) as plain:
        plain.answers["/a"] = sends(b"rows")
        url = f"http://{NAME}:{plain.port}/a"
        assert body(url, made.reach(ONE)) == b"rows"
        public = OutgoingPolicy(ports=(plain.port,))
        refusal(f"http://{NAME}:{plain.port}/a", made.reach(public, lambda name: ["8.8.8.8"]))
        assert len(plain.asked) == 1


@pytest.mark.parametrize(
    ("status", "domain", "words"),
    [
        (401, "user", "does not accept the credentials"),
        (403, "user", "does not accept the credentials"),
        (404, "user", "answers 404 instead of a file"),
        (206, "user", "instead of a file"),
        (204, "user", "instead of a file"),
        (429, "external", "Try again later"),
        (503, "external", "Try again later"),
    ],
)
def test_a_status_is_reported_and_the_body_is_not(
    server: Server, made: Authority, status: int, domain: str, words: str
) -> None:
    server.answers["/b"] = sends(b"" if status == 204 else b"planted", status)
    error = refusal(server.url("/b?key=planted"), made.reach(ONE))
    assert words in str(error)
    assert error.domain == domain
    assert "planted" not in str(error)


def test_a_body_that_the_server_compressed_without_a_request_is_refused(server: Server, made: Authority) -> None:
    server.answers["/b"] = sends(b"\x1f\x8b", Content_Encoding="gzip")
    assert "with a Content-Encoding" in str(refusal(server.url("/b"), made.reach(ONE)))


def test_a_body_that_ends_early_is_an_error(server: Server, made: Authority) -> None:
    server.answers["/b"] = sends(b"rows", length=False, Content_Length="9")
    error = refusal(server.url("/b"), made.reach(ONE))
    assert (error.domain, "broke off" in str(error)) == ("external", True)


def test_a_server_that_sends_for_ever_is_dropped_at_the_deadline(server: Server, made: Authority) -> None:
    server.answers["/b"] = endless(b"x" * 1_000)
    seconds = count()
    reach = Reach(ONE, lambda name: ["127.0.0.1"], made.trust, lambda: float(next(seconds)))
    assert "takes too long" in str(refusal(server.url("/b"), reach))


def test_a_server_that_sends_headers_for_ever_is_dropped_too(server: Server, made: Authority) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        while True:
            handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")

    server.answers["/b"] = answer
    seconds = count()
    reach = Reach(ONE, lambda name: ["127.0.0.1"], made.trust, lambda: float(next(seconds)))
    assert "takes too long" in str(refusal(server.url("/b"), reach))
