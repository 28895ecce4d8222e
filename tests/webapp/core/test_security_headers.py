"""The content security policy of each answer: no inline script, no inline style, a nonce that is never the same."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.conftest import ROOT


def directives(answered: Any) -> dict[str, str]:
    parts = (part.strip().split(" ", 1) for part in answered.headers["Content-Security-Policy"].split(";"))
    return {part[0]: part[1] for part in parts}


@pytest.fixture
def built(settings: Any, tmp_path: Path) -> None:
    """The built page is the source's page, whose placeholder the build leaves as it is."""
    settings.FRONTEND = tmp_path
    (tmp_path / "index.html").write_text((ROOT / "frontend" / "index.html").read_text())


@pytest.mark.usefixtures("built")
def test_each_page_has_a_nonce_of_its_own_which_its_policy_names() -> None:
    found = set()
    for _ in range(5):
        answered = Client().get("/sign-in")
        nonce = re.findall(r'property="csp-nonce" nonce="([A-Za-z0-9_-]{22})"', answered.content.decode())
        assert len(nonce) == 1
        assert directives(answered)["style-src"] == f"'self' 'nonce-{nonce[0]}'"
        assert "no-cache" in answered.headers["Cache-Control"]
        found.add(nonce[0])
    assert len(found) == 5


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/", "/api/me/", "/api/nothing/", "/_allauth/browser/v1/config", "/assets/absent.js"])
def test_no_answer_allows_inline_code_or_another_origin(db: None, path: str) -> None:
    policy = directives(Client().get(path))
    assert not re.search(r"unsafe|\*|https?:", " ".join(policy.values()))
    assert policy["script-src"] == "'self'"
    assert policy["default-src"] == "'self'"
    for name in ("object-src", "base-uri", "frame-ancestors"):
        assert policy[name] == "'none'"


def test_the_pages_of_the_browser_part_write_no_style_and_no_handler_into_html() -> None:
    sources = [ROOT / "frontend" / "index.html", *(ROOT / "frontend" / "src").rglob("*.ts*")]
    assert len(sources) > 50
    inline = re.compile(r"style=[\"']|<style|dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|\son\w+=[\"']")
    assert [str(path) for path in sources if ".test." not in path.name and inline.search(path.read_text())] == []


@pytest.mark.usefixtures("built")
def test_a_session_changes_nothing_without_the_token_against_forgery(alice: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = alice.client.cookies
    body = {"name": "forged"}
    for headers in ({}, {"X-CSRFToken": "x" * 32}):
        answered = strict.put(alice.url("organisation/"), body, content_type="application/json", headers=headers)
        assert (answered.status_code, answered.json()["code"]) == (403, "forbidden")
    strict.get("/")
    token = strict.cookies["csrftoken"].value
    answered = strict.put(
        alice.url("organisation/"), body, content_type="application/json", headers={"X-CSRFToken": token}
    )
    assert answered.status_code == 200, answered.content
