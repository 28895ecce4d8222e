"""A scrape shows one organisation its own metrics, the installation's monitoring all of them, a stranger none."""

from typing import Any

import pytest
from django.test import Client

from tests.webapp.conftest import Person
from tests.webapp.live.reporting import Reporting, input_counts
from tests.webapp.rows.filling import fill
from tests.webapp.telemetry.scraping import samples, scrape_installation, value
from webapp.accounts.permissions import Permission, Role
from webapp.accounts.tokens import TokenRequest, make_token
from webapp.core.context import NoOrganisation, organisation_context
from webapp.telemetry.gathering import gather_own

TOKEN = "a token of at least 32 characters"


def token_of(person: Person, *scopes: Permission) -> str:
    with organisation_context(person.organisation.pk):
        return make_token(person.user, TokenRequest("prometheus", Role.VIEWER, 1, scopes=scopes))[1]


def scrape(path: str, token: str | None = None, **headers: str) -> Any:
    bearer = {} if token is None else {"authorization": f"Bearer {token}"}
    return Client(raise_request_exception=False).get(path, headers={**bearer, **headers})


def organisations(answered: Any) -> set[str]:
    return {dict(labels)["organisation"] for _, labels in samples(answered) if "organisation" in dict(labels)}


@pytest.fixture
def two(reporting: Reporting, charlie: Person) -> tuple[Person, Person]:
    """Acme with a run that reports, zeta with three bindings."""
    reporting.report(input_counts({"on_time": 3}, reporting.now))
    fill(charlie.organisation, 3, people=False)
    return reporting.scene.person, charlie


def test_a_token_reads_its_own_organisation_and_no_other(two: tuple[Person, Person]) -> None:
    alice, charlie = two
    for person, bindings in ((alice, {"watch"}), (charlie, {"watch_000", "watch_001", "watch_002"})):
        answered = scrape(person.url("metrics"), token_of(person))
        assert organisations(answered) == {person.organisation.slug}
        seen = {dict(labels).get("binding") for _, labels in samples(answered)} - {None}
        assert seen == bindings
    theirs = scrape(charlie.url("metrics"), token_of(alice))
    nobodys = scrape("/api/t/nobody/metrics", token_of(alice))
    assert (theirs.status_code, theirs.content) == (404, nobodys.content)


def test_a_binding_of_another_organisation_is_as_absent_as_any(two: tuple[Person, Person]) -> None:
    alice, _ = two
    theirs, nobodys = (alice.get(f"metrics?binding={name}") for name in ("watch_000", "nothing"))
    assert (theirs.status_code, theirs.content) == (nobodys.status_code, nobodys.content)
    assert theirs.status_code == 404


def test_a_stranger_and_a_token_without_view_read_nothing(two: tuple[Person, Person]) -> None:
    alice, _ = two
    assert scrape(alice.url("metrics")).status_code == 401
    assert scrape(alice.url("metrics"), "pct_wrong_wrong").status_code == 401
    assert b"punctual_" not in scrape(alice.url("metrics")).content


def test_gathering_without_an_organisation_fails(db: None) -> None:
    with pytest.raises(NoOrganisation):
        gather_own()


def test_the_installation_reads_every_organisation_with_its_token(two: tuple[Person, Person], settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    answered = scrape("/metrics", TOKEN, host="10.1.2.3:8000")
    assert organisations(answered) == {"acme", "zeta"}
    found = samples(answered)
    assert value(found, "runners") == 1
    assert value(found, "received_events_total", organisation="acme") == 3
    assert "no-store" in answered["Cache-Control"]
    for token in (None, "", "wrong", f"{TOKEN}x"):
        refused = scrape("/metrics", token)
        assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
        assert b"acme" not in refused.content


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "[::1]:8000"])
def test_this_machine_needs_the_token_too(host: str) -> None:
    """The sender may be a download stream of a tenant, or a proxy that adds no header."""
    refused = scrape("/metrics", host=host)
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")
    assert b"punctual_" not in refused.content


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("token", [None, "", TOKEN])
def test_without_a_token_in_the_settings_nobody_reads_the_installation(settings: Any, token: str | None) -> None:
    settings.METRICS_TOKEN = ""
    refused = scrape("/metrics", token, host="127.0.0.1")
    assert (refused.status_code, refused.content) == (404, b"There is nothing here.\n")


@pytest.mark.usefixtures("two")
def test_without_redis_the_counters_remain_and_runners_are_not_known(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    found = samples(scrape_installation())
    assert value(found, "received_events_total", organisation="acme") == 3
    assert value(found, "binding_state", organisation="acme", state="lost") == 1
    assert value(found, "runners") is value(found, "redis_memory_ratio") is None
