"""The quotas of an organisation: what is shown, who changes them, and what a refusal says."""

from typing import Any

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext

from streaming.wire import keys
from tests.webapp.conftest import Person
from webapp.accounts.limits.quotas import QUOTAS, OverQuota, check_room, in_words, limit, set_limit
from webapp.accounts.models import OrganisationLimit
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context


def usages_of(person: Person) -> dict[str, tuple[int, int, str]]:
    answered = person.get("quotas/")
    assert answered.status_code == 200, answered.content
    return {each["quota"]: (each["used"], each["limit"], each["unit"]) for each in answered.json()}


def test_every_quota_is_shown_with_what_is_used_of_it(
    alice: Person, bob: Person, redis_connection: "redis.Redis", settings: Any
) -> None:
    settings.QUOTA_DEFAULTS = {**settings.QUOTA_DEFAULTS, "runs": 7}
    redis_connection.set(keys.rate(str(alice.organisation.pk)), 4_200)
    assert usages_of(bob) == {
        "members": (2, 10, "people"),
        "runs": (0, 7, "runs"),
        "dedicated_runs": (0, 2, "runs"),
        "events_per_second": (4_200, 5_000, "events/s"),
        "pushed_rows_per_second": (0, 20_000, "rows/s"),
        "preview_seconds": (0, 1_800, "s"),
        "person_preview_seconds": (0, 600, "s"),
        "replay_seconds": (0, 1_800, "s"),
        "repair_seconds": (0, 600, "s"),
        "result_bytes": (0, 10 * 2**30, "bytes"),
        "quarantine_bytes": (0, 2**30, "bytes"),
        "streams": (0, 500, "streams"),
        "queries": (0, 500, "queries"),
        "query_versions": (0, 20_000, "versions"),
        "boards": (0, 200, "boards"),
        "board_versions": (0, 10_000, "versions"),
        "scenarios": (0, 200, "scenarios"),
        "scenario_bytes": (0, 32 * 2**20, "bytes"),
        "file_bytes": (0, 10 * 2**30, "bytes"),
        "disk_bytes": (0, 25 * 2**30, "bytes"),
    }


def test_an_open_invitation_takes_a_place(alice: Person, redis_connection: "redis.Redis") -> None:
    assert redis_connection.ping()
    assert alice.post("invitations/", {"email": "dora@acme.example", "role": "viewer"}).status_code == 201
    assert usages_of(alice)["members"] == (2, 10, "people")


def test_the_rate_is_none_where_redis_cannot_be_reached(alice: Person, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert usages_of(alice)["events_per_second"][0] == 0


def test_the_number_of_queries_does_not_grow(scene: Any) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            usages_of(scene.person)
        return len(captured)

    few = queries()
    with organisation_context(scene.person.organisation.pk):
        for name in QUOTAS:
            set_limit(name, 99)
    assert queries() == few


def test_a_changed_limit_is_the_organisations_own_and_is_written_to_the_audit_log(
    alice: Person, charlie: Person, in_acme: None
) -> None:
    set_limit("runs", 3)
    assert limit("runs") == 3
    set_limit("runs", 4)
    assert limit("runs") == 4
    with organisation_context(charlie.organisation.pk):
        assert limit("runs") == 10
    set_limit("runs", None)
    assert limit("runs") == 10
    assert not OrganisationLimit.objects.exists()
    events = AuditEvent.objects.filter(action="limit.set").order_by("at").values_list("before", "after")
    assert list(events) == [
        ({"limit": 10}, {"limit": 3}),
        ({"limit": 3}, {"limit": 4}),
        ({"limit": 4}, {"limit": 10}),
    ]


@pytest.mark.parametrize(
    ("name", "used", "sentence"),
    [
        (
            "runs",
            10,
            "Runs at once: 10 of 10 runs are used, so there is no room for more. "
            "Stop a run, or ask your administrator for more.",
        ),
        (
            "result_bytes",
            10 * 2**30,
            "Results kept: 10.0 GB of 10 GB are used, so there is no room for more. "
            "Delete results of bindings that do not run, or ask your administrator for more.",
        ),
    ],
)
@pytest.mark.usefixtures("in_acme")
def test_a_refusal_says_how_much_of_how_much_and_what_to_do(name: str, used: int, sentence: str) -> None:
    check_room(name, used - 1)
    with pytest.raises(OverQuota) as refused:
        check_room(name, used)
    assert (refused.value.status, refused.value.code, refused.value.message) == (409, "over_quota", sentence)


@pytest.mark.parametrize(
    ("number", "words", "short"),
    [
        (0, "0 B", "0 B"),
        (1_023, "1023 B", "1023 B"),
        (1_024, "1.0 KB", "1 KB"),
        (10 * 2**30, "10.0 GB", "10 GB"),
        (3 * 2**29, "1.5 GB", "1.5 GB"),
        (5_000 * 2**40, "5000.0 TB", "5000 TB"),
    ],
)
def test_bytes_are_written_in_words(number: int, words: str, short: str) -> None:
    assert (in_words(number), in_words(number, short=True)) == (words, short)


def test_every_role_sees_the_quotas_and_nobody_else(acme: Any, charlie: Person) -> None:
    assert set(Role)
    answered = charlie.client.get(f"/api/t/{acme.slug}/quotas/")
    assert answered.status_code == 404
