"""Nothing of zeta reaches anybody of acme: every way in which an id, a name or a text could slip through."""

import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.webapp.accounts.test_rights import RIGHTS
from tests.webapp.conftest import POINTS, Person, file_adapter, graph, join
from tests.webapp.test_tenancy import filled, ids  # noqa: F401 - a fixture
from tests.webapp.walk.planted import MARK, Planted
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role

GETS = sorted(route for route, methods in RIGHTS.items() if "get" in methods)
OF_ONE = sorted(route for route in RIGHTS if "<uuid:" in route)
VALUES = re.compile(r"'[^']*'|\b[0-9a-f]{32}\b")
METHODS_OF_ONE = [(route, method) for route in OF_ONE for method in RIGHTS[route]]
ENDLESS = {"runs/<uuid:run>/events/", "bindings/<uuid:binding>/outputs/<slug:node>/stream/"}


def clean(answered: Any, planted: Planted) -> bool:
    """Return whether an answer contains nothing of zeta's: neither the mark nor an id."""
    text = answered.content.decode() + str(dict(answered.headers))
    return MARK not in text and not any(each in text for each in (*planted.ids.values(), planted.version))


def content(client: Client, path: str) -> str:
    """The body of an answer, streamed or whole."""
    answered = client.get(path)
    if answered.streaming:
        return b"".join(iter(answered)).decode()
    return str(answered.content.decode())


def test_charlie_sees_the_mark_where_there_is_something_to_see(zeta: Planted, charlie: Person) -> None:
    routes = [route for route in GETS if "<" not in route]
    seen = {route for route in routes if MARK in content(charlie.client, charlie.url(query_for(route)))}
    same_for_all = {"adapters/", "templates/", "alerts/channel-kinds/"}
    assert set(routes) - seen == {"organisation/", "members/", "quotas/", "exports/"} | same_for_all


def query_for(route: str) -> str:
    """Return the address of a list, with its required parameters."""
    if route == "files/content/":
        return f"{route}?path={MARK}.jsonl"
    return f"{route}?format=json_lines" if route.endswith(("audit/export/", "/file/")) else route


@pytest.mark.parametrize("role", list(Role))
def test_no_list_of_acme_holds_anything_of_zeta(
    role: Role,
    zeta: Planted,
    acme: Organisation,
    ids: dict[str, str],  # noqa: F811
) -> None:
    person = join("somebody@acme.example", acme, role)
    for route in GETS:
        if route not in ENDLESS:
            text = content(person.client, person.url(query_for(filled(route, ids))))
            assert MARK not in text, route
            assert not any(each in text for each in zeta.ids.values()), route


@pytest.mark.parametrize("role", list(Role))
def test_an_id_of_zeta_in_an_address_is_as_absent_as_any(role: Role, zeta: Planted, acme: Organisation) -> None:
    person = join("somebody@acme.example", acme, role)
    for route, method in METHODS_OF_ONE:
        theirs, nobodys = (
            getattr(person.client, method)(person.url(filled(route, given)), content_type="application/json")
            for given in (zeta.ids, dict.fromkeys(zeta.ids, str(uuid.uuid4())))
        )
        assert (theirs.status_code, theirs.content) == (nobodys.status_code, nobodys.content), (route, method)
        assert theirs.status_code in {403, 404}, (route, method)
        assert clean(theirs, zeta)


def test_an_absent_id_and_one_of_zeta_cost_the_same_queries(zeta: Planted, alice: Person) -> None:
    """The time of a 404 reveals nothing: both cases do the same work."""
    alice.get("streams/")  # the session notes when it was seen, once a while
    for route in OF_ONE:
        for method in RIGHTS[route]:
            done = []
            for given in (zeta.ids, dict.fromkeys(zeta.ids, str(uuid.uuid4()))):
                with CaptureQueriesContext(connection) as queries:
                    getattr(alice.client, method)(alice.url(filled(route, given)), content_type="application/json")
                done.append([VALUES.sub("?", each["sql"]) for each in queries if "SAVEPOINT" not in each["sql"]])
            assert done[0] == done[1], (route, method)


BODIES: dict[str, Any] = {
    "bindings/": lambda z: {"name": "mine", "query_version": z.version},
    "organisation/transfer/": lambda z: {"member": z.ids["<uuid:member>"]},
    "streams/infer/": lambda z: {
        "adapter": file_adapter(f"files/{MARK}.jsonl"),
        "stream": z.ids["<uuid:stream>"],
    },
    "queries/validate/": lambda z: {"graph": graph(stream=f"{MARK}_s")},
    "queries/complete/": lambda z: {"text": "SELECT STREAM * FROM ", "at": 21},
    "queries/explain/": lambda z: {"graph": graph(stream=f"{MARK}_s")},
    "queries/preflight/": lambda z: {"graph": graph(stream=f"{MARK}_s")},
}
"""Bodies that name something of zeta's, by id or by name."""


@pytest.mark.parametrize("route", sorted(BODIES))
def test_an_id_or_a_name_of_zeta_in_a_body_is_as_unknown_as_any(route: str, zeta: Planted, alice: Person) -> None:
    body = BODIES[route](zeta)
    answered = alice.post(route, body)
    unknown = alice.post(route, _other(body, zeta))
    assert answered.status_code == unknown.status_code
    assert _blank(answered, zeta) == _blank(unknown, zeta)


@pytest.mark.parametrize("place", ["query_version", "stream", "parent"])
def test_what_belongs_to_zeta_cannot_be_bound_or_followed(
    place: str, zeta: Planted, alice: Person, speeding: dict[str, Any], cars: dict[str, Any]
) -> None:
    version = zeta.version if place == "query_version" else speeding["current"]["id"]
    stream = zeta.ids["<uuid:stream>"] if place == "stream" else cars["id"]
    if place == "parent":
        path = f"queries/{speeding['id']}/versions/"
        answered = alice.post(path, {"graph": graph(where="speed > 1"), "comment": "", "parent": zeta.version})
    else:
        body = {"name": "mine", "query_version": version, "inputs": {"cars": {"stream": stream}}}
        answered = alice.post("bindings/", body)
    assert answered.status_code in {409, 422}
    assert MARK not in answered.content.decode()
    assert alice.get("bindings/").json() == []


def _other(body: Any, planted: Planted) -> Any:
    """The same body, with ids and names that nobody has."""
    text = str(body)
    if isinstance(body, dict):
        return {name: _other(value, planted) for name, value in body.items()}
    if isinstance(body, list):
        return [_other(each, planted) for each in body]
    if isinstance(body, str) and (body in planted.ids.values() or body == planted.version):
        return str(uuid.uuid4())
    return text.replace(MARK, "nobody12") if isinstance(body, str) else body


def _blank(answered: Any, planted: Planted) -> str:
    """The answer without what was sent itself."""
    return str(answered.content.decode()).replace(MARK, "nobody12")


def test_a_file_of_zeta_cannot_be_read_by_any_path(
    zeta: Planted, alice: Person, charlie: Person, tmp_path: Path
) -> None:
    key = charlie.organisation.pk
    (tmp_path / str(alice.organisation.pk)).mkdir(exist_ok=True)
    (tmp_path / str(alice.organisation.pk) / "link").symlink_to(tmp_path / str(key))
    for path in (
        f"../{key}/files/{MARK}.jsonl",
        str(tmp_path / str(key) / "files" / f"{MARK}.jsonl"),
        f"link/files/{MARK}.jsonl",
        f"x/../../{key}/files/{MARK}.jsonl",
    ):
        body = {"name": "mine", "definition": POINTS, "adapter": file_adapter(path)}
        answered = alice.post("streams/", body)
        if answered.status_code == 201:
            sample = alice.get(f"streams/{answered.json()['id']}/sample/")
            assert sample.json()["rows"] == []
            assert '"plate"' not in sample.content.decode()
            alice.client.delete(alice.url(f"streams/{answered.json()['id']}/"))


def test_names_of_zeta_are_free_in_acme_and_reveal_nothing(zeta: Planted, alice: Person, cars_file: str) -> None:
    body = {"name": f"{MARK}_s", "definition": POINTS, "adapter": file_adapter(cars_file)}
    assert alice.post("streams/", body).status_code == 201
    assert alice.post("service-accounts/", {"name": MARK, "role": "viewer"}).status_code == 201


def test_filters_of_the_audit_log_find_nothing_of_zeta(zeta: Planted, alice: Person) -> None:
    stream = zeta.ids["<uuid:stream>"]
    for query_for in ("limit=500", "action=stream.", "actor=charlie@zeta.example", f"target=stream:{stream}"):
        for path in (f"audit/?{query_for}", f"audit/export/?format=json_lines&{query_for.replace('limit=500', '')}"):
            text = content(alice.client, alice.url(path))
            assert MARK not in text, path


def test_a_cursor_of_zeta_opens_nothing_in_acme(zeta: Planted, alice: Person, charlie: Person) -> None:
    cursor = charlie.get("audit/?limit=1").json()["next"]
    assert cursor
    assert MARK not in content(alice.client, alice.url(f"audit/?before={cursor}"))


@pytest.mark.parametrize("slug", ["acme", "zeta"])
def test_a_token_of_acme_opens_nothing_of_zeta(slug: str, zeta: Planted, alice: Person) -> None:
    text = alice.post("tokens/", {"name": "t", "role": "owner", "expires_in_days": 1}).json()["token"]
    headers: Any = {"Authorization": f"Bearer {text}"}
    for route in GETS:
        path = f"/api/t/{slug}/{filled(route, {**zeta.ids, '<slug:template>': 'dead_man'})}"
        if slug == "zeta" or "<uuid:" in route:
            answered = Client().get(path, headers=headers)
            assert answered.status_code in {403, 404}, path
            assert clean(answered, zeta)


def test_the_channel_of_a_run_is_closed_to_others(zeta: Planted, alice: Person) -> None:
    for slug in ("acme", "zeta"):
        path = f"/api/t/{slug}/runs/{zeta.ids['<uuid:run>']}/events/"
        answered = alice.client.get(path, headers={"Accept": "text/event-stream", "Last-Event-ID": "0-0_0-0"})
        assert answered.status_code == 404
        assert not answered.streaming
        assert clean(answered, zeta)
