"""Addresses as people and redirects write them: one interpretation, and ambiguous ones refused."""

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.urls import read_redirect, read_url


@pytest.mark.parametrize(
    ("text", "host", "port", "target"),
    [
        ("https://files.example/a/b.csv?x=1#top", "files.example", 443, "/a/b.csv?x=1"),
        ("HTTPS://Files.Example", "files.example", 443, "/"),
        ("https://files.example:8443?x", "files.example", 8443, "/?x"),
        ("http://10.0.0.1/A%20b", "10.0.0.1", 80, "/A%20b"),
        ("https://[2606:4700::0001]:8443/", "2606:4700::1", 8443, "/"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/"),
    ],
)
def test_an_address_is_read(text: str, host: str, port: int, target: str) -> None:
    url = read_url(text)
    assert (url.host, url.port, url.target) == (host, port, target)


def test_the_display_url_has_no_query() -> None:
    url = read_url("https://files.example:8443/a.csv?signature=planted")
    assert url.display_url == "https://files.example:8443/a.csv"
    assert url.file_name == "a.csv"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ftp://files.example/a", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("files.example/a", "must begin with https://"),
        ("https:/files.example", "must begin with https://|is invalid"),
        ("https://me:secret@files.example/", "user name or password"),
        ("https://files.example@127.0.0.1/", "user name or password"),
        ("https://bücher.example/", "non-ASCII letters"),
        ("https://①②⑦.0.0.1/", "non-ASCII letters"),
        ("https://files.example\\@127.0.0.1/", "user name or password|is invalid"),
        ("https://files.example:0/", "is invalid"),
        ("https://files.example:65536/", "at most 65535"),
        ("https://files.example:443x/", "is invalid"),
        ("https://files.example/a b", "is invalid"),
        ("https://files.example/a\r\nX: y", "is invalid"),
        ("https://127%2e0.0.1/", "is invalid"),
        ("https://[fe80::1%25eth0]/", "is invalid"),
        ("https://[::1", "is invalid"),
        ("https://[:::]/", "isn't an IPv6"),
        ("https://a_b.example/", "is invalid"),
        ("https://-a.example/", "isn't a valid host name"),
        ("https://a..example/", "isn't a valid host name"),
        ("https://files.example./", "isn't a valid host name"),
        ("https:///a", "is invalid"),
        ("https://files.example/" + "a" * 2048, "longer than"),
    ],
)
def test_an_invalid_address_is_refused_with_what_to_do(text: str, words: str) -> None:
    with pytest.raises(AdapterError, match=words) as caught:
        read_url(text)
    assert str(caught.value).endswith(".")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "0x7f.0.0.1",
        "127.0.0.1.",
        "1.2.3.4.5",
        "0",
        "127.0.0.08",
    ],
)
def test_other_spellings_of_an_ipv4_address_are_refused(host: str) -> None:
    with pytest.raises(AdapterError, match="neither a host name nor an IPv4 address of four decimal numbers"):
        read_url(f"https://{host}/")


def test_a_redirect_is_parsed_like_an_address_and_never_leaves_tls() -> None:
    base = read_url("https://files.example/a/b.csv")
    assert read_redirect(base, "../c.csv").text == "https://files.example/c.csv"
    assert read_redirect(base, "//other.example/d").text == "https://other.example/d"
    with pytest.raises(AdapterError, match="from https to http"):
        read_redirect(base, "http://files.example/a/b.csv")
    for odd in ("file:///etc/passwd", "https://me:pw@files.example/", "https://2130706433/", "https://[::1/"):
        with pytest.raises(AdapterError):
            read_redirect(base, odd)
