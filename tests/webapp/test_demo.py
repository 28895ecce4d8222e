"""The demo: laid out once, on one's own machine only, with late data that its policy adjusts and drops."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from webapp.accounts.models import Organisation, User
from webapp.core.context import installation_context, organisation_context
from webapp.queries.models import Query
from webapp.runs.models import Binding, Run
from webapp.streams.models import Stream


def lay_out() -> str:
    printed = StringIO()
    call_command("demo", stdout=printed)
    return printed.getvalue()


@pytest.fixture
def own_machine(settings: Any, db: None) -> None:
    settings.OWN_MACHINE = True


def demo_organisation() -> Organisation:
    with installation_context("a test looks for the demo"):
        return Organisation.objects.get(slug="demo")


def test_it_is_laid_out_once(own_machine: None) -> None:
    assert lay_out() == lay_out()
    with organisation_context(demo_organisation().pk):
        assert [stream.name for stream in Stream.objects.all()] == ["cars", "passages"]
        assert [query.name for query in Query.objects.all()] == ["cars_by_minute", "speeding", "toll_by_gate"]
        assert [binding.name for binding in Binding.objects.all()] == ["cars_by_minute", "speeding", "toll_by_gate"]
        runs = {run.binding.name: run.desired for run in Run.objects.all()}
        assert runs == {"speeding": "running", "toll_by_gate": "running"}


def test_what_it_prints_signs_in(own_machine: None) -> None:
    printed = lay_out().split()
    email, password = next(word for word in printed if "@" in word).rstrip(","), printed[-1]
    body = {"email": email, "password": password}
    client = Client()
    assert client.post("/_allauth/browser/v1/auth/login", body, content_type="application/json").status_code == 200
    assert client.get("/api/me/").json()["organisations"][0]["role"] == "owner"


def test_its_stream_shows_a_sample(own_machine: None, client: Client) -> None:
    lay_out()
    person = User.objects.get(email="demo@punctual.example")
    client.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")
    stream = client.get("/api/t/demo/streams/").json()[0]
    sample = client.get(f"/api/t/demo/streams/{stream['id']}/sample/").json()
    assert (len(sample["rows"]), sample["faults"]) == (100, [])
    starts = [row["start"] for row in sample["rows"] if row["kind"] == "event"]
    assert starts != sorted(starts)


def test_a_public_installation_refuses_it(settings: Any, db: None) -> None:
    settings.OWN_MACHINE = False
    with pytest.raises(CommandError, match="your own machine"):
        lay_out()
    assert not Organisation.objects.exists()
